/** The requests that a stand-in received, newest last. */
export class ReceivedItems<T> {
  /** The most recent items. */
  readonly items: T[] = [];
  /** Total number of items. */
  count = 0;
  private listener: ((item: T) => void) | null = null;

  /** @param max minimum number of items to retain */
  constructor(private readonly max = 10_000) {}

  add(item: T): void {
    this.count++;
    this.items.push(item);
    // Evicts many at once, because removing the first item of a long array is slow.
    if (this.items.length > 2 * this.max) this.items.splice(0, this.items.length - this.max);
    this.listener?.(item);
  }

  /** Calls a listener for each further item. */
  listen(listener: (item: T) => void): void {
    this.listener = listener;
  }

  /** Removes all items. */
  clear(): void {
    this.items.length = 0;
    this.count = 0;
  }
}
