import { withdrawWakes } from "../../push/event/wake-event";
import type { Transaction } from "../../store/store";
import type { CallEvent } from "./call-event";
import { beginCalls, lockCalls, lockMeant, saveCalls } from "./call-rows";
import { type Judgement, judge } from "./call-states";
import { tellChanges } from "./changes";
import { expire, type KnownCall, takeIn } from "./known-calls";
import { JOBS, type Records } from "./records";
import { askForWakes } from "./wake-requests";

/** What came of events that were to be written. */
export interface Written {
  /** Those that no call is known to be about. */
  unknown: CallEvent[];
}

/**
 * Writes what signals say about calls, in one transaction of a few statements, however many there are;
 * whoever takes part is told after it. Nodes may write in any order.
 * @throws Fault UNAVAILABLE when the database cannot be reached
 */
export async function writeEvents(
  records: Records,
  events: readonly CallEvent[],
): Promise<Written> {
  const now = records.identity.clock.now();
  // Who called comes before what was answered: both may have come in one batch, in any order.
  const calls = events.filter((event) => event.kind === "call");
  const answers = events.filter((event) => event.kind !== "call");
  const begun = calls.filter(({ initiator, from }) => initiator === from);
  const { changed, unknown } = await records.jobs.transaction(
    [JOBS.wake],
    async (transaction, enqueue) => {
      await beginCalls(transaction, begun);
      const known = await lockMeant(transaction, events);
      const before = new Map(known.map((call) => [call, new Map(call.callees)]));
      const bySession = groupBySession(known);
      const missing = [...calls, ...answers].filter(
        (event) => !takeIn(bySession.get(event.sessionId) ?? [], event),
      );
      const judged = await saveChanged(transaction, before, now);
      await askForWakes(transaction, enqueue, begun, judged, before);
      return { changed: newStates(judged, before), unknown: missing };
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

/** Ends the waiting for users who were rung for too long, in the calls of these ids. */
export async function writeExpiry(records: Records, ids: readonly number[]): Promise<void> {
  const now = records.identity.clock.now();
  const changed = await records.identity.store.transaction(async (transaction) => {
    const known = await lockCalls(transaction, ids);
    const before = new Map(known.map((call) => [call, new Map(call.callees)]));
    for (const call of known) expire(call, now);
    return newStates(await saveChanged(transaction, before, now), before);
  });
  await tellChanges(records, changed);
}

/** Writes the calls of which anything is other than it was, and takes pushes back that woke in vain. */
async function saveChanged(
  transaction: Transaction,
  before: ReadonlyMap<KnownCall, KnownCall["callees"]>,
  now: number,
): Promise<Map<KnownCall, Judgement>> {
  const changed = [...before].filter(
    ([call, was]) =>
      was.size !== call.callees.size ||
      [...call.callees].some(([userId, callee]) => was.get(userId) !== callee),
  );
  const judged = new Map(
    changed.map(([call]) => [call, judge(call.startedAt, [...call.callees.values()])]),
  );
  const saved = await saveCalls(transaction, judged, now);
  const over = saved.filter(({ state, woken_at: woken }) => woken !== null && state !== "ringing");
  if (over.length > 0) {
    const parts = over.map((part) => ({ callId: part.call_id, userId: part.user_id }));
    await withdrawWakes(transaction, parts, now);
  }
  return judged;
}

/** Calls in which anybody's state is another than it was: a late signal may be seen and change none. */
function newStates(
  judged: ReadonlyMap<KnownCall, Judgement>,
  before: ReadonlyMap<KnownCall, KnownCall["callees"]>,
): KnownCall[] {
  const statesOf = ({ state, caller, callees }: Judgement) =>
    JSON.stringify([state, caller, [...callees].map(([userId, part]) => [userId, part.state])]);
  return [...judged].flatMap(([call, judgement]) => {
    const was = judge(call.startedAt, [...(before.get(call)?.values() ?? [])]);
    return statesOf(was) === statesOf(judgement) ? [] : [call];
  });
}
