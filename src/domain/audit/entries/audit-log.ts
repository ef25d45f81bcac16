import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import { purgeRows } from "../../../platform/store/rows/expired-rows";
import { ID, listOrder, TIME } from "../../paging/list-order";
import { isGiven, type Page, type PageRequest, readPage } from "../../paging/page";
import { type TimeFilter, timePart } from "../../paging/time-filter";
import type { AuditDeps, AuditEntry } from "./audit-entry";
import { type AuditFilter, findAuditEntries, OLD_AUDIT_ENTRIES } from "./audit-queries";

/** Time that entries are kept, in milliseconds: 90 days. */
export const AUDIT_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;

/** Page and filter of the audit log; at most one of the three filters. */
export interface AuditPageRequest extends PageRequest, TimeFilter {
  applicationId?: string | null;
  memberId?: string | null;
  action?: string | null;
}

/** The order of the audit log. */
export const NEWEST_ENTRY_FIRST = listOrder(
  [TIME, ID],
  "descending",
  ({ createdAt, id }: Pick<AuditEntry, "createdAt" | "id">) => [createdAt, id],
);

/**
 * Returns a page of an account's audit log, newest first.
 * @throws Fault INVALID on an argument, also for two filters at once
 */
export async function listAuditEntries(
  { store }: Pick<AuditDeps, "store">,
  accountId: number,
  page: AuditPageRequest,
): Promise<Page<AuditEntry>> {
  const filter = filterOf(page);
  return readPage(
    page,
    NEWEST_ENTRY_FIRST,
    (range) => findAuditEntries(store, accountId, filter, range),
    timePart(page),
  );
}

function filterOf(page: AuditPageRequest): AuditFilter | null {
  const [given, other] = (["applicationId", "memberId", "action"] as const).filter((name) =>
    isGiven(page[name]),
  );
  // Two filters at once would read the entries of one of them to find those of both.
  if (other !== undefined) throw Fault.field(other, `cannot be combined with ${given}`);
  const applicationId = optionalId("applicationId", page.applicationId);
  if (applicationId !== undefined) return { applicationId };
  const memberId = optionalId("memberId", page.memberId);
  if (memberId !== undefined) return { memberId };
  return isGiven(page.action) ? { action: page.action } : null;
}

/** The id in an optional argument; undefined if it is absent. @throws Fault INVALID on the argument */
function optionalId(argument: string, id: string | null | undefined): number | undefined {
  if (!isGiven(id)) return undefined;
  const parsed = parseId(id);
  if (parsed === null) throw Fault.field(argument, "is not an id");
  return parsed;
}

/** Deletes entries older than 90 days. Idempotent, interruptible and safe to run concurrently. */
export async function purgeAuditEntries({
  store,
  clock,
}: Pick<AuditDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, OLD_AUDIT_ENTRIES, new Date(clock.now() - AUDIT_RETENTION_MS));
}
