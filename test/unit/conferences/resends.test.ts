import {
  RECENT_PACKET_BYTES,
  RECENT_PACKETS,
  RecentPackets,
} from "../../../src/domain/conferences/engine/embedded/rtp/recent-packets";
import {
  RESEND_BURST_BYTES,
  RESEND_SHARE,
  RESENDS_MAX,
  ResendLimits,
  ROUND_TRIP_DEFAULT_MS,
  ROUND_TRIP_MIN_MS,
} from "../../../src/domain/conferences/engine/embedded/rtp/resend-limits";
import {
  newRtpHeader,
  readRtp,
} from "../../../src/domain/conferences/engine/embedded/rtp/rtp-packet";
import { RtpRewriter } from "../../../src/domain/conferences/engine/embedded/rtp/rtp-rewriter";
import { seededRandom } from "../../../tools/seeded-random";

/** Packets of video that the embedded engine sends again: which are kept, and which rules hold. */

const SIZE = 1_000;

/** A packet whose payload repeats its sequence number. */
function packet(sequence: number, size = SIZE, marker = false): Buffer {
  const bytes = Buffer.alloc(size, sequence & 0xff);
  bytes[0] = 0x80;
  bytes[1] = (marker ? 0x80 : 0) | 100;
  bytes.writeUInt16BE(sequence & 0xffff, 2);
  bytes.writeUInt32BE((sequence * 3_000) >>> 0, 4);
  bytes.writeUInt32BE(7, 8);
  return bytes;
}

function headerOf(bytes: Buffer) {
  const header = newRtpHeader();
  expect(readRtp(bytes, header)).toBe(true);
  return header;
}

describe("recent packets", () => {
  test("are the last 256, across the wrap-around", () => {
    const recent = new RecentPackets();
    const last = 65_536 + 100;
    for (let sequence = 65_000; sequence <= last; sequence += 1) {
      const bytes = packet(sequence);
      recent.store(bytes, headerOf(bytes));
      // The sinks rewrite the packet.
      bytes.fill(0);
    }
    for (const age of [0, 1, 101, RECENT_PACKETS - 1]) {
      const sequence = last - age;
      const { packet: found, timestamp } = recent.find(sequence & 0xffff) ?? {};
      expect(found?.subarray(12)).toEqual(packet(sequence).subarray(12));
      expect(timestamp).toBe((sequence * 3_000) >>> 0);
    }
    expect(recent.find((last - RECENT_PACKETS) & 0xffff)).toBeNull();
    expect(recent.find((last + 1) & 0xffff)).toBeNull();
    recent.clear();
    expect(recent.find(last & 0xffff)).toBeNull();
  });

  test("are no larger than a place, of which the earlier packet is forgotten", () => {
    const recent = new RecentPackets();
    for (const [sequence, size] of [
      [5, 100],
      [5 + RECENT_PACKETS, RECENT_PACKET_BYTES + 1],
      [6, RECENT_PACKET_BYTES],
    ] as const) {
      const bytes = packet(sequence, size);
      recent.store(bytes, headerOf(bytes));
    }
    expect([recent.find(5), recent.find(5 + RECENT_PACKETS)]).toEqual([null, null]);
    expect(recent.find(6)?.packet).toHaveLength(RECENT_PACKET_BYTES);
  });
});

