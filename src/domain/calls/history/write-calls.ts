import { inTurns } from "../../../core/loads/in-turns";
import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import { type EndedRing, endRings } from "../../push/delivery/call-end";
import { PUSH_JOBS } from "../../push/deps/push-deps";
import { publishChanges } from "./call-changes";
import { type CallPair, deleteCallsBeyondPairs } from "./call-cleanup-queries";
import type { CallEvent } from "./call-event";
import { insertCalls, lockCalls, lockMatching, markTruncated, saveCalls } from "./call-queries";
import { type DerivedState, deriveState, ringEndOf } from "./call-states";
import { enqueueCallPushes } from "./enqueue-call-pushes";
import { CALL_JOBS, type HistoryDeps } from "./history-deps";
import { enqueueMissedCallPushes } from "./missed-call-push";
import {
  dropRinging,
  expireRinging,
  isParticipant,
  matchEvent,
  type RecordedCall,
} from "./recorded-calls";
import { TURN_MAX, timelineEntries } from "./timeline/timeline";
import { recordTimelines } from "./timeline/timeline-queries";

/** The queues of the jobs that a change of calls enqueues. */
const QUEUES = [CALL_JOBS.incomingCallPush, CALL_JOBS.missedCallPush, PUSH_JOBS.deliver];

/** The result of writing events. */
export interface WriteResult {
  /** Events that belong to no recorded call. */
  unknown: CallEvent[];
}

