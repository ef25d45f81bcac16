import {
  maximumBitrate,
  negativeAcknowledgement,
  pictureLoss,
  receiverReport,
  senderReport,
} from "../../src/domain/conferences/engine/embedded/rtp/rtcp-write";
import { corrupt, type Random } from "../../tools/seeded-random";
import { chance, pick, several } from "./random";

/** Packet types of RTCP (RFC 5761 section 4). */
const RTCP_TYPES = { first: 192, count: 32 };
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
/** One chunk with one item, `CNAME` "c". */
const VALID_DESCRIPTION = Buffer.from("81ca00020000000101016300", "hex");

/** Random bytes. */
const noise = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => random(256)));

const word = (random: Random) => (random(0x10000) * 0x10000 + random(0x10000)) >>> 0;

/** A packet of RTP with any payload type, sources, extension and padding; some are malformed. */
export function rtpPacket(random: Random, ssrcs: readonly number[]): Buffer {
  const sources = chance(random, 80) ? 0 : random(16);
  const extended = chance(random, 25);
  const padded = chance(random, 15);
  const header = Buffer.alloc(12);
  header[0] = 0x80 | (padded ? 0x20 : 0) | (extended ? 0x10 : 0) | sources;
  header[1] = random(256);
  header.writeUInt16BE(random(0x10000), 2);
  header.writeUInt32BE(word(random), 4);
  header.writeUInt32BE(ssrcOf(random, ssrcs), 8);
  const words = random(6);
  const extension = extended
    ? Buffer.concat([Buffer.from([0xbe, 0xde, 0, words]), noise(random, 4 * words)])
    : Buffer.alloc(0);
  const payload = noise(random, chance(random, 90) ? random(80) : random(1_400));
  if (padded && payload.length > 0) payload[payload.length - 1] = random(payload.length + 3);
  const packet = Buffer.concat([header, noise(random, 4 * sources), extension, payload]);
  return chance(random, 15) ? corrupt(random, packet) : packet;
}

/** A packet of RTCP: one or several of any type, some of them malformed. */
export function rtcpPacket(random: Random, ssrcs: readonly number[]): Buffer {
  const count = chance(random, 60) ? 1 : 1 + random(30);
  let packet: Buffer = Buffer.concat(several(random, count, count, () => rtcpPart(random, ssrcs)));
  if (chance(random, 30)) packet = corrupt(random, packet);
  if (chance(random, 5)) packet = packet.subarray(0, random(packet.length));
  // A shorter one is no RTCP for the client's library.
  return packet.length < 8 ? Buffer.concat([packet, Buffer.alloc(8)]) : packet.subarray(0, 1_300);
}

function rtcpPart(random: Random, ssrcs: readonly number[]): Buffer {
  const ssrc = ssrcOf(random, ssrcs);
  const kind = random(10);
  if (kind === 0) return pictureLoss(ssrc);
  if (kind === 1)
    return negativeAcknowledgement(
      ssrc,
      several(random, 1, 40, () => random(0x10000)),
    );
  if (kind === 2) return maximumBitrate(ssrc, word(random));
  if (kind === 3) {
    const [ntpHigh, ntpLow, timestamp] = [word(random), word(random), word(random)];
    return senderReport({ ssrc, ntpHigh, ntpLow, timestamp, packets: random(1_000), bytes: 1 });
  }
  if (kind === 4) {
    return receiverReport({
      ssrc,
      fractionLost: random(256) / 256,
      lost: random(1_000),
      highestSequence: word(random),
      jitter: word(random),
      lastSenderReport: word(random),
      delaySinceLast: word(random),
    });
  }
  if (kind === 5) return VALID_DESCRIPTION;
  return anyPart(random, ssrc, ssrcs);
}

/** Any type, any count, and a length that is right, or close to it, or any. */
function anyPart(random: Random, ssrc: number, ssrcs: readonly number[]): Buffer {
  const words = random(20);
  const part = Buffer.concat([Buffer.alloc(8), noise(random, 4 * words)]);
  part[0] = (chance(random, 95) ? 0x80 : random(4) << 6) | random(64);
  part[1] = chance(random, 70)
    ? pick(random, [200, 201, SOURCE_DESCRIPTION, GOODBYE, 204, 205, 206, 207])
    : RTCP_TYPES.first + random(RTCP_TYPES.count);
  const off = chance(random, 85) ? 0 : chance(random, 50) ? random(5) - 2 : random(0x10000);
  part.writeUInt16BE(Math.max(0, words + 1 + off) & 0xffff, 2);
  part.writeUInt32BE(ssrc, 4);
  if (words > 0) part.writeUInt32BE(ssrcOf(random, ssrcs), 8);
  // A bitrate estimate whose count of streams may be wrong.
  if (part[1] === 206 && words > 3 && chance(random, 50)) {
    part[0] = 0x8f;
    part.write("REMB", 12, "latin1");
  }
  return part;
}

const ssrcOf = (random: Random, ssrcs: readonly number[]) =>
  ssrcs.length > 0 && chance(random, 85) ? pick(random, ssrcs) : word(random);
