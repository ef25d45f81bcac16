import { Mismatch } from "./check";

interface Waiting<T> {
  matches(item: T): boolean;
  resolve(item: T): void;
  reject(error: Error): void;
}

/** What a client has received and nobody has taken yet. */
export class Inbox<T> {
  private items: T[] = [];
  private waiting: Waiting<T> | null = null;
  private failure: Error | null = null;

  /** @param describe names an item in one word, for a message about what came instead */
  constructor(private readonly describe: (item: T) => string) {}

  put(item: T): void {
    if (this.waiting?.matches(item)) this.waiting.resolve(item);
    else this.items.push(item);
  }

  /** The connection is of no use any more: whoever waits, now or later, is told why. */
  fail(error: Error): void {
    this.failure ??= error;
    this.waiting?.reject(error);
  }

  /**
   * Takes the first item that matches, waiting for it if need be.
   * @throws Mismatch when the signal is aborted first, what the connection failed with otherwise
   */
  async take(what: string, matches: (item: T) => boolean, signal: AbortSignal): Promise<T> {
    const found = this.items.findIndex(matches);
    if (found >= 0) return this.items.splice(found, 1)[0] as T;
    if (this.failure) throw this.failure;
    const giveUp = () => {
      const others = this.items.map(this.describe).join(", ");
      this.waiting?.reject(new Mismatch(what, "to arrive in time", others || "nothing"));
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
