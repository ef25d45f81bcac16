import { eventually } from "../../../scripts/services/binaries";
import {
  RESEND_BURST_BYTES,
  RESEND_SHARE,
} from "../../../src/domain/conferences/engine/embedded/rtp/resend-limits";
import type { TrackReport } from "../../../tools/conferences/synthetic-media";
import type { SyntheticMedia } from "../../../tools/conferences/synthetic-peer";
import { seededRandom } from "../../../tools/seeded-random";
import { closeAfterEach } from "../../support/close-after-each";
import { startEmbedded } from "../../support/conferences/engines";
import { LossyRelay } from "../../support/conferences/lossy-relay";

/** What a hostile participant costs the embedded engine: its own peer connection, and no other conference. */

/** Bytes that SRTP adds to a packet, for its tag (RFC 3711 section 5.2). */
const SRTP_BYTES = 10;
/** Packets of video in about two seconds. */
const PACKETS = 120;

const opened = closeAfterEach();

/** Two conferences, each with a participant who publishes. */
async function meet() {
  const fixture = await startEmbedded();
  opened({ close: fixture.stop });
  const { engine, events } = fixture;
  const isUp = (room: string, peer: string) =>
    eventually(async () => expect(events).toContainEqual({ type: "up", room, peer }));
  const publish = async (room: string, media: SyntheticMedia) => {
    const client = await fixture.publish(media);
    const { sender: participant } = media;
    const publish = { source: "main" as const, offer: client.offer };
    const { peer, sdp } = await engine.connect({ room, generation: 1, participant, publish });
    await client.accept(peer, sdp);
    await isUp(room, peer);
    return peer;
  };
  const watch = async (room: string, publisher = 1) => {
    const feeds = [{ participant: publisher, source: "main" as const }];
    const request = {
      room,
      generation: 1,
      participant: 9,
      watch: { feeds, sections: "all" as const },
    };
    const { peer, sdp, streams } = await engine.connect(request);
    const relay = opened(await LossyRelay.to(sdp, seededRandom(1), "received"));
    const client = await fixture.watch(relay.through(sdp));
    await engine.signal(peer, { answer: client.answer });
    await client.answered();
    await isUp(room, peer);
    const mid = streams.find(({ kind, feed }) => kind === "video" && feed)?.mid;
    const video = async (): Promise<TrackReport> => {
      const report = await client.media.report();
      const track = report.tracks.find((each) => each.mid === mid);
      if (!track) throw new Error("no video yet");
      return track;
    };
    const more = async (packets: number) => {
      const before = await video();
      await eventually(async () =>
        expect((await video()).packets).toBeGreaterThan(before.packets + packets),
      );
    };
    await eventually(async () => expect((await video()).packets).toBeGreaterThan(20));
    /** Bytes of distinct media packets, and of those that were sent again. */
    const bytes = async () => {
      const { bytes, passed } = relay.counts;
      const { tracks } = await client.media.report();
      const distinct = tracks.reduce((sum, track) => sum + track.bytes, 0);
      return { distinct, repeated: bytes - SRTP_BYTES * passed - distinct };
    };
    return { peer, media: client.media, video, bytes, more };
  };
  const goneOf = (peer: string) =>
    events.find((event) => event.type === "gone" && event.peer === peer);
  for (const room of ["hostile", "other"]) {
    await engine.open({ room, generation: 1, video: true, bitrate: 500_000 });
    await publish(room, { sender: 1, kbits: 500 });
  }
  return { ...fixture, publish, watch, goneOf };
}

test("requests of everything that was sent get a quarter of it again, and too many end the peer with a reason", async () => {
  const { watch, goneOf } = await meet();
  const [hostile, other] = [await watch("hostile"), await watch("other")];
  await hostile.media.flood(100);
  await hostile.more(PACKETS);
  const { distinct, repeated } = await hostile.bytes();
  expect(repeated).toBeLessThanOrEqual(distinct * RESEND_SHARE + RESEND_BURST_BYTES);
  expect(repeated).toBeGreaterThan(RESEND_BURST_BYTES);
  expect(goneOf(hostile.peer)).toBeUndefined();

  await hostile.media.flood(5_000);
  await eventually(async () =>
    expect(goneOf(hostile.peer)).toMatchObject({
      room: "hostile",
      reason: "too many RTCP packets",
    }),
  );
  await other.more(PACKETS);
  expect(await other.video()).toMatchObject({ missing: 0 });
  expect(goneOf(other.peer)).toBeUndefined();
});

test("a publisher who sends far more than its cap ends with a reason, and others go on", async () => {
  const { publish, watch, goneOf } = await meet();
  const other = await watch("other");
  const hostile = await publish("hostile", { sender: 2, kbits: 40_000, fps: 50 });
  await eventually(async () =>
    expect(goneOf(hostile)).toMatchObject({ room: "hostile", reason: "too much media" }),
  );
  await other.more(PACKETS);
  expect((await other.video()).missing).toBe(0);
  expect(goneOf(other.peer)).toBeUndefined();
});

test("video beyond one and a half times its cap is dropped after some seconds, and its publisher is told so", async () => {
  const { publish, watch, events } = await meet();
  const peer = await publish("hostile", { sender: 2, kbits: 1_400 });
  const [beyond, within] = [await watch("hostile", 2), await watch("other")];
  await eventually(async () =>
    expect(events).toContainEqual({
      ...{ type: "limited", room: "hostile", peer, kind: "video" },
      ...{ dropped: true, bitrate: 500_000 },
    }),
  );
  // What was on its way.
  await within.more(PACKETS);
  const { packets } = await beyond.video();
  await within.more(PACKETS);
  expect((await beyond.video()).packets).toBe(packets);
  expect(events.filter(({ type }) => type === "limited")).toHaveLength(1);
  // Another connection of the same publisher is dropped within a second.
  const again = await publish("hostile", { sender: 2, kbits: 1_400 });
  await eventually(async () =>
    expect(events).toContainEqual(
      expect.objectContaining({ type: "limited", peer: again, dropped: true }),
    ),
  );
});
