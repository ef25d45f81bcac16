import type { Statement } from "../../store/store";
import { FAN_OUT_OPTIONS, JOBS, type PushDeps } from "../deps/push-deps";
import { EVENT_COLUMNS, type EventRow } from "../events/push-event";
import {
  nextPosition,
  type WindowPosition,
  type WindowRow,
  windowStatement,
} from "../events/recipient-windows";
import { type Message, readMessage, wantsVoip } from "../payload/message";

/** Data of the fan-out job: the event, the dispatch, and the window position. */
export interface FanOutJob {
  event: number;
  occurrence: number;
  recipient: number;
  subscription: number;
}

/** Data of the job that sends deliveries. */
export interface DeliverJob {
  event: number;
  /** Ids of the deliveries, up to one window. */
  deliveries: number[];
  /**
   * Attempts that each delivery has had. The job skips deliveries with more attempts, so it is idempotent
   * once its outcomes are recorded.
   */
  attempts: number;
}

/** A batch takes seconds. After the lease, it counts as lost with its process. */
export const DELIVER_OPTIONS = { retries: 100, leaseSeconds: 120 } as const;

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
 * Fans out the next window of an event, up to 500 deliveries. One transaction writes the deliveries, the job
 * that sends them, and the job for the next window. The job is idempotent: it does nothing if the event was
 * deleted or stopped, or is at another window position.
 */
export async function fanOut(push: PushDeps, job: FanOutJob): Promise<void> {
  await push.jobs.transaction([JOBS.fanOut, JOBS.deliver], async ({ query }, enqueue) => {
    const [event] = await query<LockedRow>(LOCK, [job.event]);
    if (!event || !isCurrent(event, job)) return;
    const now = new Date(push.clock.now());
    const filter = {
      applicationId: event.application_id,
      environment: event.environment,
      selector: event.selector,
      universal: event.universal ? { voip: wantsVoip(messageOf(event)) } : null,
    };
    const position: WindowPosition = { recipient: job.recipient, subscription: job.subscription };
    const { id, occured_count: occurrence } = event;
    const dispatch = { id, occurrence, now };
    const { statement, values } = windowStatement(filter, event.channel, position, dispatch);
    const [row] = await query<WindowRow>(statement, values);
    if (!row) throw new Error("the statement for a window of recipients returned no row");
    if (row.ids.length > 0) {
      const batch: DeliverJob = { event: id, deliveries: row.ids, attempts: 0 };
      await enqueue(JOBS.deliver, batch, DELIVER_OPTIONS);
    }
    const next = nextPosition(event.selector, position, row);
    if (next === null) {
      await query(FINISH, [id, row.ids.length, now]);
      return;
    }
    await query(MOVE, [id, next.recipient, next.subscription, row.ids.length, now]);
    await enqueue(JOBS.fanOut, { event: id, occurrence, ...next }, FAN_OUT_OPTIONS);
  });
}

/** Whether the event is still at the job's dispatch and window position. */
function isCurrent(event: LockedRow, job: FanOutJob): boolean {
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
