import { sequenceDistance } from "./sequence";

/** SSRC of the SFU as the sender of RTCP. It sends no media under it. */
const OWN_SSRC = 1;

/** The header of an RTCP packet with the sender's SSRC; `length` bytes in all, a multiple of 4. */
function begin(length: number, count: number, type: number, ssrc = OWN_SSRC): Buffer {
  const packet = Buffer.alloc(length);
  packet[0] = 0x80 | count;
  packet[1] = type;
  packet.writeUInt16BE(length / 4 - 1, 2);
  packet.writeUInt32BE(ssrc, 4);
  return packet;
}

/** A picture loss indication (RFC 4585 section 6.3.1): asks for a key frame. */
export function pictureLoss(mediaSsrc: number): Buffer {
  const packet = begin(12, 1, 206);
  packet.writeUInt32BE(mediaSsrc, 8);
  return packet;
}

/** A receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03): caps what the sender of a stream sends. */
export function maximumBitrate(mediaSsrc: number, bitsPerSecond: number): Buffer {
  const packet = begin(24, 15, 206);
  packet.write("REMB", 12, "latin1");
  let exponent = 0;
  let mantissa = Math.max(0, Math.floor(bitsPerSecond));
  while (mantissa > 0x3ffff) {
    mantissa = Math.floor(mantissa / 2);
    exponent += 1;
  }
  packet.writeUInt32BE(((1 << 24) | (exponent << 18) | mantissa) >>> 0, 16);
  packet.writeUInt32BE(mediaSsrc, 20);
  return packet;
}

/** A generic NACK (RFC 4585 section 6.2.1): requests packets again. @param sequences ascending, not empty */
export function negativeAcknowledgement(mediaSsrc: number, sequences: readonly number[]): Buffer {
  const pairs: Array<[first: number, following: number]> = [];
  for (const sequence of sequences) {
    const last = pairs.at(-1);
    const distance = last ? sequenceDistance(last[0], sequence) : 0;
    if (last && distance >= 1 && distance <= 16) last[1] |= 1 << (distance - 1);
    else pairs.push([sequence, 0]);
  }
  const packet = begin(12 + 4 * pairs.length, 1, 205);
  packet.writeUInt32BE(mediaSsrc, 8);
  for (const [index, [first, following]] of pairs.entries()) {
    packet.writeUInt16BE(first, 12 + 4 * index);
    packet.writeUInt16BE(following, 14 + 4 * index);
  }
  return packet;
}

/** What a receiver reports on a stream (RFC 3550 section 6.4.2). */
export interface ReceptionReport {
  ssrc: number;
  /** Share of packets lost since the last report, 0 to 1. */
  fractionLost: number;
  /** Packets lost in all. */
  lost: number;
  /** Extended number of the highest sequence. */
  highestSequence: number;
  /** In clock units. */
  jitter: number;
  /** The middle 32 bits of the NTP time of the last sender report; 0 if none has come. */
  lastSenderReport: number;
  /** Time since then in units of 1/65536 s. */
  delaySinceLast: number;
}

/** A receiver report on one stream. */
export function receiverReport(report: ReceptionReport): Buffer {
  const packet = begin(32, 1, 201);
  packet.writeUInt32BE(report.ssrc, 8);
  packet[12] = Math.min(255, Math.floor(report.fractionLost * 256));
  packet.writeIntBE(Math.min(0x7fffff, Math.max(0, report.lost)), 13, 3);
  packet.writeUInt32BE(report.highestSequence >>> 0, 16);
  packet.writeUInt32BE(Math.floor(report.jitter) >>> 0, 20);
  packet.writeUInt32BE(report.lastSenderReport >>> 0, 24);
  packet.writeUInt32BE(Math.floor(report.delaySinceLast) >>> 0, 28);
  return packet;
}

/** A sender report without report blocks (RFC 3550 section 6.4.1). Counts are of this stream since its beginning. */
export function senderReport(report: {
  ssrc: number;
  ntpHigh: number;
  ntpLow: number;
  timestamp: number;
  packets: number;
  bytes: number;
}): Buffer {
  const packet = begin(28, 0, 200, report.ssrc);
  packet.writeUInt32BE(report.ntpHigh, 8);
  packet.writeUInt32BE(report.ntpLow, 12);
  packet.writeUInt32BE(report.timestamp >>> 0, 16);
  packet.writeUInt32BE(report.packets >>> 0, 20);
  packet.writeUInt32BE(report.bytes >>> 0, 24);
  return packet;
}
