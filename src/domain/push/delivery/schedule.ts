import { FAN_OUT_OPTIONS, PUSH_JOBS, type PushDeps } from "../deps/push-deps";
import {
  beginDispatches,
  DUE_MAX,
  type DueEvent,
  endEvents,
  FIRST_WINDOW,
  lockDueEvents,
} from "../events/dispatch-queries";

/** Polling interval for due events, in seconds; a dispatch may be late by as much. */
export const DUE_INTERVAL_SECONDS = 10;
/** Grace period in milliseconds: a dispatch due before the schedule's end still starts within it. */
const GRACE_MS = 60_000;

/** Starts every due dispatch exactly once across nodes. Ends expired events without a dispatch. */
export async function startDueDispatches(push: PushDeps): Promise<void> {
  const enqueue = await push.jobs.openQueues(PUSH_JOBS.fanOut);
  for (;;) {
    const processed = await push.store.transaction(async (transaction) => {
      const { query } = transaction;
      const now = push.clock.now();
      const at = new Date(now);
      const events = await lockDueEvents(query, at);
      if (events.length === 0) return 0;
      const expired = events.filter((event) => isExpired(event, now));
      const due = events.filter((event) => !isExpired(event, now));
      const ended = expired.map(({ id }) => id);
      await endEvents(query, ended, at);
      const begun = due.map((event) => ({ id: event.id, next: nextRun(event, now) }));
      await beginDispatches(query, begun, at);
      for (const { id, occurredCount: occurrence } of due) {
        const job = { event: id, occurrence, ...FIRST_WINDOW };
        await enqueue(transaction, PUSH_JOBS.fanOut, job, FAN_OUT_OPTIONS);
      }
      return events.length;
    });
    if (processed < DUE_MAX) return;
  }
}

/** Polling is late by itself, so the grace period lets a dispatch at the very end of a schedule start. */
function isExpired({ endDate: end }: DueEvent, now: number): boolean {
  return end !== null && end.getTime() < now - GRACE_MS;
}

/**
 * The next due time of a schedule after now: whole periods from its date, so it never drifts. Missed
 * dispatches are skipped.
 * @param now milliseconds since the Unix epoch
 * @returns null if the schedule has ended
 */
function nextRun(
  { date, period, endDate: end }: Pick<DueEvent, "date" | "period" | "endDate">,
  now: number,
): Date | null {
  if (period === null) return null;
  const periodMs = period * 1000;
  const elapsed = Math.floor((now - date.getTime()) / periodMs);
  const next = new Date(date.getTime() + (Math.max(0, elapsed) + 1) * periodMs);
  return end !== null && next > end ? null : next;
}
