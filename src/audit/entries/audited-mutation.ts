import type { GraphQLField, GraphQLFieldResolver } from "graphql";
import { Fault } from "../../core/errors";
import type { MemberRole } from "../../core/viewer";
import type { AuditContext, RecordedInput } from "./audit-entry";
import type { AuditExtensions } from "./audited";
import { type AuditedAction, recordRefused, runAudited } from "./record-entry";
import { recordInput, recordResult } from "./recorded-input";

/** The resolver of a root field. */
type Resolve = GraphQLFieldResolver<unknown, AuditContext>;

/**
 * Wraps the resolver of an owners' mutation: checks the access, and records what the member does, also what the
 * member's role does not allow. Without a valid token, nobody acts and nothing is recorded. Each mutation of a document
 * reads the member again.
 */
export function auditMutation(
  field: GraphQLField<unknown, AuditContext>,
  access: MemberRole,
  resolve: Resolve,
): Resolve {
  const { notAuditedIf } = field.extensions as AuditExtensions;
  return async (source, args, context, info) => {
    const { audit, auth, caller } = context;
    const describe = async (): Promise<AuditedAction> => ({
      actor: await auth.account(),
      action: field.name,
      input: recordInput(field.args, args),
      caller,
    });
    const isAudited = notAuditedIf === undefined || args[notAuditedIf] !== true;
    auth.forgetAccount();
    try {
      await auth.require(access);
    } catch (error) {
      if (isAudited && auth.isMember && error instanceof Fault && error.code === "FORBIDDEN") {
        const action = await describe();
        await recordRefused(audit, { ...action, input: applicationOnly(action.input) }, error.code);
      }
      throw error;
    }
    const run = async () => resolve(source, args, context, info);
    if (!isAudited) return run();
    return runAudited(audit, await describe(), run, (result) => recordResult(field.type, result));
  };
}

/**
 * What an entry has of the input of a refused mutation. The rest would let members who may change nothing fill the log
 * with large entries.
 */
function applicationOnly({ targets }: RecordedInput): RecordedInput {
  return { targets: targets.filter(({ name }) => name === "applicationId"), fields: [] };
}
