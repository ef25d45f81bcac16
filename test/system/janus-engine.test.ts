import { createSocket } from "node:dgram";
import { networkInterfaces } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "ws";
import { openLog } from "../../src/core/log";
import type {
  EngineEvent,
  EngineRoom,
  Feed,
  OpenEngine,
} from "../../src/domain/conferences/engine/engine";
import { feedIdOf } from "../../src/domain/conferences/engine/janus-server/feed-id";
import { inspectJanus } from "../../src/domain/conferences/engine/janus-server/inspect-janus";
import { openJanusEngine } from "../../src/domain/conferences/engine/janus-server/janus-engine";
import { JANUS_KEYS, type JanusProcess, startJanus } from "../../tools/conferences/janus-server";
import { closeAfterEach } from "../support/close-after-each";
import { endPeers, ReceivingPeer, SendingPeer } from "../support/conferences/rtc-peers";
import { eventually } from "../support/moving-clock";
import { startBreakableProxy } from "../support/operations/breakable-proxy";

/** The Janus engine against a real Janus with the configuration of deploy/janus. */

let janus: JanusProcess;
beforeAll(async () => {
  janus = await startJanus();
});
afterAll(async () => {
  await janus?.stop();
  endPeers();
});

const opened = closeAfterEach();

/**
 * A test that survives a crash of the server: Debian's Janus 1.1.2 ends by a segmentation fault once in a while, in a
 * thread of its pool. It then runs once more with a new process. Any other failure stands.
 */
function survivingCrash<Parameters extends unknown[]>(
  run: (...parameters: Parameters) => Promise<void>,
): (...parameters: Parameters) => Promise<void> {
  return async (...parameters) => {
    const outcome = await Promise.race([
      run(...parameters).then(
        () => "passed" as const,
        (error: unknown) => ({ error }),
      ),
      janus
        .endedBy()
        .then((signal) => (signal === "SIGSEGV" ? signal : new Promise<never>(() => {}))),
    ]);
    if (outcome === "passed") return;
    if (outcome !== "SIGSEGV") {
      // The connection of the engine may have failed before the process is known to have ended.
      const signal = await Promise.race([janus.endedBy(), wait(1_000, "none")]);
      if (signal !== "SIGSEGV") throw outcome.error;
    }
    await janus.start();
    await run(...parameters);
  };
}

const testJanus = (name: string, run: () => Promise<void>) => test(name, survivingCrash(run));

/** An engine with its events. */
interface TestEngine {
  engine: OpenEngine;
  events: EngineEvent[];
  logged: string[];
}

async function openEngine(
  server: Pick<JanusProcess, "url"> = janus,
  options: Partial<typeof JANUS_KEYS> & { auditMs?: number } = {},
): Promise<TestEngine> {
  const events: EngineEvent[] = [];
  const logged: string[] = [];
  const log = openLog("info", { write: (line) => void logged.push(line) });
  const engine = await openJanusEngine(
    { url: server.url, ...JANUS_KEYS, log, auditMs: 200, ...options },
    (event) => events.push(event),
  );
  opened({ close: () => engine.shutdown() });
  return { engine, events, logged };
}

let roomNumber = 0;
function newRoom(more: Partial<EngineRoom> = {}): EngineRoom {
  roomNumber += 1;
  const room = `room-${process.pid}-${roomNumber}`;
  return { room, generation: 1, video: true, bitrate: 1_000_000, ...more };
}

const feedOf = (participant: number): Feed => ({ participant, source: "main" });

async function publish(
  { engine, events }: TestEngine,
  { room, generation }: EngineRoom,
  participant: number,
  source: Feed["source"] = "main",
) {
  const client = opened(new SendingPeer());
  const publish = { source, offer: await client.offer() };
  const connected = await engine.connect({ room, generation, participant, publish });
  client.accept(connected.sdp);
  await eventually(
    () => events.some((event) => event.type === "up" && event.peer === connected.peer),
    Boolean,
  );
  return { client, ...connected };
}

