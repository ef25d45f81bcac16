import { toValidText, truncateText } from "../../core/text/text";
import type { Statement, Transaction } from "../../store/store";
import { JOBS, type PushDeps } from "../deps/push-deps";
import type { Outcome } from "../providers/port/provider";
import { DELIVER_OPTIONS, type DeliverJob } from "./fan-out";
import { ATTEMPTS_MAX, retryDelay } from "./retry";
import { retryWrite } from "./retry-write";
import { toStored } from "./stored-outcome";
import { sendVoipFallback, type VoipEvent } from "./voip-fallback";

/** An attempted delivery. */
export interface Attempt {
  delivery: number;
  /** Null if the subscription was deleted before the attempt. */
  subscription: number | null;
  token: string;
  outcome: Outcome;
}

/** An attempt with its final outcome and the delivery's due time. */
export interface ResolvedAttempt extends Attempt {
  dueAt: Date;
}

const TEXT_MAX = 500;

/**
 * Locks the event before its deliveries, the same order as deleting an event. The lock is shared, so that
 * batches of one event do not block each other.
 */
const LOCK: Statement = {
  name: "hold_push_event",
  text: "SELECT id FROM push_events WHERE id = $1 FOR KEY SHARE",
};

/**
 * $1 delivery ids; $2 JSON object from id to `[outcome, reason, providerId, dueAt]`; $3 now; $4 previous
 * attempts. $2 is looked up rather than joined: the planner expects ten rows from an array and would choose
 * a nested loop.
 */
const WRITE: Statement = {
  name: "settle_push_deliveries",
  text: `WITH recorded AS (UPDATE push_deliveries d
    SET (outcome, reason, provider_id, due_at) = (
        SELECT (o.entry ->> 0)::push_outcome, o.entry ->> 1, o.entry ->> 2,
          (o.entry ->> 3)::timestamptz
        FROM (SELECT $2::jsonb -> d.id::text AS entry OFFSET 0) o),
      attempts = d.attempts + 1, updated_at = $3
    WHERE d.id = ANY($1::bigint[]) AND d.outcome IN ('pending', 'later') AND d.attempts = $4
    RETURNING d.id, d.outcome, d.occurrence)
    SELECT coalesce(json_agg(id), '[]') AS ids, max(occurrence) AS occurrence, count(*) FILTER (WHERE outcome = 'accepted') AS accepted,
      count(*) FILTER (WHERE outcome = 'gone') AS unregistered,
      count(*) FILTER (WHERE outcome = 'refused') AS failed FROM recorded`,
};

const COUNT: Statement = {
  name: "count_push_deliveries",
  text: `UPDATE push_events SET accepted_count = accepted_count + $2, gone_count = gone_count + $3,
      refused_count = refused_count + $4 WHERE id = $1 RETURNING id, channel, universal, standard_id`,
};

/** Spares devices that registered a new token in the meantime. Locks rows in id order to avoid deadlocks. */
const UNSUBSCRIBE: Statement = {
  name: "forget_push_subscriptions",
  text: `DELETE FROM push_subscriptions WHERE id = ANY(ARRAY(
      SELECT s.id FROM unnest($1::bigint[], $2::text[]) AS g(id, token)
      JOIN push_subscriptions s ON s.id = g.id AND s.token = g.token
      ORDER BY s.id FOR UPDATE OF s)) RETURNING user_id`,
};

/** Retry delays are rounded up to these steps, in seconds, so that retries share batches. */
const STEPS = [10, 15, 30, 45, 60, 120, 180, 600, 900, 1_800, 2_700, 3_600, 10_800, 21_600];

/** Result of {@link WRITE}: the recorded deliveries and the number of each final outcome. */
interface Recorded {
  ids: number[];
  /** The dispatch, the same for all deliveries of a batch. */
  occurrence: number;
  accepted: number;
  unregistered: number;
  failed: number;
}

