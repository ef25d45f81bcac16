import { withdrawWakes } from "../../push/event/wake-event";
import type { Transaction } from "../../store/store";
import type { CallEvent } from "./call-event";
import { beginCalls, lockCalls, lockMeant, saveCalls } from "./call-rows";
import { type Judgement, judge } from "./call-states";
import { tellChanges } from "./changes";
import { expire, type KnownCall, takeIn } from "./known-calls";
import { JOBS, type Records } from "./records";
import { askForWakes } from "./wake-requests";

/** The result of writing events. */
export interface Written {
  /** Events that belong to no recorded call. */
  unknown: CallEvent[];
}

/**
 * Writes call events in one transaction with a constant number of statements, then notifies the participants.
 * Nodes may write in any order.
 * @throws Fault UNAVAILABLE when the database cannot be reached
 */
export async function writeEvents(
  records: Records,
  events: readonly CallEvent[],
): Promise<Written> {
  const now = records.identity.clock.now();
  // Calls are applied before answers, since a batch may contain both in any order.
  const calls = events.filter((event) => event.kind === "call");
  const answers = events.filter((event) => event.kind !== "call");
  const started = calls.filter(({ initiator, from }) => initiator === from);
  const { changed, unknown } = await records.jobs.transaction(
    [JOBS.wake],
    async (transaction, enqueue) => {
      await beginCalls(transaction, started);
      const known = await lockMeant(transaction, events);
      const before = new Map(known.map((call) => [call, new Map(call.callees)]));
      const bySession = groupBySession(known);
      const missing = [...calls, ...answers].filter(
        (event) => !takeIn(bySession.get(event.sessionId) ?? [], event),
      );
      const states = await saveChanged(transaction, before, now);
      await askForWakes(transaction, enqueue, started, states, before);
      return { changed: callsInNewState(states, before), unknown: missing };
    },
  );
  await tellChanges(records, changed);
  return { unknown };
}

function groupBySession(calls: readonly KnownCall[]): Map<string, KnownCall[]> {
  const groups = new Map<string, KnownCall[]>();
  for (const call of calls) {
    const group = groups.get(call.sessionId);
    if (group) group.push(call);
    else groups.set(call.sessionId, [call]);
  }
  return groups;
}

/** Applies the ring time-out to calls. */
export async function writeExpiry(records: Records, ids: readonly number[]): Promise<void> {
  const now = records.identity.clock.now();
  const changed = await records.identity.store.transaction(async (transaction) => {
    const known = await lockCalls(transaction, ids);
    const before = new Map(known.map((call) => [call, new Map(call.callees)]));
    for (const call of known) expire(call, now);
    return callsInNewState(await saveChanged(transaction, before, now), before);
  });
  await tellChanges(records, changed);
}

/** Saves the calls that changed, and withdraws the pushes of users whose call stopped ringing. */
async function saveChanged(
  transaction: Transaction,
  before: ReadonlyMap<KnownCall, KnownCall["callees"]>,
  now: number,
): Promise<Map<KnownCall, Judgement>> {
  const changed = [...before].filter(
    ([call, previous]) =>
      previous.size !== call.callees.size ||
      [...call.callees].some(([userId, callee]) => previous.get(userId) !== callee),
  );
  const states = new Map(
    changed.map(([call]) => [call, judge(call.startedAt, [...call.callees.values()])]),
  );
  const saved = await saveCalls(transaction, states, now);
  const obsolete = saved.filter((row) => row.woken_at !== null && row.state !== "ringing");
  if (obsolete.length > 0) {
    const keys = obsolete.map((row) => ({ callId: row.call_id, userId: row.user_id }));
    await withdrawWakes(transaction, keys, now);
  }
  return states;
}

/** Returns the calls in which any state changed; a late signal may be recorded without an effect. */
function callsInNewState(
  states: ReadonlyMap<KnownCall, Judgement>,
  before: ReadonlyMap<KnownCall, KnownCall["callees"]>,
): KnownCall[] {
  const fingerprint = ({ state, caller, callees }: Judgement) =>
    JSON.stringify([state, caller, [...callees].map(([userId, each]) => [userId, each.state])]);
  return [...states].flatMap(([call, derived]) => {
    const previous = judge(call.startedAt, [...(before.get(call)?.values() ?? [])]);
    return fingerprint(previous) === fingerprint(derived) ? [] : [call];
  });
}