async function watch(
  { engine }: TestEngine,
  { room, generation }: EngineRoom,
  participant: number,
  feeds: Feed[],
  sections: "all" | "one" = "all",
) {
  const client = opened(new ReceivingPeer());
  const connected = await engine.connect({
    room,
    generation,
    participant,
    watch: { feeds, sections },
  });
  if (connected.sdp)
    await engine.signal(connected.peer, { answer: await client.answer(connected.sdp) });
  return { client, ...connected };
}

/** Resolves when more packets arrive in every media section. */
async function flows(client: ReceivingPeer, mids: string[]): Promise<void> {
  const before = mids.map((mid) => client.count(mid));
  await eventually(
    () => mids.every((mid, index) => client.count(mid) > (before[index] ?? 0) + 10),
    Boolean,
  );
}

/** Resolves when nothing arrives in one section while 40 packets arrive in another. */
async function silent(client: ReceivingPeer, mid: string, other: string): Promise<void> {
  for (;;) {
    const before = client.count(mid);
    const until = client.count(other) + 40;
    await eventually(() => client.count(other) >= until, Boolean);
    if (client.count(mid) === before) return;
  }
}

const has = ({ events }: TestEngine, type: EngineEvent["type"], peer?: string) =>
  eventually(
    () =>
      events.some(
        (event) => event.type === type && (!peer || ("peer" in event && event.peer === peer)),
      ),
    Boolean,
  );

