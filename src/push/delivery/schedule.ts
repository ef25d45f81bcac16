import type { Statement } from "../../store/store";
import { START } from "../event/audience";
import { JOBS, type Push } from "../push";
import { EXPAND_OPTIONS } from "./expand";

/** Seconds between two looks for what is due, and so what a schedule may be late by. */
export const DUE_SECONDS = 10;
/** Milliseconds after its end that a schedule is still dispatched, if it was due before. */
const LATE_MS = 60_000;
/** Events that one transaction begins at most. */
const BATCH = 100;

/** A dispatch that is still being written is not overtaken by the next. */
const DUE: Statement = {
  name: "due_push_events",
  text: `SELECT id, date, period, end_date, next_run_at, occured_count FROM push_events
    WHERE next_run_at <= $1 AND expanded_to IS NULL ORDER BY next_run_at LIMIT ${BATCH}
    FOR NO KEY UPDATE SKIP LOCKED`,
};

const BEGIN: Statement = {
  name: "begin_push_events",
  text: `UPDATE push_events e SET next_run_at = b.next, expanded_to = ${START.recipient},
      expanded_sub = ${START.subscription}, updated_at = $3
    FROM unnest($1::bigint[], $2::timestamptz[]) AS b(id, next) WHERE e.id = b.id`,
};

/** What nobody looked for in time. */
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

/**
 * Begins every dispatch that is due, each once, on whichever node looks first. What is over by now ends
 * without it.
 */
export async function beginDue(push: Push): Promise<void> {
  for (;;) {
    const begun = await push.jobs.transaction([JOBS.expand], async ({ query }, enqueue) => {
      const now = push.identity.clock.now();
      const rows = await query<DueRow>(DUE, [new Date(now)]);
      if (rows.length === 0) return 0;
      const over = rows.filter((row) => isOver(row, now));
      const due = rows.filter((row) => !isOver(row, now));
      await query(END, [over.map(({ id }) => id), new Date(now)]);
      const next = due.map((row) => nextRun(row, now));
      await query(BEGIN, [due.map(({ id }) => id), next, new Date(now)]);
      for (const { id, occured_count: occurrence } of due) {
        await enqueue(JOBS.expand, { event: id, occurrence, ...START }, EXPAND_OPTIONS);
      }
      return rows.length;
    });
    if (begun < BATCH) return;
  }
}

/** A look is late by itself, so a dispatch on the very end is not. */
function isOver({ end_date: end }: DueRow, now: number): boolean {
  return end !== null && end.getTime() < now - LATE_MS;
}

/**
 * When a schedule is due after now: whole periods from its date, so that it never drifts, and what was
 * missed while nobody looked is not made up for. Null when it has ended.
 * @param now milliseconds since the Unix epoch
 */
export function nextRun(
  { date, period, end_date: end }: Pick<DueRow, "date" | "period" | "end_date">,
  now: number,
): Date | null {
  if (period === null) return null;
  const step = period * 1000;
  const passed = Math.floor((now - date.getTime()) / step);
  const next = new Date(date.getTime() + (Math.max(0, passed) + 1) * step);
  return end !== null && next > end ? null : next;
}
