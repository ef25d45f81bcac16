import { BoundedStream } from "../../core/bounded-stream";
import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import type { EventRow } from "../event/push-event";
import type { Push } from "../push";
import { findDeliveries, type PushDelivery } from "./deliveries";

/** Batches that wait for a slow subscriber at most. */
const WAITING_MAX = 100;

/** What is told of deliveries that were attempted. */
interface Notice {
  event: number;
  deliveries: number[];
}

const channelOf = (userId: number) => `push:deliveries:${userId}`;

/** Tells the sender of an event, on whichever node, that something became of deliveries. */
export async function tellDeliveries(
  { identity, log }: Push,
  { id: event, user_id: userId }: Pick<EventRow, "id" | "user_id">,
  deliveries: number[],
): Promise<void> {
  if (userId === null) return;
  const notice: Notice = { event, deliveries };
  try {
    await identity.bus.publish(channelOf(userId), JSON.stringify(notice));
  } catch (error) {
    // They stand in the database, where the sender can read them.
    log.warn({ err: error }, "the sender could not be told of deliveries");
  }
}

/**
 * Follows the deliveries of one's own events, or of one of them, as they are attempted: batches of at
 * most 500. A subscriber that does not keep up is told LIMITED and disconnected.
 * @param hangUp closes the subscriber's connection
 */
export async function watchDeliveries(
  push: Push,
  viewer: UserViewer,
  eventId: number | null,
  hangUp: (() => void) | undefined,
): Promise<AsyncIterableIterator<PushDelivery[]>> {
  let leave: () => Promise<void> = async () => undefined;
  const stream = new BoundedStream<Notice>({
    capacity: WAITING_MAX,
    overflow: () =>
      new Fault("LIMITED", "Deliveries came faster than they were taken", undefined, 1),
    hangUp,
    onEnd: () => void leave(),
  });
  leave = await push.identity.bus.subscribe(channelOf(viewer.userId), (message) => {
    if (message === "") return;
    const notice = JSON.parse(message) as Notice;
    if (eventId === null || notice.event === eventId) stream.push(notice);
  });
  return reading(push, stream);
}

/** Reads each batch when its turn has come, so that what waits is small. */
function reading(
  push: Push,
  notices: BoundedStream<Notice>,
): AsyncIterableIterator<PushDelivery[]> {
  return {
    async next() {
      const { value, done } = await notices.next();
      if (done) return { value: undefined, done: true };
      return { value: await findDeliveries(push.identity, value.deliveries), done: false };
    },
    async return() {
      await notices.return();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