describe("media", () => {
  testJanus(
    "a participant who watches before anybody publishes gets an offer with the first feed",
    async () => {
      const node = await openEngine();
      const room = newRoom();
      await node.engine.open(room);
      const viewer = await watch(node, room, 1, []);
      expect(viewer).toMatchObject({ sdp: "", streams: [] });
      expect(await node.engine.signal(viewer.peer, { watch: [] })).toEqual({ streams: [] });
      const first = await publish(node, room, 2);
      expect(first.streams).toEqual([
        { mid: "0", kind: "audio", feed: feedOf(2) },
        { mid: "1", kind: "video", feed: feedOf(2) },
      ]);
      const offered = await node.engine.signal(viewer.peer, { watch: [feedOf(2)] });
      expect(offered.streams).toMatchObject([
        { kind: "audio", feed: feedOf(2) },
        { kind: "video", feed: feedOf(2) },
      ]);
      const answer = await viewer.client.answer(offered.sdp ?? "");
      expect(await node.engine.signal(viewer.peer, { answer })).toEqual({});
      await flows(viewer.client, ["0", "1"]);
      await has(node, "up", viewer.peer);
      expect(node.engine.usage()).toEqual({ rooms: 1, peers: 2, tracks: 2 });
    },
  );

  testJanus(
    "feeds come and go in the same media sections, also while an answer is missing",
    async () => {
      const node = await openEngine();
      const room = newRoom();
      await node.engine.open(room);
      const second = await publish(node, room, 2);
      await publish(node, room, 3);
      await publish(node, room, 3, "screen");
      const viewer = await watch(node, room, 1, [feedOf(2)]);
      await flows(viewer.client, ["0", "1"]);
      const screen: Feed = { participant: 3, source: "screen" };
      const more = await node.engine.signal(viewer.peer, { watch: [feedOf(2), feedOf(3)] });
      expect(more.streams?.map(({ feed }) => feed?.participant)).toEqual([2, 2, 3, 3]);
      const early = await node.engine.signal(viewer.peer, { watch: [feedOf(3), screen] });
      expect(early.sdp).toBeUndefined();
      await node.engine.close({ peer: second.peer });
      const next = await node.engine.signal(viewer.peer, {
        answer: await viewer.client.answer(more.sdp ?? ""),
      });
      expect(next.streams?.map(({ feed }) => feed)).toEqual([screen, screen, feedOf(3), feedOf(3)]);
      await node.engine.signal(viewer.peer, { answer: await viewer.client.answer(next.sdp ?? "") });
      await flows(viewer.client, ["0", "1", "2", "3"]);
      const same = await node.engine.signal(viewer.peer, { watch: [screen, feedOf(3)] });
      expect(same.sdp).toBeUndefined();
      expect(node.events.filter(({ type }) => type === "gone")).toEqual([]);
      // A feed that has ended is left out.
      const left = await node.engine.signal(viewer.peer, { watch: [feedOf(2)] });
      expect(left.streams?.map(({ feed }) => feed)).toEqual([null, null, null, null]);
    },
  );

  testJanus("a peer of one feed ends with it and does not change", async () => {
    const node = await openEngine();
    const room = newRoom();
    await node.engine.open(room);
    await publish(node, room, 2);
    const viewer = await watch(node, room, 1, [feedOf(2)], "one");
    await flows(viewer.client, ["0", "1"]);
    await expect(node.engine.signal(viewer.peer, { watch: [] })).rejects.toMatchObject({
      code: "UNSUPPORTED",
    });
    await node.engine.close({ room: room.room, participant: 2 });
    await has(node, "gone", viewer.peer);
    expect(node.engine.usage().peers).toBe(0);
  });

  testJanus("a conference without video accepts audio alone", async () => {
    const node = await openEngine();
    const room = newRoom({ video: false });
    await node.engine.open(room);
    const sender = await publish(node, room, 2);
    expect(sender.streams.map(({ kind, feed }) => [kind, feed])).toEqual([
      ["audio", feedOf(2)],
      ["video", null],
    ]);
    const viewer = await watch(node, room, 1, [feedOf(2)]);
    expect(viewer.streams.map(({ kind }) => kind)).toEqual(["audio"]);
    await flows(viewer.client, ["0"]);
  });

  testJanus("a peer connection that ends at Janus is reported once", async () => {
    const node = await openEngine();
    const room = newRoom();
    const { state } = await node.engine.open(room);
    const sender = await publish(node, room, 2);
    const foreign = opened(await ForeignClient.connect(janus.url));
    await foreign.hangUp(room.room, Number(state.session));
    await has(node, "gone", sender.peer);
    expect(node.engine.usage().peers).toBe(0);
    await node.engine.close({ peer: sender.peer });
    await node.engine.close({ room: room.room });
    await node.engine.close({ room: room.room });
    expect(node.engine.usage().rooms).toBe(0);
    expect(node.events.filter(({ type }) => type === "gone")).toHaveLength(1);
  });
});

