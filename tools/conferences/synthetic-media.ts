import {
  negativeAcknowledgement,
  receiverReport,
} from "../../src/domain/conferences/engine/embedded/rtp/rtcp-write";

/** Media of a synthetic peer: packets in the form of VP8 and Opus, with a mark of their sender. */

/** Bytes of the mark after the payload descriptor and the frame tag: sender, frame, index, count. */
const MARK_BYTES = 10;
/** Payload of a video packet at most, in bytes. */
const PAYLOAD_MAX = 1_150;

/** A packet of a watched track. */
export interface MarkedPacket {
  sender: number;
  frame: number;
  index: number;
  count: number;
  keyFrame: boolean;
}

/** Writes the packets of one outgoing stream. */
export class PacketWriter {
  private sequence: number;
  private timestamp: number;

  constructor(
    private readonly ssrc: number,
    private readonly payloadType: number,
    private readonly sender: number,
    sequence = 65_000,
  ) {
    this.sequence = sequence;
    this.timestamp = 4_294_900_000;
  }

  /** The packets of a video frame of about `bytes` bytes, after `units` of the clock. */
  video(frame: number, bytes: number, units: number, keyFrame: boolean): Buffer[] {
    this.timestamp = (this.timestamp + units) >>> 0;
    const count = Math.max(1, Math.ceil(bytes / PAYLOAD_MAX));
    return Array.from({ length: count }, (_, index) => {
      const payload = Buffer.alloc(Math.max(2 + MARK_BYTES, Math.round(bytes / count)));
      // The descriptor: start of the first partition. The frame tag: its first bit is 0 in a key frame.
      payload[0] = index === 0 ? 0x10 : 0x00;
      payload[1] = keyFrame ? 0x00 : 0x01;
      this.mark(payload, frame, index, count);
      return this.packet(payload, index === count - 1);
    });
  }

  /** One packet of audio. */
  audio(frame: number, bytes: number, units: number): Buffer {
    this.timestamp = (this.timestamp + units) >>> 0;
    const payload = Buffer.alloc(Math.max(2 + MARK_BYTES, bytes));
    // As in a delta frame: audio has no key frames.
    payload[1] = 0x01;
    this.mark(payload, frame, 0, 1);
    return this.packet(payload, false);
  }

  private mark(payload: Buffer, frame: number, index: number, count: number): void {
    payload.writeUInt32BE(this.sender, 2);
    payload.writeUInt32BE(frame, 6);
    payload[10] = index;
    payload[11] = count;
  }

  private packet(payload: Buffer, marker: boolean): Buffer {
    const header = Buffer.alloc(12);
    header[0] = 0x80;
    header[1] = (marker ? 0x80 : 0) | this.payloadType;
    header.writeUInt16BE(this.sequence, 2);
    header.writeUInt32BE(this.timestamp, 4);
    header.writeUInt32BE(this.ssrc, 8);
    this.sequence = (this.sequence + 1) & 0xffff;
    return Buffer.concat([header, payload]);
  }
}

/** Reads the mark of a packet. */
export function readMark(packet: Buffer): MarkedPacket {
  const payload = packet.subarray(headerLength(packet));
  return {
    sender: payload.readUInt32BE(2),
    frame: payload.readUInt32BE(6),
    index: payload[10] ?? 0,
    count: payload[11] ?? 0,
    keyFrame: ((payload[1] ?? 1) & 1) === 0,
  };
}

/** The packet that a retransmission carries (RFC 4588 section 4), of the stream with `ssrc`. */
export function retransmitted(packet: Buffer, ssrc: number): Buffer {
  const length = headerLength(packet);
  const original = Buffer.concat([packet.subarray(0, length), packet.subarray(length + 2)]);
  packet.copy(original, 2, length, length + 2);
  original.writeUInt32BE(ssrc, 8);
  return original;
}

/** Length of the header with its sources and extension (RFC 3550 section 5), which Janus may add. */
function headerLength(packet: Buffer): number {
  const first = packet[0] ?? 0;
  const fixed = 12 + 4 * (first & 0x0f);
  return (first & 0x10) === 0 || fixed + 4 > packet.length
    ? fixed
    : fixed + 4 + 4 * packet.readUInt16BE(fixed + 2);
}

/** What a watching peer has received in one media section. */
export interface TrackReport {
  mid: string;
  packets: number;
  /** Bytes of these packets. A repeated packet does not count: SRTP drops it. */
  bytes: number;
  /** The sender of the last packet, and all senders in the order of their first packet. */
  sender: number;
  senders: number[];
  /** SSRCs that were seen; one if the stream is continuous. */
  ssrcs: number;
  /** Sequence numbers that are missing, with all of them extended. */
  missing: number;
  /** Packets whose timestamp went back by more than a second in the order of sequence numbers. */
  timestampsBack: number;
  /** Frames of which every packet has arrived. */
  frames: number;
  /** Whether the first packet of each sender belonged to a key frame. */
  beganWithKeyFrame: boolean;
  /** When the last packet of the first key frame arrived, by {@link hostMilliseconds}; null for none, as of audio. */
  firstKeyFrameAt: number | null;
  /**
   * When the last packet arrived, and the first one after the last pause of half a second; {@link hostMilliseconds}.
   */
  lastPacketAt: number;
  resumedAt: number;
  senderReports: number;
}

