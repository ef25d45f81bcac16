import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "../../scripts/services/binaries";
import type { ConnectedPeer, Feed } from "../../src/domain/conferences/engine/engine";
import { seededRandom } from "../../tools/seeded-random";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { startEmbedded } from "../support/conferences/engines";
import { LossyRelay } from "../support/conferences/lossy-relay";

/** Real browsers with the embedded engine: what is sent is decoded, also after changes and losses. */

const ROOM = { room: "r-1", generation: 1, video: true, bitrate: 400_000 };
const main = (participant: number): Feed => ({ participant, source: "main" });

/** What a page has received, by `mid`. */
type Received = Record<string, { frames: number; bytes: number; lost: number }>;

const CLIENT = readFileSync(join(__dirname, "../support/conferences/page-client.js"), "utf8");

describe("Chromium", () => {
  let browser: BrowserContext & { dispose(): Promise<void> };
  let page: Page;
  let fixture: Awaited<ReturnType<typeof startEmbedded>>;

  beforeAll(async () => {
    browser = await openBrowser({ args: CALL_FLAGS });
  });
  afterAll(() => browser?.dispose());
  beforeEach(async () => {
    fixture = await startEmbedded();
    await fixture.engine.open(ROOM);
    page = await browser.newPage();
    await page.goto("chrome://version");
    await page.evaluate(CLIENT);
  });
  afterEach(async () => {
    await page.close();
    await fixture.stop();
  });

  /** Calls a function of page-client.js. */
  const call = <Result = void>(name: string, ...parameters: string[]): Promise<Result> =>
    page.evaluate(`client.${name}(...${JSON.stringify(parameters)})`);
  const isUp = (peer: string, room = ROOM.room) =>
    eventually(async () => expect(fixture.events).toContainEqual({ type: "up", room, peer }));

  async function publish(
    participant: number,
    through = (sdp: string) => sdp,
    { room, generation } = ROOM,
  ) {
    const offer = await call<string>("publish", `p${participant}`);
    const publishing = { source: "main" as const, offer };
    const peer = await fixture.engine.connect({
      room,
      generation,
      participant,
      publish: publishing,
    });
    await call("accept", `p${participant}`, through(peer.sdp));
    await isUp(peer.peer, room);
    return peer;
  }

  async function watch(participant: number, feeds: Feed[]): Promise<ConnectedPeer> {
    const { room, generation } = ROOM;
    const watching = { feeds, sections: "all" as const };
    const peer = await fixture.engine.connect({ room, generation, participant, watch: watching });
    const answer = await call<string>("watch", `w${participant}`, peer.sdp);
    await fixture.engine.signal(peer.peer, { answer });
    await isUp(peer.peer);
    return peer;
  }

  const received = (participant: number) => call<Received>("received", `w${participant}`);

  /** Waits until every stream with a feed has more decoded frames, or audio bytes. */
  async function plays(
    participant: number,
    streams: Array<{ mid: string; kind: string; feed: Feed | null }>,
  ) {
    const before = await received(participant);
    await eventually(async () => {
      const now = await received(participant);
      for (const { mid, kind } of streams.filter(({ feed }) => feed !== null)) {
        if (kind === "video")
          expect(now[mid]?.frames ?? 0).toBeGreaterThan((before[mid]?.frames ?? 0) + 10);
        else expect(now[mid]?.bytes ?? 0).toBeGreaterThan((before[mid]?.bytes ?? 0) + 500);
      }
    });
  }

  test("decodes what others send, also when the feeds of its sections change", async () => {
    await publish(1);
    await publish(2);
    const watcher = await watch(3, [main(1), main(2)]);
    await plays(3, watcher.streams);
    for (const feeds of [[main(2)], [], [main(1)], [main(2), main(1)]]) {
      const { streams = [] } = await fixture.engine.signal(watcher.peer, { watch: feeds });
      await plays(3, streams);
    }
  });

  test("decodes again after its stream was paused, and the publisher replaced", async () => {
    await publish(1);
    const watcher = await watch(2, [main(1)]);
    await plays(2, watcher.streams);
    const mid = watcher.streams.find(({ kind, feed }) => kind === "video" && feed)?.mid ?? "";
    await fixture.engine.signal(watcher.peer, { stream: { mid, send: false } });
    await fixture.engine.signal(watcher.peer, { stream: { mid, send: true } });
    await plays(2, watcher.streams);
    await publish(1);
    await plays(2, watcher.streams);
  });

  test("loses no frame for long while 5 % of what a publisher sends is dropped", async () => {
    const relay = await LossyRelay.open(fixture.port, seededRandom(9));
    try {
      await publish(1, (sdp) => relay.through(sdp));
      const watcher = await watch(2, [main(1)]);
      await plays(2, watcher.streams);
      relay.percent = 5;
      await eventually(async () => expect(relay.counts.dropped).toBeGreaterThan(30));
      await plays(2, watcher.streams);
      // Audio is not requested again.
      const mid = watcher.streams.find(({ kind, feed }) => kind === "video" && feed)?.mid ?? "";
      expect((await received(2))[mid]?.lost).toBeLessThan(5);
    } finally {
      await relay.close();
    }
  });

  test("a browser that publishes without a limit of its own, as legacy clients do, stays below the cap", async () => {
    const caps = [64_000, 600_000, 4_000_000];
    const publishers = await Promise.all(
      caps.map(async (bitrate, index) => {
        const room = { ...ROOM, room: `r-${bitrate}`, bitrate };
        await fixture.engine.open(room);
        return { bitrate, ...(await publish(index + 1, undefined, room)) };
      }),
    );
    // A browser begins with 300 kbit/s, and is told of its cap within the first seconds (REMB).
    for (const { peer, bitrate } of publishers) {
      const rates = await eventually(async () => {
        const all = fixture.events.flatMap((event) =>
          event.type === "statistics" && event.peer === peer ? [event.statistics] : [],
        );
        expect(all.length).toBeGreaterThan(3);
        return all.slice(1);
      });
      for (const { audioBitrate, videoBitrate } of rates) {
        expect(audioBitrate).toBeGreaterThan(0);
        expect(audioBitrate).toBeLessThan(1.5 * 128_000);
        expect(videoBitrate).toBeGreaterThan(0);
        expect(videoBitrate).toBeLessThan(1.5 * bitrate);
      }
    }
    expect(fixture.events.filter(({ type }) => type === "limited" || type === "gone")).toEqual([]);
  });

  test("a page that closes its connection is gone", async () => {
    const publisher = await publish(1);
    await call("close", "p1");
    await eventually(async () => {
      expect(fixture.events).toContainEqual(
        expect.objectContaining({ type: "gone", peer: publisher.peer }),
      );
    });
  });
});
