import { withCarriedTrace } from "../../../core/tracing";
import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import { findCallPushSettings } from "../../applications/application-queries";
import type { CallEvent } from "./call-event";
import type { DerivedState } from "./call-states";
import { CALL_JOBS } from "./history-deps";
import type { CallPushJob, PendingCallPush } from "./incoming-call-push";
import type { RecordedCall } from "./recorded-calls";

/** Maximum number of users in one job. */
const JOB_USERS_MAX = 20;

/** The pushes of one job, or of several: with the same delay, and of one trace, which their job continues. */
interface JobGroup {
  afterSeconds: number;
  trace: string | undefined;
  /** By call and user. */
  pushes: Map<string, PendingCallPush>;
}

type CallStarted = CallEvent & { kind: "call" };

/**
 * Enqueues incoming-call pushes to the users for whom calls are ringing: immediately if no device was
 * connected, otherwise after the application's delay. Repeats enqueue another one for users who were not sent
 * a push yet.
 * @param before the calls with their callees before the events were applied
 */
export async function enqueueCallPushes(
  transaction: Transaction,
  enqueue: EnqueueIn,
  events: readonly CallStarted[],
  states: ReadonlyMap<RecordedCall, DerivedState>,
  before: ReadonlyMap<RecordedCall, Pick<RecordedCall, "callees">>,
): Promise<void> {
  const calls = new Map([...before.keys()].map((call) => [keyOf(call, call.callerId), call]));
  const candidates = events.flatMap((event) => {
    const call = calls.get(keyOf(event, event.from));
    const callee = call?.callees.get(event.to);
    if (!call || !callee || call.pushed.has(event.to)) return [];
    const participant = states.get(call)?.callees.get(event.to);
    if (participant && participant.state !== "ringing") return [];
    const isNew = before.get(call)?.callees.has(event.to) === false;
    return [{ call, event, isNew, rangMs: event.at - callee.rangAt }];
  });
  if (candidates.length === 0) return;
  const settings = await findCallPushSettings(
    transaction,
    candidates.map(({ call }) => call.applicationId),
  );
  const groups = new Map<string, JobGroup>();
  for (const { call, event, isNew, rangMs } of candidates) {
    const delay = settings.get(call.applicationId)?.delaySeconds;
    if (delay === undefined) continue;
    // The job of the first `call` is still pending.
    if (event.hasSubscribers && !isNew && rangMs < delay * 1000) continue;
    const after = event.hasSubscribers && isNew ? delay : 0;
    const { trace } = event;
    const key = `${after} ${trace ?? ""}`;
    const group = groups.get(key) ?? { afterSeconds: after, trace, pushes: new Map() };
    const push = { callId: call.id, userId: event.to, ...event.invitation };
    group.pushes.set(`${call.id} ${event.to}`, push);
    groups.set(key, group);
  }
  for (const { afterSeconds, trace, pushes: byUser } of groups.values()) {
    const pushes = [...byUser.values()];
    const jobs: CallPushJob[] = [];
    while (pushes.length > 0) jobs.push({ pushes: pushes.splice(0, JOB_USERS_MAX) });
    const options = { afterSeconds, leaseSeconds: 60 };
    await withCarriedTrace(trace, () =>
      enqueue(transaction, CALL_JOBS.incomingCallPush, jobs, options),
    );
  }
}

function keyOf(
  { applicationId, callId }: Pick<CallEvent, "applicationId" | "callId">,
  callerId: number | null,
): string {
  return `${applicationId} ${callerId} ${callId}`;
}
