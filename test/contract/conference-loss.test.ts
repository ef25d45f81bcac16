import { eventually } from "../../scripts/services/binaries";
import type { Feed } from "../../src/domain/conferences/engine/engine";
import type { TrackReport } from "../../tools/conferences/synthetic-media";
import { seededRandom } from "../../tools/seeded-random";
import { closeAfterEach } from "../support/close-after-each";
import { ENGINES } from "../support/conferences/engines";
import { LossyRelay, type LossyRelayOptions } from "../support/conferences/lossy-relay";

/** What each engine with media does about packets that a network loses, in either direction. */

const ROOM = { room: "r-1", generation: 1, video: true, bitrate: 500_000 };
const FEED: Feed = { participant: 1, source: "main" };
/** Share of packets that are lost, in percent, and how many are lost. */
const LOSS = 10;
const LOST = 60;

const opened = closeAfterEach();

describe.each(ENGINES.filter(({ media }) => media))("at the $name engine", ({ name, start }) => {
  /** A publisher and a watcher, the one or the other behind a relay. */
  async function meet(behind: "publisher" | "watcher") {
    const { engine, events, publish, watch, stop } = await start();
    opened({ close: stop });
    const { room, generation } = ROOM;
    const isUp = (peer: string) =>
      eventually(async () => expect(events).toContainEqual({ type: "up", room, peer }));
    let relay: LossyRelay | undefined;
    /** The engine's SDP, which leads through the relay. */
    const relayed = async (sdp: string, direction: LossyRelayOptions["direction"]) => {
      relay = opened(await LossyRelay.to(sdp, seededRandom(7), direction));
      return relay.through(sdp);
    };
    await engine.open(ROOM);
    const sender = await publish({ sender: 1, kbits: 300 });
    const main = { source: "main" as const, offer: sender.offer };
    const published = await engine.connect({ room, generation, participant: 1, publish: main });
    const answer = behind === "publisher" ? await relayed(published.sdp, "sent") : published.sdp;
    await sender.accept(published.peer, answer);
    await isUp(published.peer);
    const request = { feeds: [FEED], sections: "all" as const };
    const watched = await engine.connect({ room, generation, participant: 2, watch: request });
    const offer = behind === "watcher" ? await relayed(watched.sdp, "received") : watched.sdp;
    const receiver = await watch(offer);
    await engine.signal(watched.peer, { answer: receiver.answer });
    await receiver.answered(watched.peer);
    await isUp(watched.peer);
    const { media } = receiver;
    if (!media || !sender.media || !relay) throw new Error("the engine has no media");
    const lossy = relay;
    const track = async (kind: "audio" | "video"): Promise<TrackReport> => {
      const stream = watched.streams.find((each) => each.kind === kind && each.feed);
      const { tracks } = await media.report();
      const found = tracks.find(({ mid }) => mid === stream?.mid);
      if (!found) throw new Error(`no ${kind} yet`);
      return found;
    };
    await eventually(async () => expect((await track("video")).frames).toBeGreaterThan(5));
    return {
      watcher: media,
      track,
      sent: async () => (await sender.media?.report())?.frames ?? 0,
      /** Loses packets for a while; further ones show what was lost for good. */
      async lose() {
        const before = lossy.counts.dropped;
        lossy.percent = LOSS;
        await eventually(async () => expect(lossy.counts.dropped).toBeGreaterThan(before + LOST));
        lossy.percent = 0;
      },
    };
  }

  if (name === "embedded") {
    test.each([
      "publisher",
      "watcher",
    ] as const)("video that the network of a %s loses is sent again: nearly every frame arrives; audio is not", async (behind) => {
      const { watcher, track, sent, lose } = await meet(behind);
      await watcher.repair();
      const [video, audio] = [await track("video"), await track("audio")];
      await lose();
      const frames = await sent();
      // Late frames arrive before later ones are complete.
      await eventually(async () => {
        const now = await track("video");
        // Of ten thousand packets, one loses all three of its retransmissions. Both sides give a packet up after a
        // second of their clocks, so a process that waits longer for a core loses a few more.
        expect(now.missing).toBeLessThan(video.missing + LOST / 10);
        expect(now.frames).toBeGreaterThan(frames - 10);
      });
      expect((await track("video")).ssrcs).toBe(1);
      expect((await track("audio")).missing).toBeGreaterThan(audio.missing);
    });
  } else {
    test("video that the network of a publisher loses is requested again: nearly all of it arrives", async () => {
      const { track, sent, lose } = await meet("publisher");
      const video = await track("video");
      await lose();
      const frames = await sent();
      await eventually(async () =>
        expect((await track("video")).frames).toBeGreaterThan(frames - 20),
      );
      expect((await track("video")).missing - video.missing).toBeLessThan(LOST / 4);
    });
  }

  test("without retransmission a watcher loses what its network loses, and nothing else", async () => {
    const { track, lose } = await meet("watcher");
    const video = await track("video");
    await lose();
    const { packets } = await track("video");
    await eventually(async () =>
      expect((await track("video")).packets).toBeGreaterThan(packets + 50),
    );
    const lost = (await track("video")).missing - video.missing;
    const all = (await track("video")).packets - video.packets + lost;
    expect(lost).toBeGreaterThan(0);
    expect(lost / all).toBeLessThan((3 * LOSS) / 100);
  });
});
