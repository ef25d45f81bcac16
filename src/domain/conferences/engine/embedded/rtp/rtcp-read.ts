/** What the SFU reads from RTCP. */
export type RtcpItem =
  /** RFC 3550 section 6.4.1. The NTP time has two 32-bit words. */
  | { type: "sender-report"; ssrc: number; ntpHigh: number; ntpLow: number; timestamp: number }
  /** A report block on a stream. `fractionLost` is 0 to 1; the other two have units of 1/65536 s. */
  | {
      type: "report";
      ssrc: number;
      fractionLost: number;
      lastSenderReport: number;
      delaySinceLast: number;
    }
  /** A picture loss indication (RFC 4585 section 6.3.1) or a full intra request (RFC 5104 section 4.3.1) for a stream. */
  | { type: "key-frame-request"; ssrc: number }
  /** A generic NACK (RFC 4585 section 6.2.1): the 16-bit sequence numbers that a receiver of the stream misses. */
  | { type: "missing-packets"; ssrc: number; sequences: number[] }
  /** Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03), in bits per second. */
  | { type: "bitrate-estimate"; bitsPerSecond: number };

/** Maximum number of items that are read from one packet. */
export const RTCP_ITEMS_MAX = 64;
/** Maximum number of missing packets that are read from one packet. */
export const RTCP_MISSING_MAX = 256;

const REMB = 0x52454d42;

/** Reads a compound RTCP packet as far as it is well-formed. Items of other types are skipped. */
export function readRtcp(packet: Buffer): RtcpItem[] {
  const items: RtcpItem[] = [];
  let start = 0;
  while (start + 8 <= packet.length && items.length < RTCP_ITEMS_MAX) {
    const first = packet[start] ?? 0;
    const end = start + 4 + packet.readUInt16BE(start + 2) * 4;
    if (first >> 6 !== 2 || end > packet.length) break;
    readItem(packet, start, end, items);
    start = end;
  }
  return items;
}

function readItem(packet: Buffer, start: number, end: number, items: RtcpItem[]): void {
  const count = (packet[start] ?? 0) & 0x1f;
  const type = packet[start + 1];
  if (type === 200 && start + 28 <= end) {
    items.push({
      type: "sender-report",
      ssrc: packet.readUInt32BE(start + 4),
      ntpHigh: packet.readUInt32BE(start + 8),
      ntpLow: packet.readUInt32BE(start + 12),
      timestamp: packet.readUInt32BE(start + 16),
    });
    readReports(packet, start + 28, end, count, items);
  } else if (type === 201) {
    readReports(packet, start + 8, end, count, items);
  } else if (type === 205 && count === 1) {
    readMissing(packet, start, end, items);
  } else if (type === 206 && count === 1 && start + 12 <= end) {
    items.push({ type: "key-frame-request", ssrc: packet.readUInt32BE(start + 8) });
  } else if (type === 206 && count === 4) {
    for (let at = start + 12; at + 8 <= end && items.length < RTCP_ITEMS_MAX; at += 8) {
      items.push({ type: "key-frame-request", ssrc: packet.readUInt32BE(at) });
    }
  } else if (type === 206 && count === 15 && start + 20 <= end) {
    if (packet.readUInt32BE(start + 12) !== REMB) return;
    const exponent = (packet[start + 17] ?? 0) >> 2;
    const mantissa = packet.readUInt32BE(start + 16) & 0x3ffff;
    items.push({ type: "bitrate-estimate", bitsPerSecond: mantissa * 2 ** exponent });
  }
}

function readReports(
  packet: Buffer,
  start: number,
  end: number,
  count: number,
  items: RtcpItem[],
): void {
  for (let at = start; count > 0 && at + 24 <= end; at += 24, count -= 1) {
    if (items.length >= RTCP_ITEMS_MAX) return;
    items.push({
      type: "report",
      ssrc: packet.readUInt32BE(at),
      fractionLost: (packet[at + 4] ?? 0) / 256,
      lastSenderReport: packet.readUInt32BE(at + 16),
      delaySinceLast: packet.readUInt32BE(at + 20),
    });
  }
}

/** Each entry has the first missing packet, and a mask of the 16 that follow it. */
function readMissing(packet: Buffer, start: number, end: number, items: RtcpItem[]): void {
  if (start + 16 > end) return;
  let read = 0;
  for (const item of items) if (item.type === "missing-packets") read += item.sequences.length;
  const sequences: number[] = [];
  for (let at = start + 12; at + 4 <= end; at += 4) {
    const first = packet.readUInt16BE(at);
    const following = packet.readUInt16BE(at + 2);
    for (let bit = 0; bit <= 16; bit += 1) {
      if (bit > 0 && !((following >> (bit - 1)) & 1)) continue;
      if (read + sequences.length >= RTCP_MISSING_MAX) break;
      sequences.push((first + bit) & 0xffff);
    }
  }
  if (sequences.length === 0) return;
  items.push({ type: "missing-packets", ssrc: packet.readUInt32BE(start + 8), sequences });
}
