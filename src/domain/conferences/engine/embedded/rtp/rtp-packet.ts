/** The fields of an RTP header (RFC 3550 section 5.1) that forwarding needs. */
export interface RtpHeader {
  payloadType: number;
  sequence: number;
  timestamp: number;
  ssrc: number;
  /** Offset of the payload in the packet. */
  payloadStart: number;
  /** Offset after the payload, without padding. */
  payloadEnd: number;
}

const FIXED_BYTES = 12;

/** An empty header for {@link readRtp}. */
export const newRtpHeader = (): RtpHeader => ({
  payloadType: 0,
  sequence: 0,
  timestamp: 0,
  ssrc: 0,
  payloadStart: 0,
  payloadEnd: 0,
});

/** Whether a packet is RTCP: its type is 192 to 223 (RFC 5761 section 4). */
export function isRtcp(packet: Buffer): boolean {
  const type = packet[1] ?? 0;
  return packet.length >= 8 && type >= 192 && type <= 223;
}

/**
 * Reads the header of an RTP packet into an existing object, so that no packet allocates one.
 * @returns false for bytes that are no RTP packet
 */
export function readRtp(packet: Buffer, into: RtpHeader): boolean {
  const { length } = packet;
  const first = packet[0] ?? 0;
  if (length < FIXED_BYTES || first >> 6 !== 2 || isRtcp(packet)) return false;
  let start = FIXED_BYTES + (first & 0x0f) * 4;
  if (first & 0x10) {
    if (start + 4 > length) return false;
    start += 4 + packet.readUInt16BE(start + 2) * 4;
  }
  const end = first & 0x20 ? length - (packet[length - 1] ?? 0) : length;
  if (start > end) return false;
  into.payloadType = (packet[1] ?? 0) & 0x7f;
  into.sequence = packet.readUInt16BE(2);
  into.timestamp = packet.readUInt32BE(4);
  into.ssrc = packet.readUInt32BE(8);
  into.payloadStart = start;
  into.payloadEnd = end;
  return true;
}
