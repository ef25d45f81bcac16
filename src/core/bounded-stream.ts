import type { Fault } from "./errors";

/** What {@link BoundedStream} is made with. */
export interface StreamOptions {
  /** Values that wait for a slow reader at most. */
  capacity: number;
  /** What a reader is told that did not keep up. */
  overflow: () => Fault;
  /** Closes the reader's connection after that; nobody is passed over in silence. */
  hangUp?: () => void;
  /** Called once, when the stream ends in whichever way. */
  onEnd: () => void;
}

/**
 * Values for one reader, in order, with a bounded queue: a reader that does not keep up is told and
 * disconnected. The iterator of a GraphQL subscription.
 */
export class BoundedStream<T> implements AsyncIterableIterator<T> {
  private readonly queue: T[] = [];
  private waiting: ((next: IteratorResult<T>) => void) | null = null;
  private readonly draining: Array<() => void> = [];
  private failure: Fault | null = null;
  private done = false;

  constructor(private readonly options: StreamOptions) {}

  /** Gives the reader a value, now or when it asks; nothing after the end. */
  push(value: T): void {
    if (this.done) return;
    if (this.waiting) {
      const resolve = this.waiting;
      this.waiting = null;
      resolve({ value, done: false });
    } else if (this.queue.length < this.options.capacity) {
      this.queue.push(value);
    } else {
      this.overrun();
    }
  }

  /** Ends a stream whose reader does not keep up: the reader is told, and disconnected. */
  overrun(): void {
    if (this.done) return;
    this.failure = this.options.overflow();
    this.close();
    this.options.hangUp?.();
  }

  /** Resolves once nothing waits for the reader, or the stream has ended; undefined when that is so. */
  drained(): Promise<void> | undefined {
    if (this.queue.length === 0) return undefined;
    return new Promise((resolve) => this.draining.push(resolve));
  }

  /** Ends the stream; what waits in it is dropped. */
  close(): void {
    if (this.done) return;
    this.done = true;
    this.queue.length = 0;
    this.waiting?.({ value: undefined, done: true });
    this.waiting = null;
    this.tellDrained();
    this.options.onEnd();
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.failure) {
      const told = this.failure;
      this.failure = null;
      throw told;
    }
    if (this.queue.length > 0) {
      const value = this.queue.shift() as T;
      if (this.queue.length === 0) this.tellDrained();
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

  private tellDrained(): void {
    for (const resolve of this.draining.splice(0)) resolve();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return this;
  }
}
