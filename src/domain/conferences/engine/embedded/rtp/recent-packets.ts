import type { RtpHeader } from "./rtp-packet";

/** Packets that are kept of each incoming video, to be sent again: 3 s of 600 kbit/s. */
export const RECENT_PACKETS = 256;
/** Maximum size of a packet that is kept, in bytes; no packet of a browser is larger. */
export const RECENT_PACKET_BYTES = 1_500;

/** A packet that was received. */
export interface RecentPacket {
  /** A view of the buffer, whose header may be rewritten, until the next packet is stored. */
  packet: Buffer;
  /** The timestamp of its source. */
  timestamp: number;
}

/**
 * The last packets of an incoming video, for all who watch it. They are copied into one buffer of 384 KB, which exists
 * only once a packet was stored.
 */
export class RecentPackets {
  private readonly sequences = new Int32Array(RECENT_PACKETS).fill(-1);
  private readonly timestamps = new Uint32Array(RECENT_PACKETS);
  private readonly lengths = new Uint16Array(RECENT_PACKETS);
  private bytes: Buffer | null = null;

  /** Keeps a packet in place of the one that is {@link RECENT_PACKETS} older. */
  store(packet: Buffer, { sequence, timestamp }: RtpHeader): void {
    const place = sequence % RECENT_PACKETS;
    if (packet.length > RECENT_PACKET_BYTES) {
      this.sequences[place] = -1;
      return;
    }
    this.bytes ??= Buffer.alloc(RECENT_PACKETS * RECENT_PACKET_BYTES);
    packet.copy(this.bytes, place * RECENT_PACKET_BYTES);
    this.sequences[place] = sequence;
    this.timestamps[place] = timestamp;
    this.lengths[place] = packet.length;
  }

  /** A kept packet. @param sequence of its source */
  find(sequence: number): RecentPacket | null {
    const place = sequence % RECENT_PACKETS;
    if (!this.bytes || this.sequences[place] !== sequence) return null;
    const start = place * RECENT_PACKET_BYTES;
    return {
      packet: this.bytes.subarray(start, start + (this.lengths[place] ?? 0)),
      timestamp: this.timestamps[place] ?? 0,
    };
  }

  /** Forgets all packets. */
  clear(): void {
    this.sequences.fill(-1);
  }
}