/** An event, and the calls that it belongs to. */
interface MatchedEvent {
  event: CallEvent;
  matched: readonly RecordedCall[];
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
  const enqueue = await deps.jobs.openQueues(...QUEUES);
  const { begun, changed, seen, unknown } = await deps.store.transaction(async (transaction) => {
    const begun = await insertCalls(transaction, started);
    const known = await lockMatching(transaction, events);
    const before = new Map(known.map((call) => [call, observed(call)]));
    const byCallId = groupByCallId(known);
    const matches: MatchedEvent[] = [];
    await inTurns([...calls, ...answers], TURN_MAX, (event) => {
      matches.push({ event, matched: matchEvent(byCallId.get(event.callId) ?? [], event) });
    });
    const missing = matches.filter(({ matched }) => matched.length === 0);
    const states = await saveChanged(transaction, enqueue, before, now);
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
  await publishChanges(deps, changed, seen);
  return { unknown };
}

/**
 * Adds signals to the timelines of their calls. @returns these calls
 */
async function recordSignals(
  transaction: Transaction,
  matches: readonly MatchedEvent[],
): Promise<RecordedCall[]> {
  const signals = matches.flatMap(({ event, matched }) =>
    matched
      // A call names at most CALLEES_MAX callees; an erasure finds no others.
      .filter((call) => isParticipant(call, event.from) && isParticipant(call, event.to))
      .map((call) => ({ call, callId: call.id, signal: event.signal })),
  );
  const full = await recordTimelines(transaction, await timelineEntries(signals));
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

/**
 * Applies the ring time-out to calls, and ends the ringing of those whose caller was erased or blocked since.
 * @throws Fault UNAVAILABLE when the database cannot be reached
 */
export function writeExpiry(deps: HistoryDeps, ids: readonly number[]): Promise<void> {
  return writeCalls(deps, ids, (call, now) => {
    if (call.callerId === null) dropRinging(call, now);
    else expireRinging(call, now);
  });
}

/**
 * Ends accepted calls that are still unreachable since a time.
 * @param before milliseconds since the Unix epoch
 * @throws Fault UNAVAILABLE when the database cannot be reached
 */
export function writeLost(
  deps: HistoryDeps,
  ids: readonly number[],
  before: number,
): Promise<void> {
  return writeCalls(deps, ids, (call) => {
    const { state, unreachableSince: since } = call;
    call.lost ||= state === "accepted" && since !== null && since <= before;
  });
}

/** Ends a call for a member of its account, unless it has ended. @throws Fault UNAVAILABLE when the database cannot be reached */
export function writeMemberEnd(deps: HistoryDeps, id: number): Promise<void> {
  return writeCalls(deps, [id], (call, now) => {
    if (stateOf(call).endedAt === null) call.endedByMemberAt = now;
  });
}

/** Changes calls by what no signal of their participants says, and notifies them. */
async function writeCalls(
  deps: HistoryDeps,
  ids: readonly number[],
  change: (call: RecordedCall, now: number) => void,
): Promise<void> {
  const now = deps.clock.now();
  const enqueue = await deps.jobs.openQueues(...QUEUES);
  const changed = await deps.store.transaction(async (transaction) => {
    const known = await lockCalls(transaction, ids);
    const before = new Map(known.map((call) => [call, observed(call)]));
    for (const call of known) change(call, now);
    return callsInNewState(await saveChanged(transaction, enqueue, before, now), before);
  });
  await publishChanges(deps, changed);
}

/** What was observed of a call before it changes. */
type Observed = Pick<
  RecordedCall,
  "startedAt" | "state" | "callees" | "unreachableSince" | "lost" | "endedByMemberAt"
>;

const observed = (call: RecordedCall): Observed => ({ ...call, callees: new Map(call.callees) });

/** Whether a node of an earlier version, which knows no end by a member, has since stored a state without it. */
function isUndone({ state, endedByMemberAt }: Observed): boolean {
  return endedByMemberAt !== null && (state === "ringing" || state === "accepted");
}

/** Saves the calls that changed, and ends the ring of devices that a push woke, for users whose call stopped ringing. */
async function saveChanged(
  transaction: Transaction,
  enqueue: EnqueueIn,
  before: ReadonlyMap<RecordedCall, Observed>,
  now: number,
): Promise<Map<RecordedCall, DerivedState>> {
  const changed = [...before].filter(
    ([call, { callees, unreachableSince, lost, endedByMemberAt }]) =>
      isUndone(call) ||
      lost !== call.lost ||
      endedByMemberAt !== call.endedByMemberAt ||
      unreachableSince !== call.unreachableSince ||
      callees.size !== call.callees.size ||
      [...call.callees].some(([userId, callee]) => callees.get(userId) !== callee),
  );
  const states = new Map(changed.map(([call]) => [call, stateOf(call)]));
  const saved = await saveCalls(transaction, states, now);
  const calls = new Map([...states.keys()].map((call) => [call.id, call]));
  const ended = saved.flatMap((row): EndedRing[] => {
    const callee = calls.get(row.call_id)?.callees.get(row.user_id);
    if (!callee || row.pushed_at === null || row.state === "ringing") return [];
    return [{ callId: row.call_id, userId: row.user_id, ...ringEndOf(callee, row.state) }];
  });
  if (ended.length > 0) await endRings(transaction, enqueue, ended, now);
  await enqueueMissedCallPushes(transaction, enqueue, states);
  await deleteCallsBeyondPairs(transaction.query, endedPairs(states));
  return states;
}

/** The pairs whose calls have ended. */
function endedPairs(states: ReadonlyMap<RecordedCall, DerivedState>): CallPair[] {
  return [...states].flatMap(([{ callerId, callees }, { endedAt }]) =>
    callerId === null || endedAt === null
      ? []
      : [...callees.keys()].map((userId) => ({ callerId, userId })),
  );
}

function stateOf({
  startedAt,
  callees,
  unreachableSince,
  lost,
  endedByMemberAt,
}: Observed): DerivedState {
  const lostAt = lost ? unreachableSince : null;
  return deriveState(startedAt, [...callees.values()], { endedByMemberAt, lostAt });
}

/** Returns the calls in which any state changed; a late signal may be recorded without an effect. */
function callsInNewState(
  states: ReadonlyMap<RecordedCall, DerivedState>,
  before: ReadonlyMap<RecordedCall, Observed>,
): RecordedCall[] {
  const fingerprint = ({ state, caller, callees }: DerivedState) =>
    JSON.stringify([state, caller, [...callees].map(([userId, each]) => [userId, each.state])]);
  return [...states].flatMap(([call, derived]) => {
    const previous = before.get(call);
    if (!previous || isUndone(previous)) return [call];
    return fingerprint(stateOf(previous)) === fingerprint(derived) ? [] : [call];
  });
}
