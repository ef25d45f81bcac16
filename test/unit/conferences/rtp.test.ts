import {
  MISSING_MAX,
  MissingPackets,
  TRIES_MAX,
} from "../../../src/domain/conferences/engine/embedded/rtp/missing-packets";
import {
  RTCP_ITEMS_MAX,
  RTCP_MISSING_MAX,
  type RtcpItem,
  readRtcp,
} from "../../../src/domain/conferences/engine/embedded/rtp/rtcp-read";
import {
  maximumBitrate,
  negativeAcknowledgement,
  pictureLoss,
  receiverReport,
  senderReport,
} from "../../../src/domain/conferences/engine/embedded/rtp/rtcp-write";
import {
  isRtcp,
  newRtpHeader,
  readRtp,
} from "../../../src/domain/conferences/engine/embedded/rtp/rtp-packet";
import { RtpRewriter } from "../../../src/domain/conferences/engine/embedded/rtp/rtp-rewriter";
import {
  SequenceExtender,
  sequenceDistance,
} from "../../../src/domain/conferences/engine/embedded/rtp/sequence";
import { startsVp8KeyFrame } from "../../../src/domain/conferences/engine/embedded/rtp/vp8";
import { corrupt, seededRandom } from "../../../tools/seeded-random";

/** RTP and RTCP of the embedded engine: reading, writing, rewriting, lost packets. */

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

/** A packet with a payload of four bytes. */
function packet(sequence: number, timestamp = 0, ssrc = 7, more = ""): Buffer {
  const bytes = hex(`80 e0 0000 00000000 00000000 ${more} 10000000`);
  bytes.writeUInt16BE(sequence, 2);
  bytes.writeUInt32BE(timestamp, 4);
  bytes.writeUInt32BE(ssrc, 8);
  return bytes;
}

/** Number of missing packets that items name. */
const missingOf = (items: RtcpItem[]) =>
  items.reduce(
    (sum, item) => sum + (item.type === "missing-packets" ? item.sequences.length : 0),
    0,
  );

const isBounded = (items: RtcpItem[]) =>
  items.length <= RTCP_ITEMS_MAX && missingOf(items) <= RTCP_MISSING_MAX;

describe("sequence numbers", () => {
  test("distances cross the wrap-around", () => {
    expect([
      sequenceDistance(65_535, 0),
      sequenceDistance(0, 65_535),
      sequenceDistance(5, 5),
    ]).toEqual([1, -1, 0]);
  });

  test("extended numbers grow over several wrap-arounds, in any near order", () => {
    const extender = new SequenceExtender();
    const random = seededRandom(1);
    for (let number = 65_000; number < 300_000; number += 1) {
      const near = number - random(20);
      // 470,000 calls of expect would take half a minute.
      for (const each of [number, Math.max(65_000, near)]) {
        const extended = extender.extend(each & 0xffff);
        if (extended !== each) throw new Error(`${each} became ${extended}`);
      }
    }
  });
});

describe("RTP", () => {
  test("reads the fixed header, contributing sources, extensions and padding", () => {
    const header = newRtpHeader();
    expect(readRtp(hex("80 e0 1234 00000005 00000007 aabb"), header)).toBe(true);
    expect(header).toEqual({
      payloadType: 96,
      sequence: 0x1234,
      timestamp: 5,
      ssrc: 7,
      payloadStart: 12,
      payloadEnd: 14,
    });
    // Two sources, an extension of one word, two bytes of padding.
    expect(
      readRtp(
        hex("b2 60 0001 00000005 00000007 00000001 00000002 bede0001 00000000 aa 0002"),
        header,
      ),
    ).toBe(true);
    expect(header).toMatchObject({ payloadStart: 28, payloadEnd: 29 });
  });

  test.each([
    ["nothing", ""],
    ["too short", "80 60 0001 00000005 0000"],
    ["another version", "40 60 0001 00000005 00000007"],
    ["RTCP", "80 c8 0001 00000005 00000007"],
    ["sources beyond the end", "8f 60 0001 00000005 00000007"],
    ["an extension beyond the end", "90 60 0001 00000005 00000007 bedeffff"],
    ["padding beyond the payload", "a0 60 0001 00000005 00000007 00ff"],
  ])("refuses %s", (_name, bytes) => {
    expect(readRtp(hex(bytes), newRtpHeader())).toBe(false);
  });
});

