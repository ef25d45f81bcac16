/**
 * Whether an RTP payload is the beginning of a VP8 key frame: the payload descriptor of RFC 7741 section 4.2, then
 * the first bit of the frame tag (RFC 6386 section 9.1).
 */
export function startsVp8KeyFrame(packet: Buffer, start: number, end: number): boolean {
  if (start >= end) return false;
  const first = packet[start] ?? 0;
  // S: start of a partition. PID: the first partition.
  if (!(first & 0x10) || first & 0x07) return false;
  let at = start + 1;
  if (first & 0x80) {
    const extension = packet[at] ?? 0;
    at += 1;
    // The picture ID has one byte, or two if its first bit is set.
    if (extension & 0x80) at += (packet[at] ?? 0) & 0x80 ? 2 : 1;
    if (extension & 0x40) at += 1;
    if (extension & 0x30) at += 1;
  }
  return at < end && ((packet[at] ?? 0) & 0x01) === 0;
}
