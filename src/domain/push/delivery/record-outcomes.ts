import { setTimeout as wait } from "node:timers/promises";
import { Fault } from "../../../core/errors";
import { randomInteger } from "../../../core/random";
import { toValidText, truncateText } from "../../../core/text/text";
import { isDeadlock } from "../../../platform/store/database-errors";
import { PUSH_JOBS, type PushDeps } from "../deps/push-deps";
import { deleteUnregisteredDevices } from "../devices/device-queries";
import { countOutcomes, holdEvent } from "../events/dispatch-queries";
import type { Outcome } from "../providers/port/provider";
import { sendCallEnds } from "./call-end";
import { type OutcomeRecord, writeOutcomes } from "./delivery-queries";
import { DELIVER_OPTIONS, type DeliverJob } from "./fan-out";
import { sendVoipFallback } from "./voip-fallback";

/** An attempted delivery. */
export interface Attempt {
  delivery: number;
  /** Null if the subscription was deleted before the attempt. */
  subscription: number | null;
  token: string;
  /** The bundle identifier that the device reported, if any. */
  bundleId: string | null;
  outcome: Outcome;
}

/** An attempt with its final outcome and the delivery's due time. */
export interface ResolvedAttempt extends Attempt {
  dueAt: Date;
}

const TEXT_MAX = 500;

/** Delays between attempts to write the outcomes, in milliseconds: ten seconds in total. */
const WRITE_DELAYS_MS = [100, 400, 1_500, 3_000, 5_000];

/** Back-off before each further attempt of a delivery, in milliseconds. */
const RETRY_DELAYS_MS = [10_000, 30_000, 120_000, 600_000, 1_800_000];
/** Maximum number of attempts per delivery. */
const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
/** Upper bound for a delay that a provider requests. */
const RETRY_DELAY_MAX_MS = 6 * 60 * 60 * 1000;

/** Retry delays are rounded up to these steps, in seconds, so that retries share batches. */
const STEPS = [10, 15, 30, 45, 60, 120, 180, 600, 900, 1_800, 2_700, 3_600, 10_800, 21_600];

/**
 * Records the outcomes of a batch in one transaction: updates the deliveries and counters, deletes
 * subscriptions of unregistered devices, and enqueues retries, VoIP fallbacks, and the ends of calls that have stopped
 * ringing while their pushes were being sent. Idempotent: skips
 * deliveries that are already recorded, with all follow-up work.
 * @param uncertain whether an earlier run, whose outcomes are lost, may have sent the batch
 * @returns the attempts with their final outcomes
 */
export async function recordOutcomes(
  push: PushDeps,
  job: DeliverJob,
  attempts: Attempt[],
  { uncertain }: { uncertain: boolean } = { uncertain: false },
): Promise<ResolvedAttempt[]> {
  const now = push.clock.now();
  const resolved = attempts.map((attempt) => ({
    ...attempt,
    ...resolveOutcome(attempt, job.attempts, now),
  }));
  await retryWrite(() => record(push, job, resolved, uncertain, now));
  return resolved;
}

