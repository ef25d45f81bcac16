import type { Caller } from "../../../core/caller";
import { type ErrorCode, Fault, toFault } from "../../../core/errors";
import { toValidText, truncateText } from "../../../core/text/text";
import type { Store, Transaction } from "../../../platform/store/store";
import type { AuditActor, AuditDeps, AuditTarget, RecordedInput } from "./audit-entry";
import {
  insertAuditEntry,
  insertFailedSignIn,
  type NewAuditEntry,
  updateAuditEntry,
} from "./audit-queries";
import { applicationOf, joinTargets } from "./recorded-input";

/** Number of characters of a User-Agent header that are stored. */
const USER_AGENT_MAX = 255;

/** What a member or an API key does, and from where. */
export interface AuditedAction {
  actor: AuditActor;
  /** Name of the mutation. */
  action: string;
  input: RecordedInput;
  caller: Pick<Caller, "ip" | "userAgent" | "requestId">;
}

/** An entry whose outcome is not written yet. */
export interface StartedEntry {
  id: number;
  entry: NewAuditEntry;
}

/**
 * Runs a change that leaves an entry. The entry is written before the change begins, so that no change is without
 * one, and its outcome afterwards. An entry without an outcome is that of a node that ended during the change.
 * @param foundTargets the objects that the change has found, and those that its result names; its argument is undefined
 * if the change failed
 * @throws Fault UNAVAILABLE if the entry cannot be written; then nothing is run. Errors of `run`
 */
export async function runAudited<T>(
  deps: AuditDeps,
  action: AuditedAction,
  run: () => Promise<T>,
  foundTargets?: (result: T | undefined) => AuditTarget[],
): Promise<T> {
  return finishAudited(deps, await startAudited(deps, action), run, foundTargets);
}

/**
 * Writes the entry of a change.
 * @param transaction that of the change, if the member who makes it is created there; {@link finishAudited} follows the
 * commit
 * @throws Fault UNAVAILABLE if the entry cannot be written
 */
export async function startAudited(
  deps: AuditDeps,
  action: AuditedAction,
  transaction?: Pick<Transaction, "prisma">,
): Promise<StartedEntry> {
  const entry = newEntry(deps, action, "started", null);
  try {
    const db: Pick<Store["db"], "auditEntry"> = (await transaction?.prisma()) ?? deps.store.db;
    return { id: await insertAuditEntry({ db }, entry), entry };
  } catch (error) {
    if (error instanceof Fault) throw error;
    deps.log.error({ err: error }, "an audit entry cannot be written");
    throw new Fault("UNAVAILABLE", "The audit log cannot be written, so nothing was changed");
  }
}

/** Runs the change, or what is left of it, of a started entry, as {@link runAudited}. @throws errors of `run` */
export async function finishAudited<T>(
  deps: AuditDeps,
  { id, entry }: StartedEntry,
  run: () => Promise<T>,
  foundTargets: (result: T | undefined) => AuditTarget[] = () => [],
): Promise<T> {
  const finish = async (
    outcome: NewAuditEntry["outcome"],
    errorCode: ErrorCode | null,
    found: AuditTarget[],
  ) => {
    const targets = joinTargets(entry.targets, found);
    // Before the targets are cut to their maximum.
    const applicationId = entry.applicationId ?? applicationOf(found);
    try {
      await updateAuditEntry(deps.store, id, { outcome, errorCode, targets, applicationId });
    } catch (error) {
      // What was done is done: the answer says so, and the entry that an outcome is missing.
      deps.log.error(
        { err: error, entry: id, outcome },
        "the outcome of an audit entry is missing",
      );
    }
  };
  let result: T;
  try {
    result = await run();
  } catch (error) {
    await finish("failed", toFault(error).code, foundTargets(undefined));
    throw error;
  }
  await finish("succeeded", null, foundTargets(result));
  return result;
}

/** Records what was refused before it began. A failure to write is logged, since nothing was changed. */
export async function recordRefused(
  deps: AuditDeps,
  action: AuditedAction,
  errorCode: ErrorCode,
): Promise<void> {
  try {
    await insertAuditEntry(deps.store, newEntry(deps, action, "failed", errorCode));
  } catch (error) {
    deps.log.error({ err: error }, "a refused operation left no audit entry");
  }
}

/**
 * Records a sign-in with a wrong password. An unknown e-mail address causes the same work, so that the time of the
 * answer does not tell it from that of a member. The answer does not wait for it, and a failure is logged.
 * @param actor null for an unknown e-mail address
 */
export function recordFailedSignIn(
  deps: AuditDeps,
  actor: AuditActor | null,
  action: Omit<AuditedAction, "actor" | "input">,
  errorCode: ErrorCode,
): void {
  const entry = { action: action.action, errorCode, ...originOf(deps, action.caller) };
  insertFailedSignIn(deps.store, actor, entry).catch((error: unknown) => {
    deps.log.error({ err: error }, "a failed sign-in left no audit entry");
  });
}

function newEntry(
  deps: AuditDeps,
  { actor, action, input, caller }: AuditedAction,
  outcome: NewAuditEntry["outcome"],
  errorCode: ErrorCode | null,
): NewAuditEntry {
  const { accountId, memberId, email, role, apiKey } = actor;
  return {
    ...{ accountId, memberId, email, role, apiKey, action, outcome, errorCode },
    ...input,
    ...originOf(deps, caller),
    applicationId: applicationOf(input.targets),
  };
}

/** When and from where a member acts. */
function originOf(
  { clock }: AuditDeps,
  { ip, userAgent, requestId }: AuditedAction["caller"],
): Pick<NewAuditEntry, "ip" | "userAgent" | "requestId" | "createdAt"> {
  return {
    ip,
    userAgent:
      userAgent === undefined ? null : truncateText(toValidText(userAgent), USER_AGENT_MAX),
    requestId,
    createdAt: new Date(clock.now()),
  };
}
