/** An asynchronous queue. */
export class AsyncQueue<T> {
  private readonly items: T[] = [];
  private readonly waiting: { resolve(item: T): void; reject(error: unknown): void }[] = [];
  private ended: Error | null = null;

  push(item: T): void {
    const first = this.waiting.shift();
    if (first) first.resolve(item);
    else this.items.push(item);
  }

  /** Discards the queued items. */
  clear(): void {
    this.items.length = 0;
  }

  /** Ends the queue: pending and later calls of `next` reject with the reason. */
  end(reason: string): void {
    this.ended ??= new Error(reason);
    for (const { reject } of this.waiting.splice(0)) reject(this.ended);
  }

  /** Takes the next item. Has no timeout other than jest's. */
  async next(): Promise<T> {
    const [item] = this.items.splice(0, 1);
    if (item !== undefined) return item;
    if (this.ended) throw this.ended;
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}