async function record(
  push: PushDeps,
  job: DeliverJob,
  attempts: ResolvedAttempt[],
  uncertain: boolean,
  now: number,
): Promise<void> {
  const enqueue = await push.jobs.openQueues(PUSH_JOBS.deliver);
  await push.store.transaction(async (transaction) => {
    const { query } = transaction;
    // Locks the event before its deliveries, the same order as deleting an event. The lock is shared, so that
    // batches of one event do not block each other.
    if (!(await holdEvent(query, job.event))) return;
    const at = new Date(now);
    const recorded = await writeOutcomes(query, attempts.map(recordOf), job.attempts, at);
    if (recorded === null) return;
    const event = await countOutcomes(query, job.event, recorded);
    const ids = new Set(recorded.ids);
    const updated = attempts.filter(({ delivery }) => ids.has(delivery));
    const unregistered = updated.filter(
      ({ outcome, subscription }) => outcome.kind === "unregistered" && subscription !== null,
    );
    if (unregistered.length > 0) {
      const users = await deleteUnregisteredDevices(query, unregistered);
      const devices = { users, occurrence: recorded.occurrence, now: at };
      // A user whose last VoIP subscription is gone has no device that rings.
      const rings = event !== null && event.kind !== "CALL_END";
      if (rings) await sendVoipFallback(transaction, enqueue, event, devices);
    }
    const mayRing = recorded.accepted > 0 || uncertain;
    if (mayRing && event !== null && event.callEndId !== null) {
      const end = { ring: event.id, event: event.callEndId };
      await sendCallEnds(transaction, enqueue, [end], at, uncertain ? recorded.ids : []);
    }
    for (const [afterSeconds, deliveries] of groupRetries(updated, now)) {
      const batch: DeliverJob = { event: job.event, deliveries, attempts: job.attempts + 1 };
      await enqueue(transaction, PUSH_JOBS.deliver, batch, { ...DELIVER_OPTIONS, afterSeconds });
    }
  });
}

/** Determines the due time. After the last attempt, the delivery fails with the last reason. */
function resolveOutcome(
  { outcome }: Attempt,
  previousAttempts: number,
  now: number,
): Pick<ResolvedAttempt, "outcome" | "dueAt"> {
  if (outcome.kind !== "retry") return { outcome, dueAt: new Date(now) };
  const delay = retryDelay(previousAttempts + 1, outcome.delayMs);
  if (delay !== null) return { outcome, dueAt: new Date(now + delay) };
  const reason = `${outcome.reason} (tried ${ATTEMPTS_MAX} times)`;
  return { outcome: { kind: "failed", reason }, dueAt: new Date(now) };
}

/** What to write about an attempt. */
function recordOf({ delivery, outcome, dueAt }: ResolvedAttempt): OutcomeRecord {
  const reason = "reason" in outcome ? clean(outcome.reason) : null;
  const providerId = "providerId" in outcome ? clean(outcome.providerId ?? "") || null : null;
  return { delivery, outcome: outcome.kind, reason, providerId, dueAt };
}

/**
 * Back-off before the next attempt, in milliseconds: increasing, with jitter, and never shorter than the
 * provider requested.
 * @param madeAttempts number of attempts, including the one that failed
 * @param requested delay that the provider requested, in milliseconds; null without one
 * @returns null after the last attempt
 */
function retryDelay(madeAttempts: number, requested: number | null): number | null {
  const delay = RETRY_DELAYS_MS[madeAttempts - 1];
  if (delay === undefined) return null;
  return Math.min(RETRY_DELAY_MAX_MS, Math.max(randomInteger(delay, delay * 1.5), requested ?? 0));
}

/**
 * Retries a write on deadlock or lost connection. Only this process knows what was sent; if the write is
 * lost, the pushes are sent again.
 * @param act must be idempotent: a write may have succeeded although its response was lost
 * @throws the error of the last attempt
 */
async function retryWrite(act: () => Promise<void>): Promise<void> {
  for (const ms of WRITE_DELAYS_MS) {
    try {
      return await act();
    } catch (error) {
      if (!isDeadlock(error) && !(error instanceof Fault && error.code === "UNAVAILABLE"))
        throw error;
      await wait(ms);
    }
  }
  return act();
}

/** Groups deliveries to retry by their delay in seconds, rounded up to {@link STEPS}. */
function groupRetries(attempts: ResolvedAttempt[], now: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const { delivery, outcome, dueAt } of attempts) {
    if (outcome.kind !== "retry") continue;
    const seconds = (dueAt.getTime() - now) / 1000;
    const step = STEPS.find((each) => each >= seconds) ?? STEPS.at(-1) ?? 0;
    const group = groups.get(step);
    if (group) group.push(delivery);
    else groups.set(step, [delivery]);
  }
  return groups;
}

/** A push service's text on one line, of bounded length. */
function clean(text: string): string {
  return toValidText(truncateText(text, TEXT_MAX)).replace(/\p{Cc}/gu, " ");
}
