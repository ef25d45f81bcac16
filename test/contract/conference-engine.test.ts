import { eventually } from "../../scripts/services/binaries";
import type { Fault } from "../../src/core/errors";
import type {
  ConnectedPeer,
  Feed,
  MediaSource,
  PeerStream,
} from "../../src/domain/conferences/engine/engine";
import type { TrackReport } from "../../tools/conferences/synthetic-media";
import type { SyntheticMedia } from "../../tools/conferences/synthetic-peer";
import { ENGINES, type EngineFixture, type WatchingClient } from "../support/conferences/engines";

/**
 * What every conference engine does. An engine without media says so in its row, and each test of packets checks it.
 */

const ROOM = { room: "r-1", generation: 1, video: true, bitrate: 400_000 };
const main = (participant: number): Feed => ({ participant, source: "main" });
const fault = (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => Promise.reject(new Error("resolved")),
    (error: Fault) => error,
  );
const ufragOf = (sdp: string) => /a=ice-ufrag:(\S+)/.exec(sdp)?.[1];
/** Streams that carry something, as `kind participant/source`. */
const carried = (streams: PeerStream[]) =>
  streams
    .flatMap(({ kind, feed }) => (feed ? [`${kind} ${feed.participant}/${feed.source}`] : []))
    .sort();

