import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { WebSocketServer } from "ws";
import { freePort } from "../../scripts/services/binaries";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import type { EngineEvent, EngineRoom, Feed } from "../../src/domain/conferences/engine/engine";
import type { JanusAdmin } from "../../src/domain/conferences/engine/janus-server/connection/janus-options";
import { openJanusEngine } from "../../src/domain/conferences/engine/janus-server/janus-engine";
import { configuredEngine } from "../../src/domain/conferences/open-engine";
import { checkMediaServer } from "../../src/domain/health/checks/media-server";
import {
  JANUS_ADMIN_SECRET,
  JANUS_KEYS,
  type JanusProcess,
  startJanus,
} from "../../tools/conferences/janus-server";
import { SyntheticPeers } from "../../tools/conferences/synthetic-peer";
import { seededRandom } from "../../tools/seeded-random";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { closeAfterEach } from "../support/close-after-each";
import { LossyRelay } from "../support/conferences/lossy-relay";
import { eventually } from "../support/moving-clock";

/** What the engine on Janus knows of the quality of peer connections by the Admin API, and what it does about it. */

let janus: JanusProcess;
let clients: SyntheticPeers;
beforeAll(async () => {
  janus = await startJanus();
  clients = new SyntheticPeers({});
});
afterAll(async () => {
  await janus?.stop();
  await clients?.close();
});

const opened = closeAfterEach();
const feedOf = (participant: number): Feed => ({ participant, source: "main" });

let roomNumber = 0;
function newRoom(): EngineRoom {
  roomNumber += 1;
  const room = `quality-${process.pid}-${roomNumber}`;
  return { room, generation: 1, video: true, bitrate: 1_000_000 };
}

const janusSettings = () => ({
  JANUS_URL: janus.url,
  JANUS_API_SECRET: JANUS_KEYS.apiSecret,
  JANUS_ADMIN_KEY: JANUS_KEYS.adminKey,
});
const correct = (): JanusAdmin => ({ url: janus.adminUrl, secret: JANUS_ADMIN_SECRET });

/** A relay to what an offer of Janus names, which can drop what Janus sends. */
function relayFor(offer: string): Promise<LossyRelay> {
  const [, host = "", port] = /candidate:\S+ \d+ udp \d+ (\S+) (\d+)/.exec(offer) ?? [];
  return LossyRelay.open(Number(port), seededRandom(7), { host, direction: "received" });
}

async function openNode({ admin = correct(), pollMs = 500 } = {}) {
  const events: EngineEvent[] = [];
  const logged: string[] = [];
  const log = openLog("debug", { write: (line) => void logged.push(line) });
  const engine = await openJanusEngine(
    { url: janus.url, ...JANUS_KEYS, admin, log, pollMs },
    (event) => events.push(event),
  );
  opened({ close: () => engine.shutdown() });
  const isUp = (peer: string) =>
    eventually(() => events.some((event) => event.type === "up" && event.peer === peer), Boolean);
  return {
    engine,
    events,
    logged,
    isUp,
    async publish({ room, generation }: EngineRoom, participant: number) {
      const client = opened(await clients.publish({ sender: participant, kbits: 300 }));
      const publish = { source: "main" as const, offer: client.offer };
      const connected = await engine.connect({ room, generation, participant, publish });
      await client.accept(connected.sdp);
      await isUp(connected.peer);
      return { ...connected, client };
    },
    /** Watches through a relay that can drop what Janus sends. */
    async watch({ room, generation }: EngineRoom, participant: number, feeds: Feed[]) {
      const watch = { feeds, sections: "all" as const };
      const connected = await engine.connect({ room, generation, participant, watch });
      const relay = opened(await relayFor(connected.sdp));
      const client = opened(await clients.watch(relay.through(connected.sdp)));
      await engine.signal(connected.peer, { answer: client.answer });
      await client.connect();
      await isUp(connected.peer);
      await client.sendReports();
      const packets = async (mid: string) => {
        const { tracks } = await client.report();
        return tracks.find((each) => each.mid === mid)?.packets ?? 0;
      };
      return {
        ...connected,
        client,
        relay,
        /** Resolves when more packets arrive in a media section. */
        async flows(mid: string) {
          const before = await packets(mid);
          await eventually(
            () => packets(mid),
            (now) => now > before + 20,
          );
        },
        /** Resolves when nothing arrives in a section while 50 packets arrive in another. */
        async silent(mid: string, other: string) {
          for (;;) {
            const [before, until] = [await packets(mid), (await packets(other)) + 50];
            await eventually(
              () => packets(other),
              (now) => now >= until,
            );
            if ((await packets(mid)) === before) return;
          }
        },
      };
    },
  };
}

