import { Mismatch } from "./check";

interface Waiting<T> {
  matches(item: T): boolean;
  resolve(item: T): void;
  reject(error: Error): void;
}

/** Received items of a client that have not been taken yet. */
export class ReceiveQueue<T> {
  private items: T[] = [];
  private waiting: Waiting<T> | null = null;
  private failure: Error | null = null;

  /** @param describe a short name of an item, for error messages */
  constructor(private readonly describe: (item: T) => string) {}

  push(item: T): void {
    if (this.waiting?.matches(item)) this.waiting.resolve(item);
    else this.items.push(item);
  }

  /** Marks the connection as failed: pending and later calls of `take` reject with this error. */
  fail(error: Error): void {
    this.failure ??= error;
    this.waiting?.reject(error);
  }

  /**
   * Removes and returns the first matching item, and waits for it if necessary.
   * @throws Mismatch when the signal aborts first; the error of {@link fail} when the connection fails
   */
  async take(what: string, matches: (item: T) => boolean, signal: AbortSignal): Promise<T> {
    const found = this.items.findIndex(matches);
    if (found >= 0) return this.items.splice(found, 1)[0] as T;
    if (this.failure) throw this.failure;
    const giveUp = () => {
      const others = this.items.map(this.describe).join(", ");
      this.waiting?.reject(new Mismatch(what, "arrival in time", others || "nothing"));
    };
    signal.addEventListener("abort", giveUp);
    try {
      return await new Promise<T>((resolve, reject) => {
        this.waiting = { matches, resolve, reject };
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.waiting = null;
    }
  }
}
