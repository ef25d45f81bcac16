import { withdrawCallPushes } from "../../push/events/call-push";
import type { Transaction } from "../../store/store";
import { publishApplicationChanges } from "./application-changes";
import { publishChanges } from "./call-changes";
import type { CallEvent } from "./call-event";
import { insertCalls, lockCalls, lockMatching, markTruncated, saveCalls } from "./call-queries";
import { type DerivedState, deriveState } from "./call-states";
import { enqueueCallPushes } from "./enqueue-call-pushes";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import { expireRinging, isParticipant, matchEvent, type RecordedCall } from "./recorded-calls";
import { timeLineEntries } from "./timeline/time-line";
import { recordTimeLines } from "./timeline/time-line-queries";

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
  const { begun, changed, seen, unknown } = await deps.store.transaction(async (transaction) => {
    const begun = await insertCalls(transaction, started);
    const known = await lockMatching(transaction, events);
    const before = new Map(known.map((call) => [call, new Map(call.callees)]));
    const byCallId = groupByCallId(known);
    const matches = [...calls, ...answers].map((event) => ({
      event,
      matched: matchEvent(byCallId.get(event.callId) ?? [], event),
    }));
    const missing = matches.filter(({ matched }) => matched.length === 0);
    const states = await saveChanged(transaction, before, now);
    const recorded = await recordSignals(transaction, matches);
    await enqueueCallPushes(transaction, enqueue, started, states, before);
    return {
      begun,
      changed: callsInNewState(states, before),
      seen: recorded,
      unknown: missing.map(({ event }) => event),
    };
  });
  for (const applicationId of begun) deps.counters.count(applicationId, "calls");
  await publishChanges(deps, changed);
  await publishApplicationChanges(deps, changed, seen);
  return { unknown };
}

/**
 * Adds signals to the time lines of their calls. @returns these calls
 */
async function recordSignals(
  transaction: Transaction,
  matches: ReadonlyArray<{ event: CallEvent; matched: readonly RecordedCall[] }>,
): Promise<RecordedCall[]> {
  const signals = matches.flatMap(({ event, matched }) =>
    matched
      // A call names at most CALLEES_MAX callees; an erasure finds no others.
      .filter((call) => isParticipant(call, event.from) && isParticipant(call, event.to))
      .map((call) => ({ call, callId: call.id, signal: event.signal })),
  );
  const full = await recordTimeLines(transaction, timeLineEntries(signals));
  if (full.length > 0) await markTruncated(transaction, full);
  return [...new Set(signals.map(({ call }) => call))];
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
  await publishApplicationChanges(deps, changed, []);
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
