/** Counts what is open for each key, with a limit. */
export class KeyCounter {
  private readonly counts = new Map<string, number>();

  /** Number of what is open for all keys. */
  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Counts one more. @returns a function that releases it (idempotent), or null at the limit */
  take(key: string, max: number): (() => void) | null {
    const count = this.counts.get(key) ?? 0;
    if (count >= max) return null;
    this.counts.set(key, count + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    };
  }
}
