import type { Track } from "node-datachannel";
import {
  RESEND_BURST_BYTES,
  RESEND_SHARE,
} from "../../../src/domain/conferences/engine/embedded/rtp/resend-limits";
import {
  negativeAcknowledgement,
  pictureLoss,
  senderReport,
} from "../../../src/domain/conferences/engine/embedded/rtp/rtcp-write";
import { WATCHER_KEY_FRAME } from "../../../src/domain/conferences/engine/embedded/sfu/bounds/limits";
import { PeerBudget } from "../../../src/domain/conferences/engine/embedded/sfu/bounds/peer-budget";
import { IncomingMedia } from "../../../src/domain/conferences/engine/embedded/sfu/incoming-media";
import { OutgoingTrack } from "../../../src/domain/conferences/engine/embedded/sfu/outgoing-track";
import { PacketWriter } from "../../../tools/conferences/synthetic-media";

/** What the embedded engine sends because of what one client sends: no kind of packet makes many or large ones. */

const WATCHERS = 3;
const PUBLISHED_SSRC = 7;
const WATCHED_SSRC = 100;
/** RTCP packets in a flood, which is within the budget of a peer. */
const FLOOD = 100;
/** What the engine may send for a flood beside packets of video, in bytes: requests and reports. */
const FEEDBACK_BYTES = 2_000;

let now = 0;
beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/** A track of the library, and what the engine sends on it. */
function fakeTrack() {
  const sent: Buffer[] = [];
  let receive: (packet: Buffer) => void = () => undefined;
  const track = {
    onOpen: (open: () => void) => open(),
    onClosed: () => undefined,
    onMessage: (callback: (packet: Buffer) => void) => {
      receive = callback;
    },
    sendMessageBinary: (packet: Buffer) => sent.push(Buffer.from(packet)),
  };
  return { track: track as unknown as Track, sent, receive: (packet: Buffer) => receive(packet) };
}

/** A publisher of video with watchers, after some seconds. */
function conference() {
  const published = fakeTrack();
  const ended: string[] = [];
  const budgets = () => new PeerBudget(500_000, (reason) => ended.push(reason));
  const source = new IncomingMedia(published.track, "video", budgets());
  const watchers = Array.from({ length: WATCHERS }, (_, index) => {
    const fake = fakeTrack();
    const track = new OutgoingTrack(fake.track, "video", WATCHED_SSRC + index, budgets(), () => {});
    track.attach(source);
    return { ...fake, track };
  });
  const writer = new PacketWriter(PUBLISHED_SSRC, 96, 1);
  let frame = 0;
  const flow = (frames: number) => {
    for (let count = 0; count < frames; count += 1) {
      now += 50;
      const packets = writer.video(frame, 2_500, 4_500, frame === 0);
      frame += 1;
      for (const packet of packets) published.receive(packet);
    }
  };
  flow(20);
  const tracks = [published, ...watchers];
  const bytes = () =>
    tracks.reduce((sum, { sent }) => sum + sent.reduce((all, { length }) => all + length, 0), 0);
  const [first] = watchers;
  if (!first) throw new Error("no watcher");
  return { published, source, watchers, first, ended, flow, bytes };
}

/** One RTCP packet of each type and count (RFC 5761 section 4), on a stream, with entries that name many packets. */
const SHAPES = Array.from({ length: 32 }, (_, index) => 192 + index).flatMap((type) =>
  Array.from({ length: 32 }, (_, count): [type: number, count: number] => [type, count]),
);

function shape(type: number, count: number, ssrc: number, sequence: number): Buffer {
  const packet = Buffer.alloc(12 + 31 * 24);
  packet[0] = 0x80 | count;
  packet[1] = type;
  packet.writeUInt16BE(packet.length / 4 - 1, 2);
  packet.writeUInt32BE(ssrc, 4);
  packet.writeUInt32BE(ssrc, 8);
  for (let at = 12, first = sequence - 16; at < packet.length; at += 4, first -= 17) {
    packet.writeUInt16BE(first & 0xffff, at);
    packet.writeUInt16BE(0xffff, at + 2);
  }
  return packet;
}

test("a flood of any RTCP packet, of a watcher or a publisher, makes little traffic", () => {
  const loud: string[] = [];
  for (const [type, count] of SHAPES) {
    for (const sender of ["watcher", "publisher"] as const) {
      const { published, first, ended, bytes } = conference();
      const before = bytes();
      const forwarded = first.sent.reduce((sum, { length }) => sum + length, 0);
      const sequence = first.sent.at(-1)?.readUInt16BE(2) ?? 0;
      const [from, ssrc] =
        sender === "watcher" ? [first, WATCHED_SSRC] : [published, PUBLISHED_SSRC];
      const packet = shape(type, count, ssrc, sequence);
      for (let each = 0; each < FLOOD; each += 1) from.receive(packet);
      const allowed = RESEND_BURST_BYTES + forwarded * RESEND_SHARE + FEEDBACK_BYTES;
      if (bytes() - before > allowed || ended.length > 0) {
        loud.push(`${sender}: ${type}/${count} made ${bytes() - before} bytes`);
      }
    }
  }
  expect(loud).toEqual([]);
});

test("lost packets are sent again with the bytes of the first time, and none of a muted publisher", () => {
  const { source, first, flow } = conference();
  const [third, other] = [first.sent.at(-3), first.sent.at(-2)];
  if (!third || !other) throw new Error("nothing was sent");
  const request = (packet: Buffer) =>
    first.receive(negativeAcknowledgement(WATCHED_SSRC, [packet.readUInt16BE(2)]));
  request(third);
  expect(first.sent.at(-1)?.equals(third)).toBe(true);
  const before = first.sent.length;
  first.receive(negativeAcknowledgement(WATCHED_SSRC + 1, [other.readUInt16BE(2)]));
  expect(first.sent).toHaveLength(before);
  source.enabled = false;
  request(other);
  expect(first.sent).toHaveLength(before);
  source.enabled = true;
  source.restart();
  flow(1);
  request(other);
  expect(first.sent.filter((packet) => packet.equals(other))).toHaveLength(1);
});

test("a watcher's requests of key frames reach the publisher once a second, and only those for its stream", () => {
  const { published, first } = conference();
  const requests = () => published.sent.filter((packet) => packet[1] === 206).length;
  const before = requests();
  const seconds = 60;
  for (let time = 0; time < seconds * 20; time += 1) {
    now += 50;
    first.receive(pictureLoss(WATCHED_SSRC + 1));
  }
  expect(requests()).toBe(before);
  for (let time = 0; time < seconds * 20; time += 1) {
    now += 50;
    first.receive(pictureLoss(WATCHED_SSRC));
  }
  const most = seconds / WATCHER_KEY_FRAME.seconds + WATCHER_KEY_FRAME.burst;
  expect(requests() - before).toBeLessThanOrEqual(most);
  expect(requests() - before).toBeGreaterThan(seconds / 2);
});

test("of many sender reports at once one is forwarded to each watcher", () => {
  const { published, watchers, bytes } = conference();
  const before = bytes();
  const report = { ssrc: PUBLISHED_SSRC, ntpHigh: 1, ntpLow: 2, timestamp: 3 };
  const one = senderReport({ ...report, packets: 4, bytes: 5 });
  published.receive(Buffer.concat(Array.from({ length: 40 }, () => one)));
  published.receive(one);
  expect(bytes() - before).toBe(watchers.length * one.length);
});
