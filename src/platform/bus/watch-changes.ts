import { SharedIntervals } from "../../core/loads/shared-intervals";
import { type Log, warnRarely } from "../../core/log";
import { mapStream } from "../../core/map-stream";
import type { Bus } from "./bus";
import { CoalescingQueue } from "./coalescing-queue";

/**
 * How often a subscription compares what it has delivered with what is stored, in milliseconds: a node that dies between
 * the commit and the message about it tells nobody.
 */
export const COMPARE_MS = 30_000;
/** The subscriptions of a channel compare together, so that they share what they read. */
const comparisons = new SharedIntervals(COMPARE_MS);

/** Changed objects that a subscription watches. */
export interface Watch<T> {
  channel: string;
  /** The objects that a message says have changed. */
  changedBy(message: string): readonly number[];
  /** Finds the objects to deliver first, and again when messages may have been lost. */
  current(): Promise<readonly number[]>;
  /** Finds objects whose stored state is not the one that was delivered. */
  changed(): Promise<readonly number[]>;
  /** Loads objects; those that are gone are left out. */
  load(ids: number[]): Promise<T[]>;
}

/**
 * Yields the current objects of a watch, then each as it changes, in batches. A slow subscriber gets the last state of
 * each.
 */
export async function watchChanges<T>(
  { bus, log }: { bus: Pick<Bus, "subscribe">; log: Log },
  { channel, changedBy, current, changed, load }: Watch<T>,
): Promise<AsyncIterableIterator<T[]>> {
  let unsubscribe: () => Promise<void> = async () => undefined;
  let stopComparing = () => {};
  const queue = new CoalescingQueue(() => {
    stopComparing();
    void unsubscribe();
  });
  const add = async (find: () => Promise<readonly number[]>) => {
    for (const id of new Set(await find())) queue.add(id);
  };
  const addLater = (find: () => Promise<readonly number[]>) =>
    add(find).catch((error) =>
      warnRarely(log, { err: error }, "failed to read what a subscription missed"),
    );
  unsubscribe = await bus.subscribe(channel, (message) => {
    if (message === "") void addLater(current);
    else for (const id of changedBy(message)) queue.add(id);
  });
  try {
    await add(current);
  } catch (error) {
    queue.close();
    throw error;
  }
  let isComparing = false;
  const compare = async () => {
    if (isComparing) return;
    isComparing = true;
    await addLater(changed);
    isComparing = false;
  };
  stopComparing = comparisons.add(channel, () => void compare());
  return mapStream(queue, load);
}