type StatisticsEvent = Extract<EngineEvent, { type: "statistics" }>;
const statisticsOf = (events: EngineEvent[], peer: string) =>
  events.filter(
    (event): event is StatisticsEvent => event.type === "statistics" && event.peer === peer,
  );

test("statistics of both sides are reported", async () => {
  const { engine, events, publish, watch } = await openNode();
  const room = newRoom();
  await engine.open(room);
  const publisher = await publish(room, 1);
  const watcher = await watch(room, 2, [feedOf(1)]);
  for (const { peer } of [publisher, watcher]) {
    const { statistics } = (await eventually(
      () => statisticsOf(events, peer).find(({ statistics }) => statistics.videoBitrate > 200_000),
      Boolean,
    )) as StatisticsEvent;
    expect(statistics.audioBitrate).toBeGreaterThan(20_000);
    expect(statistics.packetLoss).toBeLessThan(0.5);
  }
  watcher.relay.percent = 30;
  await eventually(
    () => statisticsOf(events, watcher.peer).some(({ statistics }) => statistics.packetLoss > 0.1),
    Boolean,
  );
  expect(
    statisticsOf(events, publisher.peer).every(({ statistics }) => statistics.packetLoss < 0.1),
  ).toBe(true);
});

test("a watcher whose network loses packets keeps the audio, and gets the videos again later", async () => {
  const { engine, publish, watch } = await openNode();
  const room = newRoom();
  await engine.open(room);
  const publishers = [await publish(room, 1), await publish(room, 2)];
  const watcher = await watch(room, 3, [feedOf(1), feedOf(2)]);
  const midOf = (participant: number, kind: string) =>
    watcher.streams.find((each) => each.feed?.participant === participant && each.kind === kind)
      ?.mid ?? "";
  const [audio, first, second] = [midOf(1, "audio"), midOf(1, "video"), midOf(2, "video")];
  await watcher.flows(first);
  await watcher.flows(second);

  watcher.relay.percent = 40;
  await watcher.silent(second, audio);
  await watcher.silent(first, audio);
  // What the network does not allow, the client's wish does not bring back.
  await engine.signal(watcher.peer, { stream: { mid: first, send: true } });
  await watcher.silent(first, audio);
  await engine.signal(watcher.peer, { stream: { mid: first, send: false } });

  const requests = async () => (await publishers[1]?.client.report())?.keyFrameRequests ?? 0;
  const before = await requests();
  watcher.relay.percent = 0;
  await watcher.flows(second);
  await eventually(requests, (count) => count > before);
  // The first one was paused last, and so would be back by now, if its client had not paused it.
  await watcher.silent(first, audio);
  await engine.signal(watcher.peer, { stream: { mid: first, send: true } });
  await watcher.flows(first);
});

