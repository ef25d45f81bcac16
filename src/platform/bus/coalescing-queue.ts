/** Maximum number of queued ids. */
export const QUEUE_MAX = 1_000;

/**
 * A coalescing queue of changed objects for one consumer, such as calls. An object that changes again while it is queued
 * keeps its position and is delivered once. Beyond {@link QUEUE_MAX} the oldest ids are dropped, so that a user who makes
 * many calls neither disconnects the consumer nor exhausts memory.
 */
export class CoalescingQueue {
  private readonly ids = new Set<number>();
  private resolveNext: ((id: number | null) => void) | null = null;
  private closed = false;

  /** @param onClose called once, when the queue is closed */
  constructor(private readonly onClose: () => void) {}

  /** Queues a changed object. */
  add(id: number): void {
    if (this.closed) return;
    if (this.resolveNext) {
      this.resolveNext(id);
      this.resolveNext = null;
      return;
    }
    this.ids.add(id);
    const [oldest] = this.ids;
    if (this.ids.size > QUEUE_MAX && oldest !== undefined) this.ids.delete(oldest);
  }

  /** Resolves with the oldest queued id, once there is one; null after the queue is closed. */
  next(): Promise<number | null> {
    if (this.closed) return Promise.resolve(null);
    const [id] = this.ids;
    if (id === undefined) {
      return new Promise((resolve) => {
        this.resolveNext = resolve;
      });
    }
    this.ids.delete(id);
    return Promise.resolve(id);
  }

  /** As {@link next}, with the ids that are queued behind it, up to a number of them. */
  async nextBatch(max: number): Promise<number[] | null> {
    const first = await this.next();
    if (first === null) return null;
    const batch = [first, ...[...this.ids].slice(0, max - 1)];
    for (const id of batch) this.ids.delete(id);
    return batch;
  }

  /** Closes the queue. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.ids.clear();
    this.resolveNext?.(null);
    this.resolveNext = null;
    this.onClose();
  }
}

/** Iterates over the values of batches one by one. */
export function oneByOne<T>(batches: AsyncIterableIterator<T[]>): AsyncIterableIterator<T> {
  let batch: T[] = [];
  return {
    async next() {
      while (batch.length === 0) {
        const step = await batches.next();
        if (step.done) return step;
        batch = [...step.value];
      }
      return { value: batch.shift() as T, done: false };
    },
    async return() {
      batch = [];
      await batches.return?.();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Number of changed objects that are loaded at once. */
const LOADED_AT_ONCE = 50;

/**
 * Iterates over changed objects, in batches of up to fifty. They are loaded when the consumer asks for the next batch, so
 * that a slow consumer costs neither memory nor statements, and many changes cost few statements.
 * @param load loads objects; those that are gone, or that the consumer may not see, are left out
 */
export function changedBatches<T>(
  queue: CoalescingQueue,
  load: (ids: number[]) => Promise<T[]>,
): AsyncIterableIterator<T[]> {
  return {
    async next() {
      const ids = await queue.nextBatch(LOADED_AT_ONCE);
      return ids === null
        ? { value: undefined, done: true }
        : { value: await load(ids), done: false };
    },
    async return() {
      queue.close();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