/**
 * Records the outcomes of a batch in one transaction: updates the deliveries and counters, deletes
 * subscriptions of unregistered devices, and enqueues retries and VoIP fallbacks. Idempotent: skips
 * deliveries that are already recorded, with all follow-up work.
 * @returns the attempts with their final outcomes
 */
export async function recordOutcomes(
  push: PushDeps,
  job: DeliverJob,
  attempts: Attempt[],
): Promise<ResolvedAttempt[]> {
  const now = push.clock.now();
  const resolved = attempts.map((attempt) => ({
    ...attempt,
    ...resolveOutcome(attempt, job.attempts, now),
  }));
  await retryWrite(() => record(push, job, resolved, now));
  return resolved;
}

function record(
  push: PushDeps,
  job: DeliverJob,
  attempts: ResolvedAttempt[],
  now: number,
): Promise<void> {
  return push.jobs.transaction([JOBS.deliver], async ({ query }, enqueue) => {
    const [event] = await query(LOCK, [job.event]);
    if (!event) return;
    const [recorded] = await query<Recorded>(WRITE, [
      attempts.map(({ delivery }) => delivery),
      JSON.stringify(Object.fromEntries(attempts.map((each) => [each.delivery, entryOf(each)]))),
      new Date(now),
      job.attempts,
    ]);
    if (!recorded || recorded.ids.length === 0) return;
    const [counted] = await query<VoipEvent>(COUNT, [
      job.event,
      recorded.accepted,
      recorded.unregistered,
      recorded.failed,
    ]);
    const ids = new Set(recorded.ids);
    const updated = attempts.filter(({ delivery }) => ids.has(delivery));
    const users = await deleteUnregistered({ query }, updated);
    if (counted) {
      const { occurrence } = recorded;
      await sendVoipFallback({ query }, enqueue, counted, {
        users,
        occurrence,
        now: new Date(now),
      });
    }
    for (const [afterSeconds, deliveries] of groupRetries(updated, now)) {
      const batch: DeliverJob = { event: job.event, deliveries, attempts: job.attempts + 1 };
      await enqueue(JOBS.deliver, batch, { ...DELIVER_OPTIONS, afterSeconds });
    }
  });
}

/** Determines the due time. After the last attempt, the delivery fails with the last reason. */
function resolveOutcome(
  { outcome }: Attempt,
  attempts: number,
  now: number,
): Pick<ResolvedAttempt, "outcome" | "dueAt"> {
  if (outcome.kind !== "retry") return { outcome, dueAt: new Date(now) };
  const delay = retryDelay(attempts + 1, outcome.delayMs);
  if (delay !== null) return { outcome, dueAt: new Date(now + delay) };
  const reason = `${outcome.reason} (tried ${ATTEMPTS_MAX} times)`;
  return { outcome: { kind: "failed", reason }, dueAt: new Date(now) };
}

/** A delivery's entry in $2 of {@link WRITE}. */
function entryOf({ outcome, dueAt }: ResolvedAttempt): unknown[] {
  const reason = "reason" in outcome ? clean(outcome.reason) : null;
  const providerId = "providerId" in outcome ? clean(outcome.providerId ?? "") || null : null;
  return [toStored(outcome.kind), reason, providerId, dueAt];
}

/** Deletes the subscriptions of unregistered devices. @returns the ids of their users */
async function deleteUnregistered(
  { query }: Pick<Transaction, "query">,
  attempts: ResolvedAttempt[],
): Promise<number[]> {
  const unregistered = attempts.filter(
    ({ outcome, subscription }) => outcome.kind === "unregistered" && subscription !== null,
  );
  if (unregistered.length === 0) return [];
  const rows = await query<{ user_id: number }>(UNSUBSCRIBE, [
    unregistered.map(({ subscription }) => subscription),
    unregistered.map(({ token }) => token),
  ]);
  return [...new Set(rows.map(({ user_id: userId }) => userId))];
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
