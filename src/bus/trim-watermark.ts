import { DEFAULT_PARTITION, INBOX_PARTITIONS_MAX } from "./bus";

/** Up to which number the entries of an inbox are gone, in each partition. */
export class TrimWatermark {
  private defaultPartition: number;
  /** The other tracked partitions, the most recently trimmed one last. */
  private readonly partitions: { name: string; number: number }[] = [];

  /**
   * @param highest number of the last entry that is gone, in any partition
   * @param untracked the same for the partitions that are not tracked
   */
  constructor(
    public highest: number,
    private untracked = highest,
  ) {
    this.defaultPartition = highest;
  }

  /** Records that an entry is gone. */
  advance(partition: string, number: number): void {
    this.highest = Math.max(this.highest, number);
    if (partition === DEFAULT_PARTITION) {
      this.defaultPartition = Math.max(this.defaultPartition, number);
      return;
    }
    const index = this.partitions.findIndex(({ name }) => name === partition);
    const [known] = index < 0 ? [] : this.partitions.splice(index, 1);
    this.partitions.push({
      name: partition,
      number: Math.max(known?.number ?? this.untracked, number),
    });
    const evicted =
      this.partitions.length > INBOX_PARTITIONS_MAX ? this.partitions.shift() : undefined;
    if (evicted) this.untracked = Math.max(this.untracked, evicted.number);
  }

  /** Whether no entry of these partitions after a number is gone. */
  isCompleteAfter(number: number, partitions: readonly string[]): boolean {
    return partitions.every((partition) => {
      if (partition === DEFAULT_PARTITION) return number >= this.defaultPartition;
      const known = this.partitions.find(({ name }) => name === partition);
      return number >= (known?.number ?? this.untracked);
    });
  }
}
