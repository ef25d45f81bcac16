import type { Enqueue } from "../../jobs/jobs";
import type { Statement, Transaction } from "../../store/store";
import type { CallEvent } from "./call-event";
import type { Judgement } from "./call-states";
import type { KnownCall } from "./known-calls";
import { JOBS } from "./records";
import type { Wake, WakeJob } from "./wake";

/** Users whom one job wakes at most. */
const WAKES = 20;

const WAKING: Statement = {
  name: "waking_applications",
  text: `SELECT id, wake_after_seconds FROM applications
    WHERE id = ANY($1::bigint[]) AND wake_phones`,
};

type Ring = CallEvent & { kind: "call" };

/**
 * Asks for users to be woken for whom calls ring: at once where nobody was connected, else after the
 * time that the application gives them. Repeats ask again for whoever was not woken.
 * @param before the callees of the calls as they were
 */
export async function askForWakes(
  { query }: Pick<Transaction, "query">,
  enqueue: Enqueue,
  events: readonly Ring[],
  judged: ReadonlyMap<KnownCall, Judgement>,
  before: ReadonlyMap<KnownCall, KnownCall["callees"]>,
): Promise<void> {
  const calls = new Map([...before.keys()].map((call) => [keyOf(call, call.callerId), call]));
  const found = events.flatMap((event) => {
    const call = calls.get(keyOf(event, event.from));
    const callee = call?.callees.get(event.to);
    if (!call || !callee || call.woken.has(event.to)) return [];
    const part = judged.get(call)?.callees.get(event.to);
    if (part && part.state !== "ringing") return [];
    const isNew = before.get(call)?.has(event.to) === false;
    return [{ call, event, isNew, rangMs: event.at - callee.rangAt }];
  });
  if (found.length === 0) return;
  const applications = [...new Set(found.map(({ call }) => call.applicationId))];
  const rows = await query<{ id: number; wake_after_seconds: number }>(WAKING, [applications]);
  const delays = new Map(rows.map((row) => [row.id, row.wake_after_seconds]));
  const wakes = new Map<number, Map<string, Wake>>();
  for (const { call, event, isNew, rangMs } of found) {
    const delay = delays.get(call.applicationId);
    if (delay === undefined) continue;
    // Until then the job that the first `call` asked for is still to come.
    if (event.heard && !isNew && rangMs < delay * 1000) continue;
    const after = event.heard && isNew ? delay : 0;
    const group = wakes.get(after) ?? new Map<string, Wake>();
    const wake = { callId: call.id, userId: event.to, ...event.invitation };
    wakes.set(after, group.set(`${call.id} ${event.to}`, wake));
  }
  for (const [afterSeconds, group] of wakes) {
    const list = [...group.values()];
    const jobs: WakeJob[] = [];
    while (list.length > 0) jobs.push({ wakes: list.splice(0, WAKES) });
    await enqueue(JOBS.wake, jobs, { afterSeconds, leaseSeconds: 60 });
  }
}

function keyOf(
  { applicationId, sessionId }: Pick<CallEvent, "applicationId" | "sessionId">,
  callerId: number | null,
): string {
  return `${applicationId} ${callerId} ${sessionId}`;
}
