/** Maximum number of queued ids. */
export const QUEUE_MAX = 1_000;
/** Maximum number of ids in a batch. */
const BATCH_MAX = 50;

/**
 * A coalescing queue of changed objects for one consumer, such as calls. It yields them in batches, oldest first: what is
 * loaded for a batch costs few statements, and nothing before the consumer asks for it. An object that changes again while
 * it is queued keeps its position and is delivered once. Beyond {@link QUEUE_MAX} the oldest ids are dropped, so that a
 * user who makes many calls neither disconnects the consumer nor exhausts memory.
 */
export class CoalescingQueue implements AsyncIterableIterator<number[]> {
  private readonly ids = new Set<number>();
  private wake: () => void = () => undefined;
  private closed = false;

  /** @param onClose called once, when the queue is closed */
  constructor(private readonly onClose: () => void) {}

  /** Queues a changed object. */
  add(id: number): void {
    if (this.closed) return;
    this.ids.add(id);
    const [oldest] = this.ids;
    if (this.ids.size > QUEUE_MAX && oldest !== undefined) this.ids.delete(oldest);
    this.wake();
  }

  async next(): Promise<IteratorResult<number[]>> {
    while (this.ids.size === 0 && !this.closed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.closed) return { value: undefined, done: true };
    const batch = [...this.ids].slice(0, BATCH_MAX);
    for (const id of batch) this.ids.delete(id);
    return { value: batch, done: false };
  }

  async return(): Promise<IteratorResult<number[]>> {
    this.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<number[]> {
    return this;
  }

  /** Closes the queue. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.ids.clear();
    this.wake();
    this.onClose();
  }
}
