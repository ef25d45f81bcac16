/** Signed distance from one RTP sequence number to another, -32768 to 32767, across the wrap-around. */
export function sequenceDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16;
}

/** Extends 16-bit sequence numbers (RFC 3550 appendix A.1) to numbers that only grow. */
export class SequenceExtender {
  private highest: number | null = null;

  /** The extended number of a packet. Numbers before the first packet are negative or small. */
  extend(sequence: number): number {
    if (this.highest === null) {
      this.highest = sequence;
      return sequence;
    }
    const extended = this.highest + sequenceDistance(this.highest & 0xffff, sequence);
    if (extended > this.highest) this.highest = extended;
    return extended;
  }
}
