import type { Statement } from "../../store/store";
import { nextPlace, type Place, type WindowRow, windowOf } from "../event/audience";
import { EVENT_COLUMNS, type EventRow } from "../event/push-event";
import { type Message, readMessage, voipWanted } from "../payload/message";
import { JOBS, type Push } from "../push";

/** Data of the job that writes deliveries: the event, the dispatch, and where the walk stands. */
export interface ExpandJob {
  event: number;
  occurrence: number;
  recipient: number;
  subscription: number;
}

/** Data of the job that sends deliveries. */
export interface DeliverJob {
  event: number;
  /** At most as many as a window holds. */
  deliveries: number[];
  /**
   * Attempts before this one, of each of them. What has had more is no longer this job's to send: a job
   * that is repeated after its outcomes were written finds nothing.
   */
  attempts: number;
}

/** A batch is sent within seconds; one that takes this long was lost with its process. */
export const DELIVER_OPTIONS = { retries: 100, leaseSeconds: 120 } as const;
/** A window takes milliseconds. */
export const EXPAND_OPTIONS = { retries: 100, leaseSeconds: 60 } as const;

const LOCK: Statement = {
  name: "lock_push_event",
  text: `SELECT ${EVENT_COLUMNS}, e.expanded_to, e.expanded_sub, e.next_run_at FROM push_events e
    WHERE e.id = $1 FOR NO KEY UPDATE`,
};

const MOVE: Statement = {
  name: "move_push_event",
  text: `UPDATE push_events SET expanded_to = $2, expanded_sub = $3,
      delivery_count = delivery_count + $4, updated_at = $5 WHERE id = $1`,
};

const FINISH: Statement = {
  name: "finish_push_event",
  text: `UPDATE push_events SET expanded_to = NULL, expanded_sub = NULL,
      delivery_count = delivery_count + $2, occured_count = occured_count + 1,
      active = active AND next_run_at IS NOT NULL, dispatched_at = coalesce(dispatched_at, $3), updated_at = $3
    WHERE id = $1`,
};

type LockedRow = EventRow & { expanded_to: number | null; expanded_sub: number | null };

/**
 * Writes the deliveries of the next recipients of an event, at most 500, with the job that sends them
 * and the job that goes on, in one transaction. A job that was done before, or whose event is gone or
 * was stopped, does nothing: the event's place says so.
 */
export async function expand(push: Push, job: ExpandJob): Promise<void> {
  await push.jobs.transaction([JOBS.expand, JOBS.deliver], async ({ query }, enqueue) => {
    const [event] = await query<LockedRow>(LOCK, [job.event]);
    if (!event || !isAt(event, job)) return;
    const now = new Date(push.identity.clock.now());
    const audience = {
      applicationId: event.application_id,
      environment: event.environment,
      selector: event.selector,
      universal: event.universal ? { voip: voipWanted(messageOf(event)) } : null,
    };
    const place: Place = { recipient: job.recipient, subscription: job.subscription };
    const { id, occured_count: occurrence } = event;
    const { statement, values } = windowOf(audience, event.channel, place, { id, occurrence, now });
    const [row] = await query<WindowRow>(statement, values);
    if (!row) throw new Error("a window of recipients has no row");
    if (row.ids.length > 0) {
      const batch: DeliverJob = { event: id, deliveries: row.ids, attempts: 0 };
      await enqueue(JOBS.deliver, batch, DELIVER_OPTIONS);
    }
    const next = nextPlace(event.selector, place, row);
    if (next === null) {
      await query(FINISH, [id, row.ids.length, now]);
      return;
    }
    await query(MOVE, [id, next.recipient, next.subscription, row.ids.length, now]);
    await enqueue(JOBS.expand, { event: id, occurrence, ...next }, EXPAND_OPTIONS);
  });
}

function isAt(event: LockedRow, job: ExpandJob): boolean {
  return (
    event.active &&
    event.occured_count === job.occurrence &&
    event.expanded_to === job.recipient &&
    event.expanded_sub === job.subscription
  );
}

function messageOf({ message, universal, channel }: EventRow): Message {
  return readMessage(message, universal ? null : channel);
}
