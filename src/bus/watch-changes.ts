import type { Log } from "../core/log";
import type { Bus } from "./bus";
import { CoalescingQueue, changedBatches } from "./coalescing-queue";

/**
 * How often a subscription compares what it has delivered with what is stored, in milliseconds: a node that dies between
 * the commit and the message about it tells nobody.
 */
export const COMPARE_MS = 30_000;

/** Changed objects that a subscription watches. */
export interface Watch<T> {
  channel: string;
  /** The objects that a message says have changed. */
  changedBy(message: string): readonly number[];
  /** Finds the objects to deliver first, and again when messages may have been lost. */
  present(): Promise<readonly number[]>;
  /** Finds objects whose stored state is not the one that was delivered. */
  stale(): Promise<readonly number[]>;
  /** Loads objects; those that are gone are left out. */
  load(ids: number[]): Promise<T[]>;
}

/**
 * Yields the present objects of a watch, then each as it changes, in batches. A slow subscriber gets the last state of
 * each.
 */
export async function watchChanges<T>(
  { bus, log }: { bus: Pick<Bus, "subscribe">; log: Log },
  { channel, changedBy, present, stale, load }: Watch<T>,
): Promise<AsyncIterableIterator<T[]>> {
  let unsubscribe: () => Promise<void> = async () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const queue = new CoalescingQueue(() => {
    clearInterval(timer);
    void unsubscribe();
  });
  const add = async (find: () => Promise<readonly number[]>) => {
    for (const id of new Set(await find())) queue.add(id);
  };
  const addLater = (find: () => Promise<readonly number[]>) =>
    add(find).catch((error) =>
      log.warn({ err: error }, "failed to read what a subscription missed"),
    );
  unsubscribe = await bus.subscribe(channel, (message) => {
    if (message === "") void addLater(present);
    else for (const id of changedBy(message)) queue.add(id);
  });
  try {
    await add(present);
  } catch (error) {
    queue.close();
    throw error;
  }
  let isComparing = false;
  timer = setInterval(async () => {
    if (isComparing) return;
    isComparing = true;
    await addLater(stale);
    isComparing = false;
  }, COMPARE_MS).unref();
  return changedBatches(queue, load);
}
