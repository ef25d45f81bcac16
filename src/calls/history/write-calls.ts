import { withdrawCallPushes } from "../../push/events/call-push";
import type { Transaction } from "../../store/store";
import { publishChanges } from "./call-changes";
import type { CallEvent } from "./call-event";
import { insertCalls, lockCalls, lockMatching, saveCalls } from "./call-queries";
import { type DerivedState, deriveState } from "./call-states";
import { enqueueCallPushes } from "./enqueue-call-pushes";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import { expireRinging, matchEvent, type RecordedCall } from "./recorded-calls";

/** The result of writing events. */
export interface WriteResult {
  /** Events that belong to no recorded call. */
  unknown: CallEvent[];
}

/**
 * Writes call events in one transaction with a constant number of statements, then notifies the participants.
 * Nodes may write in any order.
 * @throws Fault UNAVAILABLE when the database cannot be reached
 */
export async function writeCallEvents(
  deps: HistoryDeps,
  events: readonly CallEvent[],
): Promise<WriteResult> {
  const now = deps.clock.now();
  // Calls are applied before answers, since a batch may contain both in any order.
  const calls = events.filter((event) => event.kind === "call");
  const answers = events.filter((event) => event.kind !== "call");
  const started = calls.filter(({ initiator, from }) => initiator === from);
  const enqueue = await deps.jobs.openQueues(CALL_JOBS.incomingCallPush);
  const { changed, unknown } = await deps.store.transaction(async (transaction) => {
    await insertCalls(transaction, started);
    const known = await lockMatching(transaction, events);
    const before = new Map(known.map((call) => [call, new Map(call.callees)]));
    const byCallId = groupByCallId(known);
    const missing = [...calls, ...answers].filter(
      (event) => !matchEvent(byCallId.get(event.callId) ?? [], event),
    );
    const states = await saveChanged(transaction, before, now);
    await enqueueCallPushes(transaction, enqueue, started, states, before);
    return { changed: callsInNewState(states, before), unknown: missing };
  });
  await publishChanges(deps, changed);
  return { unknown };
}

function groupByCallId(calls: readonly RecordedCall[]): Map<string, RecordedCall[]> {
  const groups = new Map<string, RecordedCall[]>();
  for (const call of calls) {
    const group = groups.get(call.callId);
    if (group) group.push(call);
    else groups.set(call.callId, [call]);
  }
  return groups;
}

/** Applies the ring time-out to calls. */
export async function writeExpiry(deps: HistoryDeps, ids: readonly number[]): Promise<void> {
  const now = deps.clock.now();
  const changed = await deps.store.transaction(async (transaction) => {
    const known = await lockCalls(transaction, ids);
    const before = new Map(known.map((call) => [call, new Map(call.callees)]));
    for (const call of known) expireRinging(call, now);
    return callsInNewState(await saveChanged(transaction, before, now), before);
  });
  await publishChanges(deps, changed);
}

/** Saves the calls that changed, and withdraws the pushes of users whose call stopped ringing. */
async function saveChanged(
  transaction: Transaction,
  before: ReadonlyMap<RecordedCall, RecordedCall["callees"]>,
  now: number,
): Promise<Map<RecordedCall, DerivedState>> {
  const changed = [...before].filter(
    ([call, previous]) =>
      previous.size !== call.callees.size ||
      [...call.callees].some(([userId, callee]) => previous.get(userId) !== callee),
  );
  const states = new Map(
    changed.map(([call]) => [call, deriveState(call.startedAt, [...call.callees.values()])]),
  );
  const saved = await saveCalls(transaction, states, now);
  const obsolete = saved.filter((row) => row.pushed_at !== null && row.state !== "ringing");
  if (obsolete.length > 0) {
    const keys = obsolete.map((row) => ({ callId: row.call_id, userId: row.user_id }));
    await withdrawCallPushes(transaction, keys, now);
  }
  return states;
}

/** Returns the calls in which any state changed; a late signal may be recorded without an effect. */
function callsInNewState(
  states: ReadonlyMap<RecordedCall, DerivedState>,
  before: ReadonlyMap<RecordedCall, RecordedCall["callees"]>,
): RecordedCall[] {
  const fingerprint = ({ state, caller, callees }: DerivedState) =>
    JSON.stringify([state, caller, [...callees].map(([userId, each]) => [userId, each.state])]);
  return [...states].flatMap(([call, derived]) => {
    const previous = deriveState(call.startedAt, [...(before.get(call)?.values() ?? [])]);
    return fingerprint(previous) === fingerprint(derived) ? [] : [call];
  });
}
