/** What participants are opening: a limit that counts only what is open does not hold for requests at the same time. */
export class OpeningCounts {
  private readonly counts = new Map<number, number>();

  /** Number of things that a participant is opening. */
  of(participantId: number): number {
    return this.counts.get(participantId) ?? 0;
  }

  /** The participants who are opening something. */
  participants(): number[] {
    return [...this.counts.keys()];
  }

  /** Opens something, which counts until it is open or has failed. */
  async during<T>(participantId: number, open: () => Promise<T>): Promise<T> {
    this.counts.set(participantId, this.of(participantId) + 1);
    try {
      return await open();
    } finally {
      const others = this.of(participantId) - 1;
      if (others > 0) this.counts.set(participantId, others);
      else this.counts.delete(participantId);
    }
  }
}