describe("Chromium", () => {
  let browser: BrowserContext & { dispose(): Promise<void> };
  beforeAll(async () => {
    browser = await openBrowser({ args: CALL_FLAGS });
  });
  afterAll(() => browser?.dispose());

  test("keeps the audio while packets are lost, and decodes the video again later", async () => {
    const page = opened(await browser.newPage());
    await page.goto("chrome://version");
    await page.evaluate(
      readFileSync(join(__dirname, "../support/conferences/page-client.js"), "utf8"),
    );
    const call = <Result = void>(name: string, ...parameters: string[]): Promise<Result> =>
      page.evaluate(`client.${name}(...${JSON.stringify(parameters)})`);
    // Browsers report on video once a second.
    const { engine, events, isUp } = await openNode({ pollMs: 2_000 });
    const room = newRoom();
    const { generation } = room;
    await engine.open(room);
    const offer = await call<string>("publish", "publisher");
    const publish = { source: "main" as const, offer };
    const publisher = await engine.connect({
      room: room.room,
      generation,
      participant: 1,
      publish,
    });
    await call("accept", "publisher", publisher.sdp);
    await isUp(publisher.peer);
    const watch = { feeds: [feedOf(1)], sections: "all" as const };
    const watcher = await engine.connect({ room: room.room, generation, participant: 2, watch });
    const relay = opened(await relayFor(watcher.sdp));
    const answer = await call<string>("watch", "watcher", relay.through(watcher.sdp));
    await engine.signal(watcher.peer, { answer });
    await isUp(watcher.peer);

    const received = async (kind: "audio" | "video") => {
      const mid = watcher.streams.find((each) => each.kind === kind)?.mid ?? "";
      const all = await call<Record<string, { frames: number; bytes: number }>>(
        "received",
        "watcher",
      );
      return { frames: 0, bytes: 0, ...all[mid] };
    };
    const decodesMore = async () => {
      const { frames } = await received("video");
      await eventually(
        () => received("video"),
        (now) => now.frames > frames + 20,
      );
    };
    await decodesMore();
    relay.percent = 40;
    for (let paused = false; !paused; ) {
      const [audio, video] = [await received("audio"), await received("video")];
      await eventually(
        () => received("audio"),
        ({ bytes }) => bytes > audio.bytes + 5_000,
      );
      paused = (await received("video")).bytes === video.bytes;
    }
    expect(
      statisticsOf(events, watcher.peer).some(({ statistics }) => statistics.packetLoss > 0.15),
    ).toBe(true);
    relay.percent = 0;
    await decodesMore();
  });
});

test("a node that takes the room over resumes the videos that the earlier one has paused", async () => {
  const earlier = await openNode();
  const room = newRoom();
  const { state } = await earlier.engine.open(room);
  await earlier.publish(room, 1);
  const watcher = await earlier.watch(room, 2, [feedOf(1)]);
  const [audio = "", video = ""] = watcher.streams.map(({ mid }) => mid);
  watcher.relay.percent = 40;
  await watcher.flows(audio);
  await watcher.silent(video, audio);
  await earlier.engine.shutdown();
  watcher.relay.percent = 0;

  const later = await openNode();
  const { resumed } = await later.engine.open(room, state);
  expect(resumed).toContain(watcher.peer);
  await watcher.flows(video);
});

test("the configuration names the Admin API", async () => {
  const settings = { JANUS_ADMIN_URL: janus.adminUrl, JANUS_ADMIN_SECRET };
  const logged: string[] = [];
  const log = openLog("info", { write: (line) => void logged.push(line) });
  const engine = await configuredEngine(
    readConfig({ ...janusSettings(), ...settings }),
    log,
  )(() => undefined);
  opened({ close: () => engine?.shutdown() });
  await eventually(() => logged.join("").includes("connected to the Admin API of Janus"), Boolean);
});

