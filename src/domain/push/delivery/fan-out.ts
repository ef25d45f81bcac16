import { FAN_OUT_OPTIONS, PUSH_JOBS, type PushDeps } from "../deps/push-deps";
import {
  type FanningOutEvent,
  finishDispatch,
  lockEvent,
  moveDispatch,
  type WindowPosition,
} from "../events/dispatch-queries";
import { publishProgress } from "../events/progress";
import { readStoredMessage, wantsVoip } from "../payload/message";
import { writeWindow } from "./recipient-window-queries";

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
   * Number of previous attempts of each delivery. The job skips deliveries with more attempts, so it is idempotent
   * once its outcomes are recorded.
   */
  attempts: number;
}

/** A batch takes seconds. After the lease, it counts as lost with its process. */
export const DELIVER_OPTIONS = { retries: 100, leaseSeconds: 120 } as const;

/**
 * Fans out the next window of an event, up to 500 deliveries. One transaction writes the deliveries, the job
 * that sends them, and the job for the next window. The job is idempotent: it does nothing if the event was
 * deleted or stopped, or is at another window position.
 */
export async function fanOut(push: PushDeps, job: FanOutJob): Promise<void> {
  const enqueue = await push.jobs.openQueues(PUSH_JOBS.fanOut, PUSH_JOBS.deliver);
  const written = await push.store.transaction(async (transaction) => {
    const { query } = transaction;
    const event = await lockEvent(query, job.event);
    if (!event || !isCurrent(event, job)) return false;
    const now = new Date(push.clock.now());
    const filter = {
      applicationId: event.applicationId,
      environment: event.environment,
      selector: event.selector,
      universal: event.universal ? { voip: wantsVoip(readStoredMessage(event)) } : null,
    };
    const position: WindowPosition = { recipient: job.recipient, subscription: job.subscription };
    const { id, channel, occurredCount: occurrence } = event;
    const dispatch = { id, occurrence, now };
    const { ids, next } = await writeWindow(query, filter, channel, position, dispatch);
    if (ids.length > 0) {
      const batch: DeliverJob = { event: id, deliveries: ids, attempts: 0 };
      await enqueue(transaction, PUSH_JOBS.deliver, batch, DELIVER_OPTIONS);
    }
    if (next === null) {
      await finishDispatch(query, id, ids.length, now);
      return true;
    }
    await moveDispatch(query, id, next, ids.length, now);
    await enqueue(
      transaction,
      PUSH_JOBS.fanOut,
      { event: id, occurrence, ...next },
      FAN_OUT_OPTIONS,
    );
    return true;
  });
  if (written) await publishProgress(push, job.event);
}

/** Whether the event is still at the job's dispatch and window position. */
function isCurrent(event: FanningOutEvent, job: FanOutJob): boolean {
  return (
    event.active &&
    event.occurredCount === job.occurrence &&
    event.position?.recipient === job.recipient &&
    event.position.subscription === job.subscription
  );
}
