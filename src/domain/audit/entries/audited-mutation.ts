import type { GraphQLField, GraphQLFieldResolver } from "graphql";
import { Fault } from "../../../core/errors";
import type { AccountViewer, AllowedCallers, ApiKeyViewer } from "../../../core/viewer";
import type { AuditActor, AuditContext, AuditTarget, RecordedInput } from "./audit-entry";
import type { AuditExtensions } from "./audited";
import { type AuditedAction, recordRefused, runAudited } from "./record-entry";
import { joinTargets, recordInput, recordResult } from "./recorded-input";

/** The resolver of a root field. */
type Resolve = GraphQLFieldResolver<unknown, AuditContext>;

/**
 * Wraps the resolver of a mutation for a member of an account or an API key: checks the access, and records what it
 * does, including what the member's role or the key's scopes do not allow. Without a valid token or key, nobody acts and
 * nothing is recorded. Each mutation of a document reads the member or the key again.
 */
export function auditMutation(
  field: GraphQLField<unknown, AuditContext>,
  allowed: AllowedCallers,
  resolve: Resolve,
): Resolve {
  const { notAuditedIf, auditsItself = false } = field.extensions as AuditExtensions;
  return async (source, args, context, info) => {
    const { audit, auth, caller } = context;
    const describe = async (): Promise<AuditedAction> => {
      const actor = await auth.accountCaller();
      const { targets, fields } = recordInput(field.args, args);
      // What an API key does is of its application, whether the input names it or not.
      const own = applicationTarget(actor.kind === "member" ? null : actor.applicationId);
      const input = { targets: joinTargets(targets, own), fields };
      return { actor: actorOf(actor), action: field.name, input, caller };
    };
    const isAudited = notAuditedIf === undefined || args[notAuditedIf] !== true;
    auth.forgetAccount();
    try {
      await auth.require(allowed);
    } catch (error) {
      if (
        isAudited &&
        auth.callsForAccount &&
        error instanceof Fault &&
        error.code === "FORBIDDEN"
      ) {
        const action = await describe();
        await recordRefused(audit, { ...action, input: singleTargets(action.input) }, error.code);
      }
      throw error;
    }
    const run = async () => resolve(source, args, context, info);
    if (!isAudited || auditsItself) return run();
    return runAudited(audit, await describe(), run, (result) => [
      ...recordResult(field.type, result),
      ...applicationTarget(auth.ownedApplication),
    ]);
  };
}

/** Who acts, as an entry has it. */
export function actorOf(caller: AccountViewer | ApiKeyViewer): AuditActor {
  if (caller.kind === "member") return { ...caller, apiKey: null };
  const { accountId, id, name, creator } = caller;
  return { ...creator, accountId, apiKey: { id, name } };
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
