/** Maximum number of queued calls. */
export const QUEUE_MAX = 1_000;

/**
 * A coalescing queue of changed calls for one consumer. A call that changes again while it is queued keeps
 * its position and is delivered once. Beyond {@link QUEUE_MAX} the oldest ids are dropped, so that a user who
 * makes many calls neither disconnects the consumer nor exhausts memory.
 */
export class CoalescingQueue {
  private readonly ids = new Set<number>();
  private resolveNext: ((id: number | null) => void) | null = null;
  private closed = false;

  /** @param onClose called once, when the queue is closed */
  constructor(private readonly onClose: () => void) {}

  /** Queues a changed call. */
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

  /** Resolves with the oldest queued call, once there is one; null after the queue is closed. */
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
