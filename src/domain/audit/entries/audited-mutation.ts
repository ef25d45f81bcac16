import type { GraphQLField, GraphQLFieldResolver } from "graphql";
import { Fault } from "../../../core/errors";
import type { AllowedCallers } from "../../../core/viewer";
import type { AuditContext, AuditTarget, RecordedInput } from "./audit-entry";
import type { AuditExtensions } from "./audited";
import { type AuditedAction, recordRefused, runAudited } from "./record-entry";
import { recordInput, recordResult } from "./recorded-input";

/** The resolver of a root field. */
type Resolve = GraphQLFieldResolver<unknown, AuditContext>;

/**
 * Wraps the resolver of a mutation for a member of an account: checks the access, and records what the member does,
 * including what the member's role does not allow. Without a valid token, nobody acts and nothing is recorded. Each
 * mutation of a document reads the member again.
 */
export function auditMutation(
  field: GraphQLField<unknown, AuditContext>,
  allowed: AllowedCallers,
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
      await auth.require(allowed);
    } catch (error) {
      if (isAudited && auth.isMember && error instanceof Fault && error.code === "FORBIDDEN") {
        const action = await describe();
        await recordRefused(audit, { ...action, input: singleTargets(action.input) }, error.code);
      }
      throw error;
    }
    const run = async () => resolve(source, args, context, info);
    if (!isAudited) return run();
    return runAudited(audit, await describe(), run, (result) => [
      ...recordResult(field.type, result),
      ...applicationTarget(auth.ownedApplication),
    ]);
  };
}

/** The application of an object that the input names only by its id. */
const applicationTarget = (id: number | null): AuditTarget[] =>
  id === null ? [] : [{ name: "applicationId", id: String(id) }];

/**
 * What an entry has of the input of a refused mutation. The rest would let members who may change nothing fill the log
 * with large entries.
 */
function singleTargets({ targets }: RecordedInput): RecordedInput {
  return { targets: targets.filter(({ name }) => SINGLE_ID.test(name)), fields: [] };
}

/** The name of an id outside of lists. */
const SINGLE_ID = /^(?:id|[a-z]+(?:[A-Z][a-z]+)*Id)$/;
