import { cutText, toText } from "../../core/text";
import type { Statement, Transaction } from "../../store/store";
import type { Outcome } from "../provider/provider";
import { JOBS, type Push } from "../push";
import { DELIVER_OPTIONS, type DeliverJob } from "./expand";
import { untilWritten } from "./patience";
import { ATTEMPTS_MAX, retryDelay } from "./retry";
import { sendStandard, type VoipEvent } from "./standard";

/** A delivery that was attempted. */
export interface Attempt {
  delivery: number;
  /** Null where the subscription was gone before the attempt. */
  subscription: number | null;
  token: string;
  outcome: Outcome;
}

/** An attempt with what it comes to: its outcome, and when the delivery is due. */
export interface Judged extends Attempt {
  dueAt: Date;
}

const TEXT_MAX = 500;

/**
 * Before its deliveries, as whoever deletes an event locks them; it is shared, so that batches of one
 * event do not wait for each other.
 */
const HOLD: Statement = {
  name: "hold_push_event",
  text: "SELECT id FROM push_events WHERE id = $1 FOR KEY SHARE",
};

/**
 * $1 the ids; $2 by id `[outcome, reason, providerId, dueAt]`, looked up and not joined: of an array
 * the planner expects ten rows, and would compare each row with each; $3 now; $4 attempts before this.
 */
const WRITE: Statement = {
  name: "settle_push_deliveries",
  text: `WITH settled AS (UPDATE push_deliveries d
    SET (outcome, reason, provider_id, due_at) = (
        SELECT (o.became ->> 0)::push_outcome, o.became ->> 1, o.became ->> 2,
          (o.became ->> 3)::timestamptz
        FROM (SELECT $2::jsonb -> d.id::text AS became OFFSET 0) o),
      attempts = d.attempts + 1, updated_at = $3
    WHERE d.id = ANY($1::bigint[]) AND d.outcome IN ('pending', 'later') AND d.attempts = $4
    RETURNING d.id, d.outcome, d.occurrence)
    SELECT coalesce(json_agg(id), '[]') AS ids, max(occurrence) AS occurrence, count(*) FILTER (WHERE outcome = 'accepted') AS accepted,
      count(*) FILTER (WHERE outcome = 'gone') AS gone,
      count(*) FILTER (WHERE outcome = 'refused') AS refused FROM settled`,
};

const COUNT: Statement = {
  name: "count_push_deliveries",
  text: `UPDATE push_events SET accepted_count = accepted_count + $2, gone_count = gone_count + $3,
      refused_count = refused_count + $4 WHERE id = $1 RETURNING id, channel, universal, standard_id`,
};

/** Unless the device has a new token since. All lock in one order, so that none waits in a circle. */
const FORGET: Statement = {
  name: "forget_push_subscriptions",
  text: `DELETE FROM push_subscriptions WHERE id = ANY(ARRAY(
      SELECT s.id FROM unnest($1::bigint[], $2::text[]) AS g(id, token)
      JOIN push_subscriptions s ON s.id = g.id AND s.token = g.token
      ORDER BY s.id FOR UPDATE OF s)) RETURNING user_id`,
};

/** Seconds that retries are rounded up to, so that they go in few batches. */
const STEPS = [10, 15, 30, 45, 60, 120, 180, 600, 900, 1_800, 2_700, 3_600, 10_800, 21_600];

/** What {@link WRITE} answers: which were written, and how many of each outcome that is final. */
interface Written {
  ids: number[];
  /** Which dispatch they are of: of one batch the same. */
  occurrence: number;
  accepted: number;
  gone: number;
  refused: number;
}

/**
 * Writes what became of a batch, deletes subscriptions that are worthless, counts, and asks for what
 * is to be tried again, or over the standard channel instead, in one transaction. What was settled before stays as it is, and nothing follows
 * from it once more.
 * @returns what the attempts come to
 */
export async function settle(push: Push, job: DeliverJob, attempts: Attempt[]): Promise<Judged[]> {
  const now = push.identity.clock.now();
  const judged = attempts.map((attempt) => ({ ...attempt, ...judge(attempt, job.attempts, now) }));
  await untilWritten(() => write(push, job, judged, now));
  return judged;
}

function write(push: Push, job: DeliverJob, judged: Judged[], now: number): Promise<void> {
  return push.jobs.transaction([JOBS.deliver], async ({ query }, enqueue) => {
    const [event] = await query(HOLD, [job.event]);
    if (!event) return;
    const [written] = await query<Written>(WRITE, [
      judged.map(({ delivery }) => delivery),
      JSON.stringify(Object.fromEntries(judged.map((each) => [each.delivery, became(each)]))),
      new Date(now),
      job.attempts,
    ]);
    if (!written || written.ids.length === 0) return;
    const [counted] = await query<VoipEvent>(COUNT, [
      job.event,
      written.accepted,
      written.gone,
      written.refused,
    ]);
    const ids = new Set(written.ids);
    const settled = judged.filter(({ delivery }) => ids.has(delivery));
    const users = await forget({ query }, settled);
    if (counted) {
      const { occurrence } = written;
      await sendStandard({ query }, enqueue, counted, { users, occurrence, now: new Date(now) });
    }
    for (const [afterSeconds, deliveries] of retries(settled, now)) {
      const batch: DeliverJob = { event: job.event, deliveries, attempts: job.attempts + 1 };
      await enqueue(JOBS.deliver, batch, { ...DELIVER_OPTIONS, afterSeconds });
    }
  });
}

/** When it is tried again; what was tried often enough is refused with the last reason. */
function judge(
  { outcome }: Attempt,
  attempts: number,
  now: number,
): Pick<Judged, "outcome" | "dueAt"> {
  if (outcome.kind !== "later") return { outcome, dueAt: new Date(now) };
  const delay = retryDelay(attempts + 1, outcome.delayMs);
  if (delay !== null) return { outcome, dueAt: new Date(now + delay) };
  const reason = `${outcome.reason} (tried ${ATTEMPTS_MAX} times)`;
  return { outcome: { kind: "refused", reason }, dueAt: new Date(now) };
}

/** What is written of a delivery: outcome, reason, the provider's id, and when it is due. */
function became({ outcome, dueAt }: Judged): unknown[] {
  const reason = "reason" in outcome ? clean(outcome.reason) : null;
  const providerId = "providerId" in outcome ? clean(outcome.providerId ?? "") || null : null;
  return [outcome.kind, reason, providerId, dueAt];
}

/** Deletes subscriptions that are gone; answers with their users. */
async function forget({ query }: Pick<Transaction, "query">, judged: Judged[]): Promise<number[]> {
  const gone = judged.filter(
    ({ outcome, subscription }) => outcome.kind === "gone" && subscription !== null,
  );
  if (gone.length === 0) return [];
  const rows = await query<{ user_id: number }>(FORGET, [
    gone.map(({ subscription }) => subscription),
    gone.map(({ token }) => token),
  ]);
  return [...new Set(rows.map(({ user_id: userId }) => userId))];
}

function retries(judged: Judged[], now: number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const { delivery, outcome, dueAt } of judged) {
    if (outcome.kind !== "later") continue;
    const seconds = (dueAt.getTime() - now) / 1000;
    const step = STEPS.find((each) => each >= seconds) ?? STEPS.at(-1) ?? 0;
    const group = groups.get(step);
    if (group) group.push(delivery);
    else groups.set(step, [delivery]);
  }
  return groups;
}

/** A push service's words, on one line. */
function clean(text: string): string {
  return toText(cutText(text, TEXT_MAX)).replace(/\p{Cc}/gu, " ");
}