/** Time without a packet after which a track counts as interrupted, in milliseconds. */
export const INTERRUPTED_MS = 500;

/** A clock that all processes of the host share, in milliseconds. */
export function hostMilliseconds(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Counts what arrives in one media section. */
export class TrackCounter {
  private readonly senders: number[] = [];
  private readonly ssrcs = new Set<number>();
  private readonly parts = new Map<string, number>();
  private packets = 0;
  private bytes = 0;
  private frames = 0;
  private first: number | null = null;
  private highest = 0;
  private highestTimestamp = 0;
  private timestampsBack = 0;
  private keyFrames = true;
  private firstKeyFrameAt: number | null = null;
  private lastSender = 0;
  private lastPacketAt = 0;
  private resumedAt = 0;
  private readonly seen = new Set<number>();
  private senderReports = 0;
  private lastSenderReport = { ntp: 0, at: 0 };
  private reported = { expected: 0, missing: 0 };
  private videoSsrc: number | null = null;

  receive(packet: Buffer): void {
    const type = packet[1] ?? 0;
    if (type >= 192 && type <= 223) {
      if (type === 200) {
        this.senderReports += 1;
        this.lastSenderReport = { ntp: packet.readUInt32BE(10), at: performance.now() };
      }
      return;
    }
    // A hostile participant publishes packets of any size.
    if (packet.length < headerLength(packet) + 2 + MARK_BYTES) return;
    const mark = readMark(packet);
    const sequence = packet.readUInt16BE(2);
    const timestamp = packet.readUInt32BE(4);
    this.ssrcs.add(packet.readUInt32BE(8));
    if (this.first === null) {
      this.first = sequence;
      this.highest = sequence;
      this.highestTimestamp = timestamp;
    }
    const extended = this.highest + (((sequence - (this.highest & 0xffff)) << 16) >> 16);
    if (this.seen.has(extended)) return;
    this.bytes += packet.length;
    // Audio has one packet for each frame.
    if (mark.count > 1) this.videoSsrc = packet.readUInt32BE(8);
    this.seen.add(extended);
    this.packets += 1;
    const now = hostMilliseconds();
    if (now - this.lastPacketAt > INTERRUPTED_MS) this.resumedAt = now;
    this.lastPacketAt = now;
    if (extended > this.highest) {
      this.highest = extended;
      if (((timestamp - this.highestTimestamp) | 0) < 0) this.timestampsBack += 1;
      this.highestTimestamp = timestamp;
    }
    if (mark.sender !== this.lastSender) {
      this.lastSender = mark.sender;
      if (!this.senders.includes(mark.sender)) this.senders.push(mark.sender);
      if (!mark.keyFrame) this.keyFrames = false;
    }
    const key = `${mark.sender}/${mark.frame}`;
    const parts = (this.parts.get(key) ?? 0) + 1;
    this.parts.set(key, parts);
    if (parts < mark.count) return;
    this.parts.delete(key);
    this.frames += 1;
    if (mark.keyFrame) this.firstKeyFrameAt ??= hostMilliseconds();
  }

  /** A receiver report (RFC 3550 section 6.4.2); null before the first packet. */
  receiverReport(): Buffer | null {
    const [ssrc] = this.ssrcs;
    if (this.first === null || ssrc === undefined) return null;
    const missing = this.missing();
    const expected = this.packets + missing;
    const before = this.reported;
    this.reported = { expected, missing };
    const { ntp, at } = this.lastSenderReport;
    return receiverReport({
      ssrc,
      fractionLost: Math.max(0, missing - before.missing) / (expected - before.expected || 1),
      lost: missing,
      highestSequence: this.highest,
      jitter: 0,
      lastSenderReport: ntp,
      delaySinceLast: ntp === 0 ? 0 : (performance.now() - at) * 65.536,
    });
  }

  /** A request of the last 255 packets of the stream; null before the first packet. */
  requestOfAll(): Buffer | null {
    const [ssrc] = this.ssrcs;
    if (ssrc === undefined) return null;
    const sequences = Array.from(
      { length: 255 },
      (_, index) => (this.highest - 254 + index) & 0xffff,
    );
    return negativeAcknowledgement(ssrc, sequences);
  }

  /** The SSRC of video that arrives and cannot be decoded for lack of a key frame; null if there is none. */
  get undecodable(): number | null {
    return this.firstKeyFrameAt === null ? this.videoSsrc : null;
  }

  report(mid: string): TrackReport {
    return {
      mid,
      packets: this.packets,
      bytes: this.bytes,
      sender: this.lastSender,
      senders: this.senders,
      ssrcs: this.ssrcs.size,
      missing: this.missing(),
      timestampsBack: this.timestampsBack,
      frames: this.frames,
      beganWithKeyFrame: this.keyFrames,
      firstKeyFrameAt: this.firstKeyFrameAt,
      lastPacketAt: this.lastPacketAt,
      resumedAt: this.resumedAt,
      senderReports: this.senderReports,
    };
  }

  private missing(): number {
    return this.first === null ? 0 : this.highest - this.first + 1 - this.packets;
  }
}
