import { EVERYBODY, INBOX_LANES } from "./bus";

/** Up to which number the entries of an inbox are gone, in each partition. */
export class Gone {
  private defaultPartition: number;
  /** The other tracked partitions, the most recently trimmed one last. */
  private readonly partitions: { name: string; number: number }[] = [];

  /**
   * @param to number of the last entry that is gone, in any partition
   * @param untracked the same for the partitions that are not tracked
   */
  constructor(
    public to: number,
    private untracked = to,
  ) {
    this.defaultPartition = to;
  }

  /** Records that an entry is gone. */
  take(lane: string, number: number): void {
    this.to = Math.max(this.to, number);
    if (lane === EVERYBODY) {
      this.defaultPartition = Math.max(this.defaultPartition, number);
      return;
    }
    const index = this.partitions.findIndex(({ name }) => name === lane);
    const [known] = index < 0 ? [] : this.partitions.splice(index, 1);
    this.partitions.push({ name: lane, number: Math.max(known?.number ?? this.untracked, number) });
    const evicted = this.partitions.length > INBOX_LANES ? this.partitions.shift() : undefined;
    if (evicted) this.untracked = Math.max(this.untracked, evicted.number);
  }

  /** Whether no entry of these partitions after a number is gone. */
  passes(number: number, lanes: readonly string[]): boolean {
    return lanes.every((lane) => {
      if (lane === EVERYBODY) return number >= this.defaultPartition;
      const known = this.partitions.find(({ name }) => name === lane);
      return number >= (known?.number ?? this.untracked);
    });
  }
}