describe("VP8", () => {
  test.each([
    ["a key frame", "10 00", true],
    ["an inter frame", "10 01", false],
    ["a later packet", "00 00", false],
    ["a later partition", "11 00", false],
    ["a key frame with a short picture ID", "90 80 05 00", true],
    ["a key frame with a long picture ID", "90 80 8005 00", true],
    ["an inter frame with a long picture ID", "90 80 8005 01", false],
    ["a key frame with every field", "90 f0 8005 01 20 00", true],
    ["nothing", "", false],
    ["a descriptor alone", "10", false],
    ["a descriptor that ends early", "90 f0 80", false],
  ])("%s", (_name, bytes, expected) => {
    const payload = hex(bytes);
    expect(startsVp8KeyFrame(payload, 0, payload.length)).toBe(expected);
  });
});

describe("RTCP", () => {
  test("what is written has the bytes of the standards", () => {
    expect(pictureLoss(7)).toEqual(hex("81 ce 0002 00000001 00000007"));
    expect(negativeAcknowledgement(7, [65_534, 65_535, 0, 14, 15])).toEqual(
      hex("81 cd 0004 00000001 00000007 fffe 8003 000f 0000"),
    );
    expect(maximumBitrate(7, 500_000)).toEqual(
      hex("8f ce 0005 00000001 00000000 52454d42 0107d090 00000007"),
    );
  });

  test("what is written is read", () => {
    expect(readRtcp(pictureLoss(7))).toEqual([{ type: "key-frame-request", ssrc: 7 }]);
    const missing = [65_534, 65_535, 0, 14, 15];
    expect(readRtcp(negativeAcknowledgement(7, missing))).toEqual([
      { type: "missing-packets", ssrc: 7, sequences: missing },
    ]);
    // A full intra request for two streams (RFC 5104 section 4.3.1).
    expect(
      readRtcp(hex("84 ce 0006 00000001 00000000 00000007 01000000 00000008 01000000")),
    ).toEqual([
      { type: "key-frame-request", ssrc: 7 },
      { type: "key-frame-request", ssrc: 8 },
    ]);
    for (const bitrate of [0, 1, 262_143, 262_144, 800_000, 20_000_000]) {
      const [item] = readRtcp(maximumBitrate(7, bitrate));
      const { bitsPerSecond = -1 } = item?.type === "bitrate-estimate" ? item : {};
      expect(bitsPerSecond).toBeLessThanOrEqual(bitrate);
      expect(bitsPerSecond).toBeGreaterThanOrEqual(bitrate * 0.9999);
    }
    const sender = { ssrc: 9, ntpHigh: 1, ntpLow: 2, timestamp: 3 };
    const report = {
      ssrc: 7,
      fractionLost: 0.5,
      lastSenderReport: 0xffff_fffe,
      delaySinceLast: 65_536,
    };
    const compound = Buffer.concat([
      senderReport({ ...sender, packets: 4, bytes: 5 }),
      receiverReport({ ...report, lost: 3, highestSequence: 70_000, jitter: 0 }),
    ]);
    expect(isRtcp(compound)).toBe(true);
    expect(readRtcp(compound)).toEqual([
      { type: "sender-report", ...sender },
      { type: "report", ...report },
    ]);
  });

  test("never reads beyond a packet, nor more items than allowed, whatever it holds", () => {
    const random = seededRandom(3);
    const good = Buffer.concat([
      senderReport({ ssrc: 1, ntpHigh: 1, ntpLow: 1, timestamp: 1, packets: 1, bytes: 1 }),
      maximumBitrate(1, 1_000),
      negativeAcknowledgement(1, [1, 2, 3]),
      pictureLoss(1),
    ]);
    for (let count = 0; count < 20_000; count += 1) {
      const bytes = corrupt(random, good);
      expect(isBounded(readRtcp(bytes))).toBe(true);
      readRtp(bytes, newRtpHeader());
      startsVp8KeyFrame(bytes, 0, bytes.length);
    }
    // A report with 31 blocks, a full intra request for 100 streams, and requests of 255 packets each.
    const blocks = Buffer.alloc(8 + 31 * 24);
    hex("9f c9 00bb").copy(blocks);
    const intra = Buffer.alloc(12 + 100 * 8);
    hex("84 ce 00ca").copy(intra);
    const all = Array.from({ length: 255 }, (_, index) => index);
    for (const each of [pictureLoss(1), blocks, intra, negativeAcknowledgement(1, all)]) {
      const items = readRtcp(Buffer.concat(Array.from({ length: 200 }, () => each)));
      expect(isBounded(items)).toBe(true);
      expect(items.length === RTCP_ITEMS_MAX || missingOf(items) === RTCP_MISSING_MAX).toBe(true);
    }
  });
});

