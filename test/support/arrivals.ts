/** What has arrived, in order, and waiting for more. */
export class Arrivals<T> {
  private readonly items: T[] = [];
  private readonly waiting: { resolve(item: T): void; reject(error: unknown): void }[] = [];
  private ended: Error | null = null;

  push(item: T): void {
    const first = this.waiting.shift();
    if (first) first.resolve(item);
    else this.items.push(item);
  }

  /** Drops what was not taken. */
  clear(): void {
    this.items.length = 0;
  }

  /** Nothing will come any more: whoever waits fails with the reason. */
  end(reason: string): void {
    this.ended ??= new Error(reason);
    for (const { reject } of this.waiting.splice(0)) reject(this.ended);
  }

  /** The next that was not taken; jest's own time-out ends a wait in vain. */
  async next(): Promise<T> {
    const [item] = this.items.splice(0, 1);
    if (item !== undefined) return item;
    if (this.ended) throw this.ended;
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}