describe.each(ENGINES)("the $name engine", ({ media, renegotiates, whole, start }) => {
  let fixture: EngineFixture;
  let last = 0;

  beforeEach(async () => {
    fixture = await start();
    await fixture.engine.open(ROOM);
  });
  afterEach(() => fixture.stop());

  const seen = (type: string, peer?: string) =>
    fixture.events.filter(
      (event) => event.type === type && (!peer || ("peer" in event && event.peer === peer)),
    );
  const happens = (type: string, peer?: string, times = 1) =>
    eventually(async () => expect(seen(type, peer).length).toBeGreaterThanOrEqual(times));
  const lastStreams = (peer: string): PeerStream[] => {
    const event = seen("streams", peer).at(-1);
    return event?.type === "streams" ? event.streams : [];
  };

  /** Publishes, and waits until the engine says that it is up. */
  async function publish(
    participant: number,
    more: Partial<SyntheticMedia> = {},
    source: MediaSource = "main",
  ) {
    const client = await fixture.publish({ sender: participant, kbits: 60, ...more });
    const { room, generation } = ROOM;
    const peer = await fixture.engine.connect({
      room,
      generation,
      participant,
      publish: { source, offer: client.offer },
    });
    await client.accept(peer.peer, peer.sdp);
    await happens("up", peer.peer);
    return { ...peer, client, offer: client.offer };
  }

  /** Answers the offer of a new peer connection, and waits until the engine says that it is up. */
  async function answer(peer: ConnectedPeer) {
    const client = await fixture.watch(peer.sdp);
    await fixture.engine.signal(peer.peer, { answer: client.answer });
    await client.answered(peer.peer);
    await happens("up", peer.peer);
    return client;
  }

  type Watching = ConnectedPeer & { client: WatchingClient | null };

  /** Watches, and waits until the engine says that it is up; without a feed there may be no offer yet. */
  async function watch(
    participant: number,
    feeds: Feed[],
    sections: "all" | "one" = "all",
  ): Promise<Watching> {
    const { room, generation } = ROOM;
    const peer = await fixture.engine.connect({
      room,
      generation,
      participant,
      watch: { feeds, sections },
    });
    expect(peer.sdp === "").toBe(renegotiates && feeds.length === 0);
    return { ...peer, client: peer.sdp === "" ? null : await answer(peer) };
  }

  /** Changes the feeds of a watcher, and answers the offer if there is one. */
  async function follow(watcher: Watching, feeds: Feed[]): Promise<PeerStream[]> {
    const { streams = [], sdp } = await fixture.engine.signal(watcher.peer, { watch: feeds });
    expect(sdp !== undefined).toBe(renegotiates);
    if (sdp !== undefined) await negotiate(watcher, sdp);
    return streams;
  }

  /** Answers an offer on the peer connection of a watcher. */
  async function negotiate(watcher: Watching, sdp: string): Promise<void> {
    if (!watcher.client) {
      watcher.client = await answer({ ...watcher, sdp });
      return;
    }
    const renegotiated = await watcher.client.renegotiate(sdp);
    await fixture.engine.signal(watcher.peer, { answer: renegotiated });
  }

  /** What a watcher has received, by `kind participant/source` of its streams. */
  async function received(watcher: Pick<Watching, "client">, streams: PeerStream[]) {
    const report = await watcher.client?.media?.report();
    const tracks = new Map<string, TrackReport>();
    for (const { mid, kind, feed } of streams) {
      const track = report?.tracks.find((each) => each.mid === mid);
      if (feed && track) tracks.set(`${kind} ${feed.participant}/${feed.source}`, track);
    }
    return tracks;
  }

  /** Waits until packets of a feed arrive, which only an engine with media shows. */
  async function flows(watcher: Pick<Watching, "client">, streams: PeerStream[], more = 5) {
    if (!media) return expect(watcher.client?.media).toBeNull();
    const before = await received(watcher, streams);
    await eventually(async () => {
      const now = await received(watcher, streams);
      expect([...now.keys()].sort()).toEqual(carried(streams));
      for (const [name, { packets, sender }] of now) {
        expect(packets).toBeGreaterThan((before.get(name)?.packets ?? 0) + more);
        expect(name).toContain(` ${sender % 100}/`);
      }
    });
    // A section that is negotiated again may have another stream.
    if (renegotiates) return;
    for (const track of (await received(watcher, streams)).values()) {
      expect(track).toMatchObject({ ssrcs: 1, timestampsBack: 0 });
    }
  }

  test("opens a room twice, and knows its peers then", async () => {
    const publisher = await publish(1);
    const again = await fixture.engine.open(ROOM);
    expect(again.resumed).toEqual([publisher.peer]);
    expect(JSON.parse(JSON.stringify(again.state))).toEqual(again.state);
  });

  test("a publisher is up once its media flows, and has streams of its own", async () => {
    const publisher = await publish(1);
    expect(carried(publisher.streams)).toEqual(["audio 1/main", "video 1/main"]);
    expect(seen("up", publisher.peer)).toHaveLength(1);
  });

  test("an offer with a data section, as legacy clients send it, is answered", async () => {
    const publisher = await publish(1, { data: true });
    expect(carried(publisher.streams)).toEqual(["audio 1/main", "video 1/main"]);
  });

  test("a watcher of all receives every feed, each with a key frame first", async () => {
    await publish(1);
    await publish(2);
    const watcher = await watch(3, [main(1), main(2)]);
    expect(carried(watcher.streams)).toEqual([
      "audio 1/main",
      "audio 2/main",
      "video 1/main",
      "video 2/main",
    ]);
    await flows(watcher, watcher.streams);
    if (renegotiates) return decodes(watcher);
    for (const [name, track] of await received(watcher, watcher.streams)) {
      expect(name.startsWith("audio") || track.beganWithKeyFrame).toBe(true);
    }
  });

  test("a watcher of one has the sections of that feed alone", async () => {
    await publish(1);
    const watcher = await watch(2, [main(1)], "one");
    expect(watcher.streams.map(({ kind, feed }) => [kind, feed])).toEqual([
      ["audio", main(1)],
      ["video", main(1)],
    ]);
    await flows(watcher, watcher.streams);
  });

  test("feeds can be added, removed and added again", async () => {
    await publish(1);
    await publish(2);
    const watcher = await watch(3, []);
    expect(carried(watcher.streams)).toEqual([]);
    for (const feeds of [[main(1)], [main(1), main(2)], [main(2)], [main(1)], [main(2), main(1)]]) {
      const streams = await follow(watcher, feeds);
      expect(carried(streams)).toEqual(
        feeds
          .flatMap(({ participant }) => [`audio ${participant}/main`, `video ${participant}/main`])
          .sort(),
      );
      await flows(watcher, streams);
    }
  });

  test("a paused stream stops, and resumes with a key frame", async () => {
    await publish(1);
    const watcher = await watch(2, [main(1)]);
    await flows(watcher, watcher.streams);
    const video = watcher.streams.find(({ kind, feed }) => kind === "video" && feed)?.mid ?? "";
    await fixture.engine.signal(watcher.peer, { stream: { mid: video, send: false } });
    if (media) {
      const packets = async () =>
        (await received(watcher, watcher.streams)).get("video 1/main")?.packets;
      await stands(packets, () => flowsAudio(watcher));
    } else expect(watcher.client?.media).toBeNull();
    await fixture.engine.signal(watcher.peer, { stream: { mid: video, send: true, layer: 0 } });
    await flows(watcher, watcher.streams);
    if (media) {
      const track = (await received(watcher, watcher.streams)).get("video 1/main");
      expect(track).toMatchObject({ missing: 0, ssrcs: 1 });
    }
    const { code } = await fault(
      fixture.engine.signal(watcher.peer, { stream: { mid: "x", send: false } }),
    );
    expect(code).toBe("NOT_FOUND");
  });

  test("a moderator's mute drops what a participant sends", async () => {
    const publisher = await publish(1);
    const watcher = await watch(2, [main(1)]);
    await flows(watcher, watcher.streams);
    await fixture.engine.signal(publisher.peer, { publisher: { audio: false } });
    if (media) {
      const packets = async () =>
        (await received(watcher, watcher.streams)).get("audio 1/main")?.packets;
      await stands(packets, async () => {
        const video = watcher.streams.filter(({ kind }) => kind === "video");
        await flows(watcher, video);
      });
    } else expect(watcher.client?.media).toBeNull();
    await fixture.engine.signal(publisher.peer, {
      publisher: { audio: true, video: true, bitrate: 90_000, keyFrame: true },
    });
    await flows(watcher, watcher.streams);
    if (media) {
      await eventually(async () => {
        const { bitrate } = (await publisher.client.media?.report()) ?? {};
        expect(bitrate).toBe(90_000);
      });
    }
  });

  test("a publisher's bitrate stays below the cap of the room, which changes for those who publish later", async () => {
    const allowed = (publisher: Awaited<ReturnType<typeof publish>>, bitrate: number) =>
      eventually(async () => expect(await publisher.client.bitrate(publisher.peer)).toBe(bitrate));
    const configure = (peer: string, bitrate: number) =>
      fixture.engine.signal(peer, { publisher: { bitrate } });
    const first = await publish(1);
    await allowed(first, ROOM.bitrate);
    await configure(first.peer, 90_000);
    await allowed(first, 90_000);
    await configure(first.peer, 20_000_000);
    await allowed(first, ROOM.bitrate);

    const again = await fixture.engine.open({ ...ROOM, bitrate: 150_000 });
    expect(again.resumed).toEqual([first.peer]);
    const second = await publish(2);
    await allowed(second, 150_000);
    await configure(second.peer, 400_000);
    await allowed(second, 150_000);
    await fixture.engine.open({ ...ROOM, bitrate: 800_000 });
    const third = await publish(3);
    await allowed(third, 800_000);
    expect(await first.client.bitrate(first.peer)).toBe(ROOM.bitrate);
  });

  test("a participant who publishes again replaces the earlier peer, and watchers go on", async () => {
    const earlier = await publish(1);
    const watcher = await watch(2, [main(1)]);
    await flows(watcher, watcher.streams);
    const later = await publish(1, { sender: 101 });
    expect(later.peer).not.toBe(earlier.peer);
    expect((await fault(fixture.engine.signal(earlier.peer, { publisher: {} }))).code).toBe(
      "NOT_FOUND",
    );
    if (renegotiates) {
      await happens("streams", watcher.peer);
      expect(carried(lastStreams(watcher.peer))).toEqual([]);
      watcher.streams = await follow(watcher, [main(1)]);
    }
    await flows(watcher, watcher.streams);
    if (media) {
      await eventually(async () => {
        const tracks = await received(watcher, watcher.streams);
        expect([...tracks.values()].map(({ senders }) => senders)).toEqual([
          [1, 101],
          [1, 101],
        ]);
      });
    }
    expect(seen("gone")).toEqual([]);
  });

  test("two participants share their screens", async () => {
    await publish(1);
    await publish(2);
    await publish(1, { audio: 0 }, "screen");
    await publish(2, {}, "screen");
    const feeds: Feed[] = [
      main(1),
      main(2),
      { participant: 1, source: "screen" },
      { participant: 2, source: "screen" },
    ];
    const watcher = await watch(3, feeds);
    expect(carried(watcher.streams)).toEqual([
      "audio 1/main",
      "audio 2/main",
      "audio 2/screen",
      "video 1/main",
      "video 1/screen",
      "video 2/main",
      "video 2/screen",
    ]);
    await flows(watcher, watcher.streams);
  });

  test("a closed publisher frees its sections, which is reported", async () => {
    const publisher = await publish(1);
    const watcher = await watch(2, [main(1)]);
    await fixture.engine.close({ peer: publisher.peer });
    await happens("streams", watcher.peer);
    expect(carried(lastStreams(watcher.peer))).toEqual([]);
    await fixture.engine.close({ peer: publisher.peer });
    await fixture.engine.close({ peer: "unknown" });
    expect(seen("gone")).toEqual([]);
  });

  test("a closed participant and a closed room lose all their peers", async () => {
    const publisher = await publish(1);
    const own = await watch(1, []);
    const watcher = await watch(2, [main(1)]);
    const usage = () =>
      eventually(async () => {
        expect(fixture.engine.usage()).toMatchObject({ rooms: 1, peers: last });
      });
    last = 3;
    await usage();
    await fixture.engine.close({ room: ROOM.room, participant: 1 });
    for (const { peer } of [publisher, own]) {
      expect((await fault(fixture.engine.signal(peer, { publisher: {} }))).code).toBe("NOT_FOUND");
    }
    last = 1;
    await usage();
    await fixture.engine.close({ room: ROOM.room });
    expect((await fault(fixture.engine.signal(watcher.peer, { watch: [] }))).code).toBe(
      "NOT_FOUND",
    );
    await eventually(async () => {
      expect(fixture.engine.usage()).toEqual({ rooms: 0, peers: 0, tracks: 0 });
    });
    await fixture.engine.close({ room: ROOM.room });
  });

  test("unknown rooms, generations, peers and feeds are not found", async () => {
    const { offer } = await fixture.publish({ sender: 1 });
    const publish = { source: "main" as const, offer };
    const watching = { feeds: [main(9)], sections: "one" as const };
    const attempts = [
      () => fixture.engine.connect({ room: "other", generation: 1, participant: 1, publish }),
      () => fixture.engine.connect({ room: ROOM.room, generation: 2, participant: 1, publish }),
      () =>
        fixture.engine.connect({ room: ROOM.room, generation: 1, participant: 1, watch: watching }),
      () => fixture.engine.signal("unknown", { publisher: { keyFrame: true } }),
    ];
    for (const attempt of attempts) expect((await fault(attempt())).code).toBe("NOT_FOUND");
  });

  test("a newer generation of a room has no peers, an older one is refused", async () => {
    const publisher = await publish(1);
    expect(await fixture.engine.open({ ...ROOM, generation: 2 })).toMatchObject({ resumed: [] });
    expect((await fault(fixture.engine.signal(publisher.peer, { publisher: {} }))).code).toBe(
      "NOT_FOUND",
    );
    expect((await fault(fixture.engine.open(ROOM))).code).toBe("NOT_FOUND");
  });

  test.each([
    ["an empty offer", () => ""],
    ["text", () => "hello"],
    ["no fingerprint", (offer: string) => offer.replace(/a=fingerprint:[^\r\n]*\r\n/g, "")],
    ["no media", (offer: string) => offer.slice(0, offer.indexOf("m="))],
    [
      "two video sections",
      (offer: string) =>
        offer + offer.slice(offer.indexOf("m=video")).replace(/a=mid:\d/, "a=mid:9"),
    ],
  ])("%s is invalid", async (_name, change) => {
    const { offer } = await fixture.publish({ sender: 1 });
    const publish = { source: "main" as const, offer: change(offer) };
    const { code, fields } = await fault(
      fixture.engine.connect({ room: ROOM.room, generation: 1, participant: 1, publish }),
    );
    expect([code, Object.keys(fields ?? {})]).toEqual(["INVALID", ["sdp"]]);
  });

  test("an offer of more than 64 KB is too large", async () => {
    const { offer } = await fixture.publish({ sender: 1 });
    const publish = { source: "main" as const, offer: `${offer}a=x:${"y".repeat(65_536)}\r\n` };
    const { code, fields } = await fault(
      fixture.engine.connect({ room: ROOM.room, generation: 1, participant: 1, publish }),
    );
    expect([code, Object.keys(fields ?? {})]).toEqual(["TOO_LARGE", ["sdp"]]);
  });

  test("a bad answer is invalid, and a good one is accepted after it", async () => {
    await publish(1);
    const { room, generation } = ROOM;
    const peer = await fixture.engine.connect({
      room,
      generation,
      participant: 2,
      watch: { feeds: [main(1)], sections: "all" },
    });
    const { code, fields } = await fault(fixture.engine.signal(peer.peer, { answer: "v=0" }));
    expect([code, Object.keys(fields ?? {})]).toEqual(["INVALID", ["sdp"]]);
    await flows({ ...peer, client: await answer(peer) }, peer.streams);
  });

  test("a restart keeps the peer and its streams", async () => {
    const publisher = await publish(1);
    const watcher = await watch(2, [main(1)]);
    await flows(watcher, watcher.streams);

    const client = await fixture.publish({ sender: 101, kbits: 60 });
    const restarted = await fixture.engine.signal(publisher.peer, {
      restart: { offer: client.offer },
    });
    expect(restarted).toMatchObject({ replaced: true });
    await client.accept(publisher.peer, restarted.sdp ?? "");
    await happens("up", publisher.peer, 2);
    if (renegotiates) watcher.streams = await follow(watcher, [main(1)]);
    await flows(watcher, watcher.streams);

    const before = seen("up", watcher.peer).length;
    let again = await fixture.engine.signal(watcher.peer, { restart: {} });
    expect(again.replaced ?? false).toBe(!renegotiates);
    if (media) expect(ufragOf(again.sdp ?? "")).not.toBe(ufragOf(watcher.sdp));
    // Without an answer to the last offer, this engine replaces the peer connection as well.
    if (renegotiates) again = await fixture.engine.signal(watcher.peer, { restart: {} });
    expect(again.replaced).toBe(true);
    expect(carried(again.streams ?? [])).toEqual(carried(watcher.streams));
    watcher.client = await answer({ ...watcher, sdp: again.sdp ?? "" });
    await happens("up", watcher.peer, before + 1);
    await flows(watcher, watcher.streams);
  });

  test("a restart that is not completed keeps nobody from watching others, and flows once it is", async () => {
    const publisher = await publish(1);
    await publish(2);
    const watcher = await watch(4, [main(1), main(2)]);
    const client = await fixture.publish({ sender: 101, kbits: 60 });
    const restarted = await fixture.engine.signal(publisher.peer, {
      restart: { offer: client.offer },
    });

    const later = await watch(5, [main(1), main(2)]);
    expect(carried(later.streams)).toEqual(["audio 2/main", "video 2/main"]);
    await flows(later, later.streams);
    const one = { feeds: [main(1)], sections: "one" as const };
    const { room, generation } = ROOM;
    const refused = await fault(
      fixture.engine.connect({ room, generation, participant: 6, watch: one }),
    );
    expect(refused.code).toBe("NOT_FOUND");
    await publish(3);
    const streams = await follow(watcher, [main(1), main(2), main(3)]);
    expect(carried(streams)).toEqual([
      "audio 2/main",
      "audio 3/main",
      "video 2/main",
      "video 3/main",
    ]);
    await flows(watcher, streams);
    expect(seen("gone")).toEqual([]);

    await client.accept(publisher.peer, restarted.sdp ?? "");
    await happens("up", publisher.peer, 2);
    for (const each of [watcher, later]) {
      const all = await follow(each, [main(1), main(2), main(3)]);
      expect(carried(all)).toHaveLength(6);
      await flows(each, all);
    }
  });

  test.each([
    "kill",
    "hang",
  ] as const)("after a %s it or the room is lost, and rooms open again", async (way) => {
    const publisher = await publish(1);
    await fixture[way]();
    const expected = whole ? ["lost", "ready"] : ["room-lost"];
    await happens(expected[0] ?? "");
    await fixture.recover();
    await happens(expected.at(-1) ?? "");
    const losses = ["lost", "ready", "room-lost", "room-ended"];
    expect(fixture.events.map(({ type }) => type).filter((type) => losses.includes(type))).toEqual(
      expected,
    );
    expect((await fault(fixture.engine.signal(publisher.peer, { publisher: {} }))).code).toBe(
      "NOT_FOUND",
    );
    expect(await fixture.engine.open({ ...ROOM, generation: 2 })).toMatchObject({ resumed: [] });
    const client = await fixture.publish({ sender: 1 });
    const peer = await fixture.engine.connect({
      room: ROOM.room,
      generation: 2,
      participant: 1,
      publish: { source: "main", offer: client.offer },
    });
    await client.accept(peer.peer, peer.sdp);
    await happens("up", peer.peer);
  });

  /** Waits until a statistic stands still, while `meanwhile` shows that other media goes on. */
  async function stands(figure: () => Promise<unknown>, meanwhile: () => Promise<unknown>) {
    await eventually(async () => {
      const before = await figure();
      await meanwhile();
      expect(await figure()).toEqual(before);
    });
  }

  /** Waits until every video has had a key frame. */
  const decodes = (watcher: Watching) =>
    eventually(async () => {
      const tracks = await received(watcher, watcher.streams);
      for (const [name, { firstKeyFrameAt }] of tracks) {
        expect([name, name.startsWith("audio") || firstKeyFrameAt !== null]).toEqual([name, true]);
      }
    });

  const flowsAudio = (watcher: Watching) =>
    flows(
      watcher,
      watcher.streams.filter(({ kind }) => kind === "audio"),
    );
});