describe("missing packets", () => {
  test("a gap is requested every 40 ms until it is filled", () => {
    const missing = new MissingPackets();
    for (const sequence of [65_534, 2]) missing.receive(sequence, 0);
    expect(missing.due(0)).toEqual([65_535, 0, 1]);
    expect(missing.due(39)).toEqual([]);
    missing.receive(0, 39);
    expect(missing.due(40)).toEqual([65_535, 1]);
    for (const sequence of [65_535, 1]) missing.receive(sequence, 41);
    expect(missing.due(80)).toEqual([]);
    expect(missing.totals()).toMatchObject({ expected: 5, lost: 0 });
    expect(missing.takeLoss()).toBe(0);
  });

  test("a packet that never comes is given up after ten requests, or a second", () => {
    const often = new MissingPackets();
    for (const sequence of [1, 3]) often.receive(sequence, 0);
    let requests = 0;
    for (let now = 0; now < 1_000; now += 40) requests += often.due(now).length;
    expect(requests).toBe(TRIES_MAX);
    const late = new MissingPackets();
    for (const sequence of [1, 3]) late.receive(sequence, 0);
    expect(late.due(1_001)).toEqual([]);
    expect(late.totals()).toMatchObject({ expected: 3, lost: 1 });
    expect(late.takeLoss()).toBeCloseTo(1 / 3);
    expect(late.takeLoss()).toBe(0);
  });

  test("the list is bounded: many gaps push out the oldest, a long gap requests nothing", () => {
    const missing = new MissingPackets();
    for (let sequence = 0; sequence < 1_000; sequence += 2) missing.receive(sequence, 0);
    const due = missing.due(0);
    expect(due).toHaveLength(MISSING_MAX);
    expect(due.at(-1)).toBe(997);
    missing.receive(20_000, 0);
    expect(missing.due(100)).toEqual([]);
  });
});

describe("rewriting", () => {
  const stream = { ssrc: 99, payloadType: 111, clockRate: 48_000 };

  /** Rewrites a packet, and returns its new sequence number and timestamp; null if it is dropped. */
  function send(rewriter: RtpRewriter, sequence: number, timestamp: number, now: number, ssrc = 7) {
    const bytes = packet(sequence, timestamp, ssrc);
    const header = newRtpHeader();
    readRtp(bytes, header);
    if (!rewriter.rewrite(bytes, header, now)) return null;
    readRtp(bytes, header);
    expect([header.ssrc, header.payloadType, (bytes[1] ?? 0) >> 7]).toEqual([99, 111, 1]);
    return [header.sequence, header.timestamp];
  }

  test("a stream goes on without a gap when its source changes, and by the time that has passed", () => {
    const rewriter = new RtpRewriter(stream, { sequence: 65_534, timestamp: 0xffff_ff00 });
    expect(send(rewriter, 10, 1_000, 0)).toEqual([65_534, 0xffff_ff01]);
    expect(send(rewriter, 12, 2_920, 40)).toEqual([0, 0xffff_ff01 + 1_920 - 2 ** 32]);
    // One that comes late takes its place.
    expect(send(rewriter, 11, 1_960, 41)).toEqual([65_535, 0xffff_ff01 + 960 - 2 ** 32]);
    rewriter.release();
    expect(send(rewriter, 5_000, 77, 1_040, 8)).toEqual([
      1,
      0xffff_ff01 + 1_920 + 48_000 - 2 ** 32,
    ]);
    expect(rewriter.mapTimestamp(77)).toBe(0xffff_ff01 + 1_920 + 48_000 - 2 ** 32);
    expect([rewriter.packets, rewriter.bytes]).toEqual([4, 16]);
  });

  test("packets from before the first one of a source are dropped", () => {
    const rewriter = new RtpRewriter(stream, { sequence: 0, timestamp: 0 });
    expect(send(rewriter, 3, 0, 0)).toEqual([0, 1]);
    expect(send(rewriter, 2, 0, 0)).toBeNull();
    expect(send(rewriter, 65_535, 0, 0)).toBeNull();
  });

  test("a source of 200,000 packets in near order, with losses, keeps its distances", () => {
    const random = seededRandom(5);
    const rewriter = new RtpRewriter(stream, { sequence: 300, timestamp: 0 });
    const header = newRtpHeader();
    send(rewriter, 60_000, 0, 0);
    for (let count = 1; count < 200_000; count += 1) {
      const number = Math.max(1, count - random(8));
      if (random(10) === 0) continue;
      const bytes = packet((60_000 + number) & 0xffff, number * 960);
      readRtp(bytes, header);
      const sequence = rewriter.rewrite(bytes, header, number * 20) ? bytes.readUInt16BE(2) : null;
      if (sequence !== ((300 + number) & 0xffff))
        throw new Error(`packet ${number} became ${sequence}`);
    }
  });
});
