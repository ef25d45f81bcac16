import type { Statement } from "../../store/store";
import { FAN_OUT_OPTIONS, JOBS, type PushDeps } from "../deps/push-deps";
import { FIRST_WINDOW } from "../events/recipient-windows";

/** Polling interval for due events, in seconds; a dispatch may be late by as much. */
export const DUE_INTERVAL_SECONDS = 10;
/** Grace period in milliseconds: a dispatch due before the schedule's end still starts within it. */
const GRACE_MS = 60_000;
/** Maximum number of events started per transaction. */
const BATCH = 100;

/** Skips events whose previous dispatch is still fanning out. */
const DUE: Statement = {
  name: "due_push_events",
  text: `SELECT id, date, period, end_date, next_run_at, occured_count FROM push_events
    WHERE next_run_at <= $1 AND expanded_to IS NULL ORDER BY next_run_at LIMIT ${BATCH}
    FOR NO KEY UPDATE SKIP LOCKED`,
};

const BEGIN: Statement = {
  name: "begin_push_events",
  text: `UPDATE push_events e SET next_run_at = b.next, expanded_to = ${FIRST_WINDOW.recipient},
      expanded_sub = ${FIRST_WINDOW.subscription}, updated_at = $3
    FROM unnest($1::bigint[], $2::timestamptz[]) AS b(id, next) WHERE e.id = b.id`,
};

/** Ends events whose grace period is over. */
const END: Statement = {
  name: "end_push_events",
  text: `UPDATE push_events SET active = false, next_run_at = NULL, updated_at = $2
    WHERE id = ANY($1::bigint[])`,
};

interface DueRow {
  id: number;
  date: Date;
  period: number | null;
  end_date: Date | null;
  next_run_at: Date;
  occured_count: number;
}

/** Starts every due dispatch exactly once across nodes. Ends expired events without a dispatch. */
export async function startDueDispatches(push: PushDeps): Promise<void> {
  for (;;) {
    const processed = await push.jobs.transaction([JOBS.fanOut], async ({ query }, enqueue) => {
      const now = push.clock.now();
      const rows = await query<DueRow>(DUE, [new Date(now)]);
      if (rows.length === 0) return 0;
      const expired = rows.filter((row) => isExpired(row, now));
      const due = rows.filter((row) => !isExpired(row, now));
      await query(END, [expired.map(({ id }) => id), new Date(now)]);
      const next = due.map((row) => nextRun(row, now));
      await query(BEGIN, [due.map(({ id }) => id), next, new Date(now)]);
      for (const { id, occured_count: occurrence } of due) {
        await enqueue(JOBS.fanOut, { event: id, occurrence, ...FIRST_WINDOW }, FAN_OUT_OPTIONS);
      }
      return rows.length;
    });
    if (processed < BATCH) return;
  }
}

/** Polling is late by itself, so the grace period lets a dispatch at the very end of a schedule start. */
function isExpired({ end_date: end }: DueRow, now: number): boolean {
  return end !== null && end.getTime() < now - GRACE_MS;
}

/**
 * The next due time of a schedule after now: whole periods from its date, so it never drifts. Missed
 * dispatches are skipped.
 * @param now milliseconds since the Unix epoch
 * @returns null if the schedule has ended
 */
export function nextRun(
  { date, period, end_date: end }: Pick<DueRow, "date" | "period" | "end_date">,
  now: number,
): Date | null {
  if (period === null) return null;
  const periodMs = period * 1000;
  const elapsed = Math.floor((now - date.getTime()) / periodMs);
  const next = new Date(date.getTime() + (Math.max(0, elapsed) + 1) * periodMs);
  return end !== null && next > end ? null : next;
}
