import { BoundedStream } from "../../../core/bounded-stream";
import { Fault } from "../../../core/errors";
import { BatchLoader } from "../../../core/loads/batch-loader";
import { mapStream } from "../../../core/map-stream";
import type { UserViewer } from "../../../core/viewer";
import { OLDEST_FIRST } from "../../paging/list-order";
import { type Page, type PageRequest, readPage } from "../../paging/page";
import type { PushDeps } from "../deps/push-deps";
import { publishProgress, publishPushNotice } from "../events/progress";
import type { PushEvent } from "../events/push-event";
import { listDeliveriesOfEvent } from "./delivery-list-queries";
import { findDeliveries, type PushDelivery, type PushOutcome } from "./delivery-queries";

/** Maximum number of batches queued for a slow subscriber. */
const QUEUE_MAX = 100;

/** What the subscriptions of a node share. */
export interface DeliveryLoads {
  deliveries: BatchLoader<number, PushDelivery>;
}

/** Opens the loads of a node. */
export function openDeliveryLoads({ store }: Pick<PushDeps, "store">): DeliveryLoads {
  const deliveries = new BatchLoader(
    async (ids: number[]) =>
      new Map((await findDeliveries(store.query, ids)).map((each) => [each.id, each])),
  );
  return { deliveries };
}

/** Loads deliveries, in the order of their ids. */
export function loadDeliveries(
  { deliveries }: DeliveryLoads,
  ids: readonly number[],
): Promise<PushDelivery[]> {
  return deliveries.loadAll(ids.toSorted((a, b) => a - b));
}

/** Message on the bus about deliveries that were attempted. */
interface DeliveryUpdate {
  event: number;
  deliveries: number[];
}

const channelOf = (userId: number) => `push:deliveries:${userId}`;

/**
 * Lists a page of an event's deliveries in order of creation.
 * @param outcome lists only these; null for all
 * @throws Fault INVALID as {@link readPage}
 */
export function listDeliveries(
  { store }: Pick<PushDeps, "store">,
  eventId: number,
  page: PageRequest,
  outcome: PushOutcome | null = null,
): Promise<Page<PushDelivery>> {
  return readPage(page, OLDEST_FIRST, (range) =>
    listDeliveriesOfEvent(store.query, eventId, outcome, range),
  );
}

/**
 * Notifies the sender of an event, and all who watch it, of attempted deliveries, on any node. Best effort.
 */
export async function publishDeliveryUpdate(
  push: PushDeps,
  { id: event, userId }: Pick<PushEvent, "id" | "userId">,
  deliveries: number[],
): Promise<void> {
  await publishProgress(push, event, deliveries);
  if (userId === null) return;
  const update: DeliveryUpdate = { event, deliveries };
  await publishPushNotice(push, channelOf(userId), JSON.stringify(update));
}

/**
 * Streams the viewer's deliveries as they are attempted, in batches of up to 500. A subscriber that does not
 * keep up receives LIMITED and is disconnected.
 * @param eventId streams only this event; null for all events of the viewer
 * @param disconnect closes the subscriber's connection
 */
export async function streamDeliveries(
  push: Pick<PushDeps, "bus"> & DeliveryLoads,
  viewer: UserViewer,
  eventId: number | null,
  disconnect: (() => void) | undefined,
): Promise<AsyncIterableIterator<PushDelivery[]>> {
  let unsubscribe: () => Promise<void> = async () => undefined;
  const stream = new BoundedStream<DeliveryUpdate>({
    capacity: QUEUE_MAX,
    overflowFault: () =>
      new Fault("LIMITED", "The subscriber does not keep up with its deliveries", undefined, 1),
    disconnect,
    onEnd: () => void unsubscribe(),
  });
  unsubscribe = await push.bus.subscribe(channelOf(viewer.userId), (message) => {
    if (message === "") return;
    const update = JSON.parse(message) as DeliveryUpdate;
    if (eventId === null || update.event === eventId) stream.push(update);
  });
  // Each batch is loaded on demand, so that the queue holds only ids.
  return mapStream(stream, ({ deliveries }) => loadDeliveries(push, deliveries));
}
