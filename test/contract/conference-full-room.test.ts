import { eventually } from "../../scripts/services/binaries";
import type { Feed, PeerStream } from "../../src/domain/conferences/engine/engine";
import type { SyntheticWatcher } from "../../tools/conferences/synthetic-peer";
import { ENGINES } from "../support/conferences/engines";

/** A full conference on each engine with media. */

const ROOM = { room: "r-1", generation: 1, video: true, bitrate: 500_000 };
const PARTICIPANTS = Array.from({ length: 12 }, (_, index) => index + 1);

interface Watching {
  client: SyntheticWatcher;
  streams: PeerStream[];
}

test.each(
  ENGINES.filter(({ media }) => media),
)("all 264 tracks of twelve participants flow: $name", async ({ renegotiates, start }) => {
  const { engine, events, publish, watch, stop } = await start();
  try {
    const { room, generation } = ROOM;
    const isUp = (peer: string) =>
      eventually(async () => expect(events).toContainEqual({ type: "up", room, peer }));
    await engine.open(ROOM);
    for (const participant of PARTICIPANTS) {
      const client = await publish({ sender: participant, kbits: 300 });
      const request = { source: "main" as const, offer: client.offer };
      const peer = await engine.connect({ room, generation, participant, publish: request });
      await client.accept(peer.peer, peer.sdp);
      await isUp(peer.peer);
    }
    const watchers: Watching[] = [];
    for (const participant of PARTICIPANTS) {
      const feeds = PARTICIPANTS.filter((each) => each !== participant).map(
        (other): Feed => ({ participant: other, source: "main" }),
      );
      const request = { feeds, sections: "all" as const };
      const peer = await engine.connect({ room, generation, participant, watch: request });
      const { answer, answered, media } = await watch(peer.sdp);
      await engine.signal(peer.peer, { answer });
      await answered(peer.peer);
      await isUp(peer.peer);
      if (!media) throw new Error("the engine has no media");
      watchers.push({ client: media, streams: peer.streams.filter(({ feed }) => feed !== null) });
    }
    expect(watchers.flatMap(({ streams }) => streams)).toHaveLength(264);
    await eventually(async () => {
      expect(engine.usage()).toEqual({ rooms: 1, peers: 24, tracks: 264 });
    });
    await eventually(async () => {
      let flowing = 0;
      for (const { client, streams } of watchers) {
        const report = await client.report();
        for (const { mid, kind, feed } of streams) {
          const track = report.tracks.find((each) => each.mid === mid);
          const decodes = kind === "audio" || track?.firstKeyFrameAt !== null;
          if (track && track.packets >= 20 && track.sender === feed?.participant && decodes)
            flowing += 1;
        }
      }
      expect(flowing).toBe(264);
    });
    for (const { client, streams } of watchers) {
      const { tracks } = await client.report();
      for (const { mid, kind, feed } of streams) {
        const track = tracks.find((each) => each.mid === mid);
        expect(track).toMatchObject({ ssrcs: 1, timestampsBack: 0, senders: [feed?.participant] });
        // Janus forwards frames before the key frame that it has requested.
        if (!renegotiates) expect(kind === "audio" || track?.beganWithKeyFrame).toBe(true);
      }
    }
  } finally {
    await stop();
  }
});
