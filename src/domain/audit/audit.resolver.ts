import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { AccountType } from "../accounts/account.type";
import { toConnection } from "../paging/page.type";
import { AuditEntryArgs, AuditEntryConnection } from "./audit-entry.type";
import type { AuditContext } from "./entries/audit-entry";
import { listAuditEntries, NEWEST_ENTRY_FIRST } from "./entries/audit-log";

@Resolver(() => AccountType)
export class AuditResolver {
  @FieldResolver(() => AuditEntryConnection, {
    description:
      "The audit log, newest first: what members of the account and API keys of its applications did in the last 90 days. Every role may read it; it holds no secret.",
  })
  async auditEntries(
    @Root() { id }: AccountType,
    @Ctx() { audit }: AuditContext,
    @Args(() => AuditEntryArgs) page: AuditEntryArgs,
  ): Promise<AuditEntryConnection> {
    const entries = await listAuditEntries(audit, id, page);
    return toConnection(entries, NEWEST_ENTRY_FIRST.cursorOf);
  }
}
