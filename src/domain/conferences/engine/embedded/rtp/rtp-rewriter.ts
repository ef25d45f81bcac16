import { RECENT_PACKETS } from "./recent-packets";
import type { RtpHeader } from "./rtp-packet";
import { SequenceExtender } from "./sequence";

/** The stream that a receiver sees. */
export interface OutgoingStream {
  ssrc: number;
  payloadType: number;
  /** Units of the RTP timestamp per second. */
  clockRate: number;
}

/**
 * Rewrites the headers of changing sources to one continuous stream. Between {@link release} and the next packet the
 * source may change or pause: sequence numbers continue without a gap, and timestamps by the time that has passed.
 */
export class RtpRewriter {
  private source: SequenceExtender | null = null;
  /** Extended number of the first packet of this source. */
  private firstSequence = 0;
  /** Extended number of its newest packet. */
  private newestSequence = 0;
  /** Outgoing sequence number of the first packet of this source. */
  private startSequence: number;
  private timestampOffset = 0;
  private nextSequence: number;
  private lastTimestamp: number;
  private lastSentAt: number | null = null;
  /** Packets and payload bytes that were sent, for sender reports. */
  packets = 0;
  bytes = 0;

  /** @param start the first sequence number and timestamp, which should be random (RFC 3550 section 5.1) */
  constructor(
    private readonly stream: OutgoingStream,
    start: { sequence: number; timestamp: number },
  ) {
    this.nextSequence = start.sequence & 0xffff;
    this.startSequence = this.nextSequence;
    this.lastTimestamp = start.timestamp >>> 0;
  }

  /** Whether packets of the current source have been sent. */
  get attached(): boolean {
    return this.source !== null;
  }

  /** Ends the current source. */
  release(): void {
    this.source = null;
  }

  /**
   * Rewrites a packet in place.
   * @param header the packet's header as it was received
   * @param now in milliseconds
   * @returns false for a packet from before the first one of this source, which must not be sent
   */
  rewrite(packet: Buffer, header: RtpHeader, now: number): boolean {
    this.source ??= this.attach(header, now);
    const extended = this.source.extend(header.sequence);
    const distance = extended - this.firstSequence;
    if (distance < 0) return false;
    const sequence = (this.startSequence + distance) & 0xffff;
    const timestamp = (header.timestamp + this.timestampOffset) >>> 0;
    this.write(packet, sequence, timestamp);
    // Packets that come late, such as retransmitted ones, change neither.
    if (((sequence - this.nextSequence) & 0xffff) < 0x8000) {
      this.nextSequence = (sequence + 1) & 0xffff;
      this.newestSequence = extended;
      this.lastTimestamp = timestamp;
      this.lastSentAt = now;
    }
    this.packets += 1;
    this.bytes += header.payloadEnd - header.payloadStart;
    return true;
  }

  /**
   * The source's sequence number of an outgoing one; null if it is not of the last {@link RECENT_PACKETS}, or from
   * before the first packet of this source.
   */
  sourceOf(sequence: number): number | null {
    if (!this.source) return null;
    const age = (this.nextSequence - 1 - sequence) & 0xffff;
    const extended = this.newestSequence - age;
    return age < RECENT_PACKETS && extended >= this.firstSequence ? extended & 0xffff : null;
  }

  /** Rewrites a packet that is sent again. @param timestamp of the source @param sequence of the outgoing stream */
  repeat(packet: Buffer, timestamp: number, sequence: number): void {
    this.write(packet, sequence, this.mapTimestamp(timestamp));
  }

  /** The outgoing timestamp for one of the current source. */
  mapTimestamp(timestamp: number): number {
    return (timestamp + this.timestampOffset) >>> 0;
  }

  private write(packet: Buffer, sequence: number, timestamp: number): void {
    packet[1] = ((packet[1] ?? 0) & 0x80) | this.stream.payloadType;
    packet.writeUInt16BE(sequence, 2);
    packet.writeUInt32BE(timestamp, 4);
    packet.writeUInt32BE(this.stream.ssrc, 8);
  }

  private attach(header: RtpHeader, now: number): SequenceExtender {
    const source = new SequenceExtender();
    this.firstSequence = source.extend(header.sequence);
    this.newestSequence = this.firstSequence;
    this.startSequence = this.nextSequence;
    const elapsed = this.lastSentAt === null ? 0 : now - this.lastSentAt;
    const units = Math.max(1, Math.round((elapsed * this.stream.clockRate) / 1000));
    this.timestampOffset = this.lastTimestamp + units - header.timestamp;
    return source;
  }
}
