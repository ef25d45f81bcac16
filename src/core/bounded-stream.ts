import type { Fault } from "./errors";
import { bindToTrace } from "./tracing";

/** Options of {@link BoundedStream}. */
export interface BoundedStreamOptions {
  /** Maximum number of values queued for a slow reader. */
  capacity: number;
  /** Makes the error that a reader gets that does not keep up. */
  overflowFault: () => Fault;
  /** Closes the connection of a reader that does not keep up, so that it notices the loss. */
  disconnect?: () => void;
  /** Called once, when the stream ends for any reason. */
  onEnd: () => void;
}

/**
 * The iterator of a GraphQL subscription: an ordered, bounded queue of values for one reader. A reader that
 * does not keep up gets an error and is disconnected.
 */
export class BoundedStream<T> implements AsyncIterableIterator<T> {
  private readonly queue: T[] = [];
  private waiting: ((next: IteratorResult<T>) => void) | null = null;
  private readonly drainWaiters: Array<() => void> = [];
  private failure: Fault | null = null;
  private done = false;

  constructor(private readonly options: BoundedStreamOptions) {}

  /** Delivers a value to a waiting reader, or queues it. No effect after the end of the stream. */
  push(value: T): void {
    if (this.done) return;
    bindToTrace(value);
    if (this.waiting) {
      const resolve = this.waiting;
      this.waiting = null;
      resolve({ value, done: false });
    } else if (this.queue.length < this.options.capacity) {
      this.queue.push(value);
    } else {
      this.closeOnOverflow();
    }
  }

  /** Ends the stream of a reader that does not keep up, with an error, and disconnects the reader. */
  closeOnOverflow(): void {
    if (this.done) return;
    this.failure = this.options.overflowFault();
    this.close();
    this.options.disconnect?.();
  }

  /** Resolves once the queue is empty or the stream has ended; undefined if the queue is already empty. */
  whenDrained(): Promise<void> | undefined {
    if (this.queue.length === 0) return undefined;
    return new Promise((resolve) => this.drainWaiters.push(resolve));
  }

  /** Ends the stream and drops queued values. */
  close(): void {
    if (this.done) return;
    this.done = true;
    this.queue.length = 0;
    this.waiting?.({ value: undefined, done: true });
    this.waiting = null;
    this.notifyDrained();
    this.options.onEnd();
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.failure) {
      const failure = this.failure;
      this.failure = null;
      throw failure;
    }
    if (this.queue.length > 0) {
      const value = this.queue.shift() as T;
      if (this.queue.length === 0) this.notifyDrained();
      return { value, done: false };
    }
    if (this.done) return { value: undefined, done: true };
    return new Promise((resolve) => {
      this.waiting = resolve;
    });
  }

  async return(): Promise<IteratorResult<T>> {
    this.close();
    return { value: undefined, done: true };
  }

  private notifyDrained(): void {
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return this;
  }
}
