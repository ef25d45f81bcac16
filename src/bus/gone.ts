import { EVERYBODY, INBOX_LANES } from "./bus";

/** How far the entries of an inbox are gone, lane by lane: the greatest number of any that is. */
export class Gone {
  private everybody: number;
  /** The other lanes, the one last taken from at the end. */
  private readonly lanes: { name: string; number: number }[] = [];

  /**
   * @param to number of the last entry that is gone, of whichever lane
   * @param others the same of the lanes that are not told apart
   */
  constructor(
    public to: number,
    private others = to,
  ) {
    this.everybody = to;
  }

  /** Notes that an entry is gone. */
  take(lane: string, number: number): void {
    this.to = Math.max(this.to, number);
    if (lane === EVERYBODY) {
      this.everybody = Math.max(this.everybody, number);
      return;
    }
    const place = this.lanes.findIndex(({ name }) => name === lane);
    const [known] = place < 0 ? [] : this.lanes.splice(place, 1);
    this.lanes.push({ name: lane, number: Math.max(known?.number ?? this.others, number) });
    const forgotten = this.lanes.length > INBOX_LANES ? this.lanes.shift() : undefined;
    if (forgotten) this.others = Math.max(this.others, forgotten.number);
  }

  /** Whether nothing of these lanes is gone that stood after a number. */
  passes(number: number, lanes: readonly string[]): boolean {
    return lanes.every((lane) => {
      if (lane === EVERYBODY) return number >= this.everybody;
      const known = this.lanes.find(({ name }) => name === lane);
      return number >= (known?.number ?? this.others);
    });
  }
}
