import { SequenceExtender } from "./sequence";

/** Maximum number of missing packets that are requested again; beyond it, a key frame is cheaper. */
export const MISSING_MAX = 128;
/** Time between two requests of a packet, in milliseconds. */
export const RETRY_MS = 40;
/** Maximum number of requests of a packet. */
export const TRIES_MAX = 10;
/** Time after which a packet is no longer requested, in milliseconds. */
const GIVE_UP_MS = 1_000;

interface Missing {
  since: number;
  tries: number;
  lastTry: number;
}

/** Finds gaps in the sequence numbers of a stream, and which packets to request again. Bounded. */
export class MissingPackets {
  private readonly sequences = new SequenceExtender();
  private readonly missing = new Map<number, Missing>();
  private first: number | null = null;
  private highest = 0;
  private received = 0;
  private lastExpected = 0;
  private lastReceived = 0;

  /** Records a packet. @param now in milliseconds */
  receive(sequence: number, now: number): void {
    const extended = this.sequences.extend(sequence);
    if (this.first === null) {
      this.first = extended;
      this.highest = extended;
    }
    this.received += 1;
    if (extended <= this.highest) {
      this.missing.delete(extended);
      return;
    }
    const gap = extended - this.highest - 1;
    if (gap > MISSING_MAX) {
      this.missing.clear();
    } else {
      for (let each = this.highest + 1; each < extended; each += 1) {
        this.missing.set(each, { since: now, tries: 0, lastTry: Number.NEGATIVE_INFINITY });
      }
      for (const oldest of this.missing.keys()) {
        if (this.missing.size <= MISSING_MAX) break;
        this.missing.delete(oldest);
      }
    }
    this.highest = extended;
  }

  /** The 16-bit sequence numbers to request now, ascending. Packets that never came are given up. */
  due(now: number): number[] {
    const due: number[] = [];
    for (const [sequence, state] of this.missing) {
      if (state.tries >= TRIES_MAX || now - state.since > GIVE_UP_MS) {
        this.missing.delete(sequence);
      } else if (now - state.lastTry >= RETRY_MS) {
        state.tries += 1;
        state.lastTry = now;
        due.push(sequence & 0xffff);
      }
    }
    return due;
  }

  /** Extended number of the highest sequence, the packets that were expected up to it, and those that are lost. */
  totals(): { highest: number; expected: number; lost: number } {
    const expected = this.expected();
    return { highest: this.highest, expected, lost: Math.max(0, expected - this.received) };
  }

  /** Share of lost packets since the last call, 0 to 1. Retransmitted packets are not lost. */
  takeLoss(): number {
    const expected = this.expected();
    const interval = expected - this.lastExpected;
    const lost = interval - (this.received - this.lastReceived);
    this.lastExpected = expected;
    this.lastReceived = this.received;
    return interval > 0 ? Math.min(1, Math.max(0, lost / interval)) : 0;
  }

  private expected(): number {
    return this.first === null ? 0 : this.highest - this.first + 1;
  }
}