describe("an Admin API that", () => {
  type Answer = (request: { janus: string; transaction: string }) => Promise<object> | null;
  const answering = async (answer: Answer) => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    opened({
      close: () =>
        new Promise<void>((resolve) => {
          for (const socket of server.clients) socket.terminate();
          server.close(() => resolve());
        }),
    });
    let requests = 0;
    server.on("connection", (socket) => {
      socket.on("message", (data) => {
        requests += 1;
        void answer(JSON.parse(String(data)))?.then((response) =>
          socket.send(JSON.stringify(response)),
        );
      });
    });
    const { port } = server.address() as { port: number };
    return { url: `ws://127.0.0.1:${port}`, requests: () => requests };
  };
  /** Shows that a conference works without statistics. */
  const conference = async (admin: JanusAdmin) => {
    const node = await openNode({ admin });
    const room = newRoom();
    await node.engine.open(room);
    await node.publish(room, 1);
    const watcher = await node.watch(room, 2, [feedOf(1)]);
    for (const { mid } of watcher.streams) await watcher.flows(mid);
    expect(node.events.map(({ type }) => type)).toEqual(["up", "up"]);
    return node;
  };

  test("is away harms no conference", async () => {
    const { logged } = await conference({
      url: `ws://127.0.0.1:${await freePort()}`,
      secret: JANUS_ADMIN_SECRET,
    });
    expect(logged.join("")).toContain("not connected to the Admin API of Janus");
  });

  test("refuses the secret harms no conference, and the log says what to correct", async () => {
    const { logged } = await conference({ ...correct(), secret: "a-wrong-admin-secret" });
    expect(logged.join("")).toContain("JANUS_ADMIN_SECRET is not the admin_secret of janus.jcfg");
    expect(logged.join("")).not.toContain("a-wrong-admin-secret");
  });

  test("never answers harms no conference", async () => {
    const { url, requests } = await answering(() => null);
    await conference({ url, secret: JANUS_ADMIN_SECRET });
    expect(requests()).toBeGreaterThan(0);
  });

  test("answers what it should not harms no conference, and has one request at a time", async () => {
    const polls = { open: 0, most: 0, all: 0 };
    const { url } = await answering(async ({ janus, transaction }) => {
      const isPoll = janus === "handle_info";
      if (isPoll) {
        polls.open += 1;
        polls.all += 1;
        polls.most = Math.max(polls.most, polls.open);
        await new Promise((resolve) => setTimeout(resolve, 20));
        polls.open -= 1;
      }
      return { janus: "success", transaction, info: { webrtc: { media: [null, { mid: 5 }] } } };
    });
    await conference({ url, secret: JANUS_ADMIN_SECRET });
    await eventually(
      () => polls.all,
      (count) => count > 5,
    );
    expect(polls.most).toBe(1);
  });
});

describe("doctor", () => {
  const check = (settings: Record<string, string> = {}) =>
    checkMediaServer(readConfig({ ...janusSettings(), ...settings }));
  const admin = () => ({ JANUS_ADMIN_URL: janus.adminUrl, JANUS_ADMIN_SECRET });

  test("checks the Admin API of a server in order", async () => {
    expect(await check()).toMatchObject([{ status: "ok" }]);
    expect(await check(admin())).toMatchObject([
      { status: "ok", detail: expect.stringContaining("and has an Admin API") },
    ]);
  });

  test.each([
    ["a wrong secret", { JANUS_ADMIN_SECRET: "another-admin-secret" }, "JANUS_ADMIN_SECRET is not"],
    ["an Admin API that is off", { JANUS_ADMIN_URL: "ws://127.0.0.1:9" }, "ECONNREFUSED"],
  ])("reports %s", async (_, settings, text) => {
    const findings = await check({ ...admin(), ...settings });
    expect(findings).toMatchObject([{ status: "error", detail: expect.stringContaining(text) }]);
    expect(JSON.stringify(findings)).not.toContain("another-admin-secret");
  });

  test("warns of an Admin API without a secret", async () => {
    const changes: [string, string][] = [[`admin_secret = "${JANUS_ADMIN_SECRET}"`, ""]];
    const server = await startJanus({ changes });
    opened({ close: server.stop });
    const urls = { JANUS_URL: server.url, JANUS_ADMIN_URL: server.adminUrl };
    expect(await check({ ...admin(), ...urls })).toMatchObject([
      { status: "ok" },
      { status: "warning", detail: "anybody who reaches its Admin API may use it" },
    ]);
  });
});
