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
  /** A picture loss indication (RFC 4585 section 6.3.1) or a full intra request (RFC 5104 section 4.3.1). */
  | { type: "key-frame-request" }
  /** Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03), in bits per second. */
  | { type: "bitrate-estimate"; bitsPerSecond: number };

/** Maximum number of items that are read from one packet. */
export const RTCP_ITEMS_MAX = 64;

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
  } else if (type === 206 && (count === 1 || count === 4)) {
    items.push({ type: "key-frame-request" });
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
    items.push({
      type: "report",
      ssrc: packet.readUInt32BE(at),
      fractionLost: (packet[at + 4] ?? 0) / 256,
      lastSenderReport: packet.readUInt32BE(at + 16),
      delaySinceLast: packet.readUInt32BE(at + 20),
    });
  }
}
