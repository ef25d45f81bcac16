/** Calls that wait for a slow reader at most. */
export const WAITING_MAX = 1_000;

/**
 * Ids of calls that changed, for one reader at its own pace. A call that changes again while it waits
 * keeps its place and is read once, so what waits is no more than there are calls. Beyond
 * {@link WAITING_MAX} the calls that have waited longest are left out: whoever makes many calls to a
 * user neither ends the reader nor makes it keep more.
 */
export class WaitingCalls {
  private readonly ids = new Set<number>();
  private waiting: ((id: number | null) => void) | null = null;
  private ended = false;

  /** @param onEnd called once, when the reader has left */
  constructor(private readonly onEnd: () => void) {}

  /** Tells the reader that a call changed, now or when it asks. */
  add(id: number): void {
    if (this.ended) return;
    if (this.waiting) {
      this.waiting(id);
      this.waiting = null;
      return;
    }
    this.ids.add(id);
    const [longest] = this.ids;
    if (this.ids.size > WAITING_MAX && longest !== undefined) this.ids.delete(longest);
  }

  /** The call that has waited longest, once there is one; null after the end. */
  next(): Promise<number | null> {
    if (this.ended) return Promise.resolve(null);
    const [id] = this.ids;
    if (id === undefined) {
      return new Promise((resolve) => {
        this.waiting = resolve;
      });
    }
    this.ids.delete(id);
    return Promise.resolve(id);
  }

  /** Ends the reading. */
  close(): void {
    if (this.ended) return;
    this.ended = true;
    this.ids.clear();
    this.waiting?.(null);
    this.waiting = null;
    this.onEnd();
  }
}