describe("hostile input", () => {
  const MINIMAL = "v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\ns=-\r\nt=0 0\r\n";
  test.each([
    ["nothing", ""],
    ["text", "garbage"],
    ["no media", MINIMAL],
    [
      "no fingerprint",
      `${MINIMAL}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=ice-ufrag:a\r\na=rtpmap:111 opus/48000/2\r\n`,
    ],
    [
      "a false fingerprint",
      `${MINIMAL}m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=ice-ufrag:a\r\na=fingerprint:x\r\n`,
    ],
    [
      "a hundred media sections",
      `${MINIMAL}a=fingerprint:x\r\na=ice-ufrag:a\r\n${"m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n".repeat(100)}`,
    ],
    [
      "64 KiB and more",
      `${MINIMAL}a=fingerprint:x\r\na=ice-ufrag:a\r\nm=audio 9 RTP 1\r\na=${"x".repeat(65_536)}`,
    ],
    ["a NUL", `${MINIMAL}a=fingerprint:x\r\na=ice-ufrag:a\r\nm=audio 9 RTP 1\0`],
  ])(
    "an offer with %s is refused, and the earlier peer goes on",
    survivingCrash(async (_, offer) => {
      const node = await openEngine();
      const room = newRoom();
      const { generation } = room;
      await node.engine.open(room);
      const request = {
        room: room.room,
        generation,
        participant: 3,
        publish: { source: "main" as const, offer },
      };
      await expect(node.engine.connect(request)).rejects.toMatchObject({
        code: expect.stringMatching(/^(INVALID|TOO_LARGE)$/),
        fields: { sdp: [expect.not.stringContaining("janus")] },
      });
      expect(node.engine.usage().peers).toBe(0);
    }),
  );

  testJanus("candidates of a client direct no packets of Janus to their addresses", async () => {
    const node = await openEngine();
    const room = newRoom();
    await node.engine.open(room);
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const address = addresses.find(
      ({ family, internal }) => family === "IPv4" && !internal,
    )?.address;
    const sink = createSocket("udp4");
    opened({ close: () => sink.close() });
    let received = 0;
    sink.on("message", () => {
      received += 1;
    });
    await new Promise<void>((resolve) => sink.bind(0, resolve));
    const candidate = `candidate:9 1 udp 2130706431 ${address} ${sink.address().port} typ host`;
    const client = opened(new SendingPeer());
    const offer = (await client.offer()).replace(/\r\na=mid:/, `\r\na=${candidate}\r\na=mid:`);
    // The client never answers checks, so that Janus tries what it has until it gives up.
    const { peer } = await node.engine.connect({
      ...{ room: room.room, generation: room.generation, participant: 2 },
      publish: { source: "main", offer },
    });
    await node.engine.signal(peer, { candidate: { candidate, sdpMid: "0", sdpMLineIndex: 0 } });
    await has(node, "gone", peer);
    expect(offer).toContain(candidate);
    expect(received).toBe(0);
  });

  testJanus("what does not exist or does not fit is refused", async () => {
    const node = await openEngine();
    const room = newRoom();
    const { room: name, generation } = room;
    await node.engine.open(room);
    const sender = await publish(node, room, 2);
    const viewer = await watch(node, room, 1, [feedOf(2)]);
    const refused = async (act: Promise<unknown>, code: string) =>
      expect(act).rejects.toMatchObject({ code });
    await refused(node.engine.signal(viewer.peer, { answer: "v=0" }), "INVALID");
    await refused(node.engine.signal(viewer.peer, { stream: { mid: "0", layer: 3 } }), "INVALID");
    await refused(node.engine.signal(viewer.peer, { publisher: { audio: false } }), "UNSUPPORTED");
    await refused(node.engine.signal(sender.peer, { publisher: { bitrate: -1 } }), "INVALID");
    await refused(node.engine.signal(sender.peer, { restart: { offer: "garbage" } }), "INVALID");
    await refused(node.engine.signal(sender.peer, { answer: "v=0" }), "UNSUPPORTED");
    await refused(node.engine.signal("none", { watch: [] }), "NOT_FOUND");
    const feeds = [feedOf(9)];
    await refused(
      node.engine.connect({
        room: name,
        generation,
        participant: 1,
        watch: { feeds, sections: "one" },
      }),
      "NOT_FOUND",
    );
    await refused(
      node.engine.connect({
        room: name,
        generation: 2,
        participant: 1,
        watch: { feeds, sections: "all" },
      }),
      "NOT_FOUND",
    );
    await refused(
      node.engine.connect({
        room: "none",
        generation,
        participant: 1,
        watch: { feeds, sections: "all" },
      }),
      "NOT_FOUND",
    );
    expect(node.engine.usage().peers).toBe(2);
  });
});

