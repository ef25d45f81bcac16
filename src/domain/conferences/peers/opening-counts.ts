/** What members are opening: a limit that counts only what is open does not hold for requests at the same time. */
export class OpeningCounts {
  private readonly counts = new Map<number, number>();

  /** Number of things that a member is opening. */
  of(memberId: number): number {
    return this.counts.get(memberId) ?? 0;
  }

  /** The members who are opening something. */
  members(): number[] {
    return [...this.counts.keys()];
  }

  /** Opens something, which counts until it is open or has failed. */
  async during<T>(memberId: number, open: () => Promise<T>): Promise<T> {
    this.counts.set(memberId, this.of(memberId) + 1);
    try {
      return await open();
    } finally {
      const others = this.of(memberId) - 1;
      if (others > 0) this.counts.set(memberId, others);
      else this.counts.delete(memberId);
    }
  }
}
