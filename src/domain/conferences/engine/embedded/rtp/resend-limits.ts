import { RECENT_PACKETS } from "./recent-packets";

/** Maximum number of times that a packet is sent again. */
export const RESENDS_MAX = 3;
/** Minimum time between two of them, in milliseconds, however short the round trip is. */
export const ROUND_TRIP_MIN_MS = 20;
/** The round trip while the receiver has reported none, in milliseconds. */
export const ROUND_TRIP_DEFAULT_MS = 100;
/** Bytes that are sent again at most, as a share of the bytes that are sent. */
export const RESEND_SHARE = 1 / 4;
/** Bytes that may be sent again beyond that share, so that a stream recovers from its beginning. */
export const RESEND_BURST_BYTES = 32_768;

/**
 * What one outgoing video may send again: a packet at most once per round trip and {@link RESENDS_MAX} times in all, and
 * all packets together within {@link RESEND_SHARE} of what was sent. Whatever its receiver requests costs no more.
 */
export class ResendLimits {
  private packets: { sequences: Int32Array; times: Float64Array; counts: Uint8Array } | null = null;
  private credit = RESEND_BURST_BYTES;

  /** Records a packet that was sent for the first time. */
  sent(bytes: number): void {
    this.credit = Math.min(RESEND_BURST_BYTES, this.credit + bytes * RESEND_SHARE);
  }

  /**
   * Whether a packet may be sent again, which then counts.
   * @param sequence of the outgoing stream, one of its last {@link RECENT_PACKETS}
   * @param now in milliseconds
   * @param roundTripMs as the receiver reported it; null for unknown
   */
  allow(sequence: number, bytes: number, now: number, roundTripMs: number | null): boolean {
    if (bytes > this.credit) return false;
    // Most streams lose nothing.
    this.packets ??= {
      sequences: new Int32Array(RECENT_PACKETS).fill(-1),
      times: new Float64Array(RECENT_PACKETS),
      counts: new Uint8Array(RECENT_PACKETS),
    };
    const { sequences, times, counts } = this.packets;
    const place = sequence % RECENT_PACKETS;
    const count = sequences[place] === sequence ? (counts[place] ?? 0) : 0;
    const interval = Math.max(ROUND_TRIP_MIN_MS, roundTripMs ?? ROUND_TRIP_DEFAULT_MS);
    if (count >= RESENDS_MAX || (count > 0 && now - (times[place] ?? 0) < interval)) return false;
    sequences[place] = sequence;
    times[place] = now;
    counts[place] = count + 1;
    this.credit -= bytes;
    return true;
  }
}