describe("failures", () => {
  test.each([
    ["killed", "SIGKILL"],
    ["hung", "SIGSTOP"],
  ] as const)(
    "a Janus that is %s is lost, and its rooms open again",
    survivingCrash(async (_, signal) => {
      const server = opened(await ownJanus());
      const node = await openEngine(server);
      const room = newRoom();
      await node.engine.open(room);
      await publish(node, room, 2);
      await server.signal(signal);
      await has(node, "lost");
      expect(node.engine.usage().rooms).toBe(0);
      await expect(node.engine.open({ ...room, generation: 2 })).rejects.toMatchObject({
        code: "UNAVAILABLE",
      });
      await node.engine.close({ room: room.room });
      if (signal === "SIGKILL") await server.start();
      else await server.signal("SIGCONT");
      await has(node, "ready");
      const next = { ...room, generation: 2 };
      expect(await node.engine.open(next)).toMatchObject({ resumed: [] });
      await publish(node, next, 2);
      const viewer = await watch(node, next, 1, [feedOf(2)]);
      await flows(viewer.client, ["0", "1"]);
    }),
  );

  testJanus("a restarted gateway claims its session, and media goes on meanwhile", async () => {
    const before = await openEngine();
    const room = newRoom();
    const { state } = await before.engine.open(room);
    expect(JSON.stringify(state)).not.toContain(JANUS_KEYS.apiSecret);
    const sender = await publish(before, room, 2);
    const other = await publish(before, room, 3);
    const viewer = await watch(before, room, 1, [feedOf(2)]);
    await flows(viewer.client, ["0", "1"]);
    await before.engine.shutdown();
    await flows(viewer.client, ["0", "1"]);
    const after = await openEngine();
    const next = { ...room, generation: 2 };
    const { resumed } = await after.engine.open(next, state);
    expect(resumed.sort()).toEqual([sender.peer, other.peer, viewer.peer].sort());
    await flows(viewer.client, ["0", "1"]);
    const more = await after.engine.signal(viewer.peer, { watch: [feedOf(2), feedOf(3)] });
    expect(more.streams?.map(({ feed }) => feed?.participant)).toEqual([2, 2, 3, 3]);
    await after.engine.signal(viewer.peer, { answer: await viewer.client.answer(more.sdp ?? "") });
    await flows(viewer.client, ["0", "1", "2", "3"]);
    await after.engine.signal(sender.peer, { publisher: { audio: false } });
    await silent(viewer.client, "0", "1");
    await after.engine.close({ peer: other.peer });
    expect((await after.engine.open(next, state)).resumed).toHaveLength(2);
    await publish(after, next, 4);
  });

  describe("a gateway that is killed before it has recorded an offer", () => {
    /** The viewer of a room at the next gateway: its client does not have the last offer. */
    async function resumeViewer() {
      const before = await openEngine();
      const room = newRoom();
      const { state } = await before.engine.open(room);
      const viewer = await watch(before, room, 1, []);
      await publish(before, room, 2);
      await publish(before, room, 3);
      const { sdp = "" } = await before.engine.signal(viewer.peer, { watch: [feedOf(2)] });
      await before.engine.signal(viewer.peer, { answer: await viewer.client.answer(sdp) });
      await flows(viewer.client, ["0", "1"]);
      await before.engine.shutdown();
      const foreign = opened(await ForeignClient.connect(janus.url));
      await foreign.subscribe(room.room, Number(state.session), feedIdOf(feedOf(3)));
      const { engine } = await openEngine();
      const { resumed } = await engine.open({ ...room, generation: 2 }, state);
      expect(resumed).toContain(viewer.peer);
      return { engine, viewer };
    }

    // An offer of another peer connection would not fit that of the client, which nobody tells to open another one.
    testJanus("leaves a peer that gets no other offer, and is closed", async () => {
      const { engine, viewer } = await resumeViewer();
      const updated = engine.signal(viewer.peer, { watch: [feedOf(2), feedOf(3)] });
      await expect(updated).rejects.toMatchObject({ code: "CONFLICT" });
    });

    testJanus("leaves a peer whose client restarts it with another peer connection", async () => {
      const { engine, viewer } = await resumeViewer();
      const { sdp = "", replaced } = await engine.signal(viewer.peer, { restart: {} });
      expect(replaced).toBe(true);
      const client = opened(new ReceivingPeer());
      await engine.signal(viewer.peer, { answer: await client.answer(sdp) });
      await flows(client, ["0", "1"]);
    });
  });

  testJanus("a session that has ended is not resumed, and the room is created anew", async () => {
    const node = await openEngine();
    const room = newRoom();
    expect(await node.engine.open(room, { session: 1 })).toMatchObject({ resumed: [] });
    expect(await node.engine.open(newRoom(), { session: "hostile" })).toMatchObject({
      resumed: [],
    });
  });

  testJanus(
    "a node with a later generation takes the room over; the earlier node cannot end it",
    async () => {
      const earlier = await openEngine();
      const later = await openEngine();
      const room = newRoom();
      await earlier.engine.open(room);
      await publish(earlier, room, 2);
      const next = { ...room, generation: 2 };
      await later.engine.open(next);
      await has(earlier, "room-lost");
      await publish(later, next, 2);
      const viewer = await watch(later, next, 1, [feedOf(2)]);
      await earlier.engine.close({ room: room.room });
      await expect(earlier.engine.open(room)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await flows(viewer.client, ["0", "1"]);
      expect(later.events.filter(({ type }) => type === "gone")).toEqual([]);
    },
  );

  testJanus(
    "a node that has lost its connection does not end the session that another one has claimed",
    async () => {
      const proxy = opened(await startBreakableProxy(Number(new URL(janus.url).port)));
      const earlier = await openEngine({ url: `ws://127.0.0.1:${proxy.port}` });
      const later = await openEngine();
      const room = newRoom();
      const { state } = await earlier.engine.open(room);
      const sender = await publish(earlier, room, 2);
      const viewer = await watch(earlier, room, 1, [feedOf(2)]);
      await flows(viewer.client, ["0", "1"]);
      // The node reaches only a port where nobody listens.
      proxy.redirect(1);
      proxy.breakConnections();
      await has(earlier, "lost");
      const next = { ...room, generation: 2 };
      const { resumed } = await later.engine.open(next, state);
      expect(resumed.sort()).toEqual([sender.peer, viewer.peer].sort());
      proxy.redirect(Number(new URL(janus.url).port));
      await has(earlier, "ready");
      await flows(viewer.client, ["0", "1"]);
      await publish(later, next, 3);
      expect(later.events.filter(({ type }) => /gone|lost/.test(type))).toEqual([]);
    },
  );

  testJanus(
    "a node with an earlier generation does not take the session of a later one",
    async () => {
      const later = await openEngine();
      const earlier = await openEngine();
      const room = newRoom({ generation: 2 });
      const { state } = await later.engine.open(room);
      const refused = earlier.engine.open({ ...room, generation: 1 }, state);
      await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND" });
      // Its events still arrive here.
      await publish(later, room, 2);
    },
  );

  test.each([
    ["session", { janus: "destroy" }],
    ["participant of the gateway", { janus: "detach" }],
  ])(
    "a room whose %s has ended is lost, and opens again",
    survivingCrash(async (_, request) => {
      const node = await openEngine();
      const [room, other] = [newRoom(), newRoom()];
      await node.engine.open(other);
      await publish(node, other, 2);
      const { state } = await node.engine.open(room);
      await publish(node, room, 2);
      const foreign = opened(await ForeignClient.connect(janus.url));
      await foreign.end(room.room, Number(state.session), request);
      await has(node, "room-lost");
      expect(node.engine.usage()).toMatchObject({ rooms: 1, peers: 1 });
      const next = { ...room, generation: 2 };
      await node.engine.open(next);
      await publish(node, next, 2);
      expect(node.events.filter(({ type }) => type !== "up")).toEqual([
        { type: "room-lost", room: room.room, reason: expect.any(String) },
      ]);
    }),
  );

  testJanus("a session that times out loses its room, and not the connection", async () => {
    const server = opened(await ownJanus([["session_timeout = 60", "session_timeout = 3"]]));
    const node = await openEngine(server, { auditMs: 1_000_000 });
    const room = newRoom();
    await node.engine.open(room);
    await has(node, "room-lost");
    expect(node.events).toEqual([
      { type: "room-lost", room: room.room, reason: "its session has timed out" },
    ]);
    const next = { ...room, generation: 2 };
    expect(await node.engine.open(next)).toMatchObject({ resumed: [] });
  });

  testJanus("a lost room leaves no session at Janus", async () => {
    const node = await openEngine();
    const later = await openEngine();
    const room = newRoom();
    const { state } = await node.engine.open(room);
    await later.engine.open({ ...room, generation: 2 });
    await has(node, "room-lost");
    const foreign = opened(await ForeignClient.connect(janus.url));
    await eventually(
      () => foreign.lives(Number(state.session)),
      (lives) => !lives,
    );
  });

  testJanus("any number of rooms, with any size of records, can be at Janus", async () => {
    const server = opened(await ownJanus());
    const foreign = opened(await ForeignClient.connect(server.url));
    // A list of these rooms is larger than the largest message.
    await foreign.createRooms(70, "x".repeat(65_536));
    const before = await openEngine(server);
    const [room, other] = [newRoom(), newRoom()];
    const { state } = await before.engine.open(room);
    await before.engine.open(other);
    const sender = await publish(before, room, 2);
    await before.engine.shutdown();
    const after = await openEngine(server);
    const { resumed } = await after.engine.open({ ...room, generation: 2 }, state);
    expect(resumed).toEqual([sender.peer]);
    expect(await after.engine.open({ ...other, generation: 2 })).toMatchObject({ resumed: [] });
    expect(after.events).toEqual([]);
  });

  testJanus(
    "the audit removes unknown participants, and reports peers that Janus lacks",
    async () => {
      const node = await openEngine();
      const room = newRoom();
      const { state } = await node.engine.open(room);
      const sender = await publish(node, room, 2);
      const foreign = opened(await ForeignClient.connect(janus.url));
      await foreign.join(room.room, "77");
      await eventually(() => foreign.text.includes('"reason":"kicked"'), Boolean);
      expect(node.events.filter(({ type }) => type === "gone")).toEqual([]);
      await foreign.leave(room.room, Number(state.session));
      await has(node, "gone", sender.peer);
    },
  );
});

describe("configuration", () => {
  test.each([
    ["api secret", { apiSecret: "wrong" }, "JANUS_API_SECRET is not the api_secret of janus.jcfg"],
    ["admin key", { adminKey: "wrong" }, "JANUS_ADMIN_KEY is not the admin_key"],
  ])(
    "a wrong %s is named, in the log and by the inspection",
    survivingCrash(async (_, keys, text) => {
      const node = await openEngine(janus, keys);
      expect(node.logged.join("")).toContain(text);
      await expect(node.engine.open(newRoom())).rejects.toMatchObject({ code: "UNAVAILABLE" });
      await expect(inspectJanus({ url: janus.url, ...JANUS_KEYS, ...keys })).rejects.toThrow(text);
    }),
  );

  testJanus("the inspection finds a server in order, and what makes one weak", async () => {
    const good = await inspectJanus({ url: janus.url, ...JANUS_KEYS });
    expect(good).toEqual({ version: expect.stringMatching(/^1\./), weaknesses: [] });
    const open = opened(
      await ownJanus([
        [`api_secret = "${JANUS_KEYS.apiSecret}"`, ""],
        [`admin_key = "${JANUS_KEYS.adminKey}"`, ""],
      ]),
    );
    const weak = await inspectJanus({ url: open.url, ...JANUS_KEYS });
    expect(weak.weaknesses).toHaveLength(2);
    const numbers = opened(await ownJanus([["string_ids = true", "string_ids = false"]]));
    await expect(inspectJanus({ url: numbers.url, ...JANUS_KEYS })).rejects.toThrow(
      "string_ids = true",
    );
    await numbers.signal("SIGKILL");
    await expect(inspectJanus({ url: numbers.url, ...JANUS_KEYS })).rejects.toThrow("ECONNREFUSED");
  });
});

/** A Janus of one test. */
async function ownJanus(
  changes: [string, string][] = [],
): Promise<JanusProcess & { close(): Promise<void> }> {
  const server = await startJanus({ changes });
  return { ...server, close: server.stop };
}

interface ForeignAnswer {
  janus: string;
  data: { id: number };
  plugindata: { data: { list: { room: string; description: string }[] } };
}

/** Another program that has the API secret. */
class ForeignClient {
  text = "";
  private number = 0;
  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data) => {
      this.text += data.toString();
    });
  }

  static async connect(url: string): Promise<ForeignClient> {
    const socket = new WebSocket(url, "janus-protocol");
    const client = new ForeignClient(socket);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return client;
  }

  async join(room: string, id: string): Promise<void> {
    const { session, handle } = await this.open();
    await this.send(session, handle, { request: "join", ptype: "publisher", room, id });
  }

  /** Ends the peer connection of the first recorded peer of a room. */
  async hangUp(room: string, session: number): Promise<void> {
    const handle = await this.firstHandle(room);
    await this.ask({ janus: "hangup", session_id: session, handle_id: handle });
  }

  /** Ends a session, or in it the gateway's own participant of a room. */
  async end(room: string, session: number, request: { janus: string }): Promise<void> {
    const { control } = await this.record(room);
    const handle = request.janus === "detach" ? { handle_id: control } : {};
    await this.ask({ ...request, session_id: session, ...handle });
  }

  async lives(session: number): Promise<boolean> {
    return (await this.ask({ janus: "keepalive", session_id: session })).janus !== "error";
  }

  async createRooms(count: number, description: string): Promise<void> {
    const { session, handle } = await this.open();
    const body = { request: "create", admin_key: JANUS_KEYS.adminKey, description };
    for (let index = 0; index < count; index += 1) {
      await this.send(session, handle, { ...body, room: `foreign-${index}` });
    }
  }

  /** Makes the first recorded peer of a room leave; its owner does not hear of it. */
  async leave(room: string, session: number): Promise<void> {
    await this.send(session, await this.firstHandle(room), { request: "leave" });
  }

  /** Subscribes the first recorded peer of a room, a watching one, to a feed's first stream; nobody gets the offer. */
  async subscribe(room: string, session: number, feed: string): Promise<void> {
    const body = { request: "update", subscribe: [{ feed, mid: "0" }] };
    await this.send(session, await this.firstHandle(room), body);
  }

  private async firstHandle(room: string): Promise<number> {
    const { peers } = await this.record(room);
    return peers[0]?.handle ?? 0;
  }

  private async record(room: string): Promise<{ control: number; peers: { handle: number }[] }> {
    const own = await this.open();
    const body = { request: "list", admin_key: JANUS_KEYS.adminKey };
    const { plugindata } = await this.send(own.session, own.handle, body);
    const found = plugindata.data.list.find((each) => each.room === room);
    return JSON.parse(found?.description ?? "");
  }

  private send(session: number, handle: number, body: object): Promise<ForeignAnswer> {
    return this.ask({ janus: "message", session_id: session, handle_id: handle, body });
  }

  private async open(): Promise<{ session: number; handle: number }> {
    const session = (await this.ask({ janus: "create" })).data.id;
    const handle = (
      await this.ask({ janus: "attach", session_id: session, plugin: "janus.plugin.videoroom" })
    ).data.id;
    return { session, handle };
  }

  private ask(request: object): Promise<ForeignAnswer> {
    this.number += 1;
    const transaction = `foreign-${this.number}`;
    return new Promise((resolve) => {
      const read = (data: unknown) => {
        const message = JSON.parse(String(data));
        if (message.transaction !== transaction) return;
        this.socket.off("message", read);
        resolve(message);
      };
      this.socket.on("message", read);
      this.socket.send(
        JSON.stringify({ ...request, transaction, apisecret: JANUS_KEYS.apiSecret }),
      );
    });
  }

  close(): void {
    this.socket.terminate();
  }
}