describe("rewriting a packet again", () => {
  const stream = { ssrc: 99, payloadType: 96, clockRate: 90_000 };

  test("gives the bytes that were sent, for every packet of the current source in any near order", () => {
    const rewriter = new RtpRewriter(stream, { sequence: 65_400, timestamp: 0xffff_0000 });
    const recent = new RecentPackets();
    const random = seededRandom(3);
    const sent = new Map<number, Buffer>();
    for (let count = 0; count < 300; count += 1) {
      const sequence = 65_300 + Math.max(0, count - random(6));
      const bytes = packet(sequence, SIZE, random(2) === 0);
      const header = headerOf(bytes);
      recent.store(bytes, header);
      if (rewriter.rewrite(bytes, header, count)) sent.set(bytes.readUInt16BE(2), bytes);
    }
    let found = 0;
    for (const [sequence, bytes] of sent) {
      const original = rewriter.sourceOf(sequence);
      if (original === null) continue;
      found += 1;
      const kept = recent.find(original);
      if (!kept) throw new Error(`packet ${sequence} is not kept`);
      rewriter.repeat(kept.packet, kept.timestamp, sequence);
      expect(kept.packet.equals(bytes)).toBe(true);
    }
    expect(found).toBeGreaterThan(RECENT_PACKETS / 2);
  });

  test("knows no packet of an earlier source, older than what is kept, or not sent yet", () => {
    const rewriter = new RtpRewriter(stream, { sequence: 100, timestamp: 0 });
    expect(rewriter.sourceOf(100)).toBeNull();
    const send = (sequence: number) => {
      const bytes = packet(sequence);
      rewriter.rewrite(bytes, headerOf(bytes), 0);
      return bytes.readUInt16BE(2);
    };
    expect([send(1_000), send(1_001)]).toEqual([100, 101]);
    expect([rewriter.sourceOf(99), rewriter.sourceOf(100), rewriter.sourceOf(102)]).toEqual([
      null,
      1_000,
      null,
    ]);
    rewriter.release();
    expect(rewriter.sourceOf(100)).toBeNull();
    expect(send(50)).toBe(102);
    expect([rewriter.sourceOf(101), rewriter.sourceOf(102)]).toEqual([null, 50]);
    for (let sequence = 51; sequence <= 50 + RECENT_PACKETS; sequence += 1) send(sequence);
    expect([rewriter.sourceOf(102), rewriter.sourceOf(103)]).toEqual([null, 51]);
  });
});

describe("a packet is sent again", () => {
  test("at most once per round trip, and three times in all", () => {
    const limits = new ResendLimits();
    const resentAt: number[] = [];
    for (let now = 0; now < 2_000; now += 1) if (limits.allow(9, 100, now, 150)) resentAt.push(now);
    expect(resentAt).toEqual([0, 150, 300]);
    expect(resentAt).toHaveLength(RESENDS_MAX);
  });

  test.each([
    ["unknown", null, ROUND_TRIP_DEFAULT_MS],
    ["claimed to be nothing", 0, ROUND_TRIP_MIN_MS],
  ])("after a minimum time while the round trip is %s", (_name, roundTrip, interval) => {
    const limits = new ResendLimits();
    expect(limits.allow(9, 100, 0, roundTrip)).toBe(true);
    expect(limits.allow(9, 100, interval - 1, roundTrip)).toBe(false);
    expect(limits.allow(10, 100, interval - 1, roundTrip)).toBe(true);
    expect(limits.allow(9, 100, interval, roundTrip)).toBe(true);
  });

  test("within a quarter of what is sent and one burst, whatever is requested", () => {
    const random = seededRandom(11);
    const limits = new ResendLimits();
    let [sent, resent] = [0, 0];
    for (let sequence = 0; sequence < 20_000; sequence += 1) {
      limits.sent(SIZE);
      sent += SIZE;
      for (let request = 0; request < 20; request += 1) {
        const wanted = (sequence - random(RECENT_PACKETS)) & 0xffff;
        if (limits.allow(wanted, SIZE, sequence * 15, 0)) resent += SIZE;
      }
    }
    expect(resent).toBeLessThanOrEqual(sent * RESEND_SHARE + RESEND_BURST_BYTES);
    expect(resent).toBeGreaterThan(sent * RESEND_SHARE * 0.9);
  });

  test("nearly always enough for 10 % of loss in both directions of the repair", () => {
    const random = seededRandom(12);
    const limits = new ResendLimits();
    let missing = 0;
    for (let sequence = 0; sequence < 20_000; sequence += 1) {
      const now = sequence * 15;
      limits.sent(SIZE);
      let lost = random(100) < 10;
      for (let tries = 0; lost && tries < 10; tries += 1) {
        const at = now + tries * ROUND_TRIP_DEFAULT_MS;
        if (limits.allow(sequence & 0xffff, SIZE, at, null)) lost = random(100) < 10;
      }
      if (lost) missing += 1;
    }
    expect(missing / 20_000).toBeLessThan(0.0005);
  });
});
