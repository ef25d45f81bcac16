/** What a stand-in keeps of what it got, newest last. */
export class Mailbox<T> {
  /** The last ones. */
  readonly items: T[] = [];
  /** How many there were. */
  count = 0;
  private listener: ((item: T) => void) | null = null;

  /** @param max so many are kept at most */
  constructor(private readonly max = 10_000) {}

  put(item: T): void {
    this.count++;
    this.items.push(item);
    // In one go for many, since taking one from the front of a long list is work.
    if (this.items.length > 2 * this.max) this.items.splice(0, this.items.length - this.max);
    this.listener?.(item);
  }

  /** Tells of each from now on. */
  listen(listener: (item: T) => void): void {
    this.listener = listener;
  }

  /** Forgets them all. */
  clear(): void {
    this.items.length = 0;
    this.count = 0;
  }
}
