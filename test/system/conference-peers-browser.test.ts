import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { ENGINE_SERVERS, type EngineServer } from "../../tools/conferences/engine-servers";
import {
  createConference,
  type GraphqlParticipant,
  joinConference,
  passes,
} from "../../tools/conferences/graphql-participant";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { startNode, type TestNode } from "../support/node";
import { newUser } from "../support/rest-client";

/** What only browsers can do with their peer connections over GraphQL: simulcast, and ICE restarts on the same one. */

const CLIENT = readFileSync(join(__dirname, "../support/conferences/page-client.js"), "utf8");

describe.each(ENGINE_SERVERS)("on $name", ({ name, start }) => {
  let engine: EngineServer;
  let node: TestNode;
  let browser: BrowserContext & { dispose(): Promise<void> };
  let page: Page;
  let publisher: GraphqlParticipant;
  let watcher: GraphqlParticipant;

  beforeAll(async () => {
    engine = await start();
    node = await startNode(engine.environment);
    browser = await openBrowser({ args: CALL_FLAGS });
  });
  beforeEach(async () => {
    const host = await newUser(node);
    const conferenceId = await createConference(node, host.token, { bitrate: 4_000_000 });
    publisher = await joinConference(node, conferenceId, host.token);
    watcher = await joinConference(node, conferenceId, (await newUser(node)).token);
    page = await browser.newPage();
    await page.goto("chrome://version");
    await page.evaluate(CLIENT);
  });
  afterEach(async () => {
    await page.close();
    for (const participant of [publisher, watcher]) await participant.disconnect();
  });
  afterAll(async () => {
    await browser?.dispose();
    await node?.stop();
    await engine?.stop();
  });

  /** Calls a function of page-client.js. */
  const call = <Result = void>(name: string, ...parameters: string[]): Promise<Result> =>
    page.evaluate(`client.${name}(...${JSON.stringify(parameters)})`);

  /** Publishes by a function of the page. @returns the peer connection's id */
  async function publish(how: "publish" | "publishLayers"): Promise<string> {
    const offer = await call<string>(how, "publisher");
    const fields = "peerId answer";
    const published = await publisher.mutate("publishConferenceMedia", fields, { offer });
    await call("accept", "publisher", published.answer);
    await watcher.event(
      "ConferenceParticipantUpdatedEvent",
      ({ participant }) => participant.publishing,
    );
    return published.peerId;
  }

  async function watch(): Promise<{ peerId: string; mid: string }> {
    const fields = "peerId offer streams { mid kind participantId }";
    const { peerId, offer, streams } = await watcher.mutate("watchConference", fields);
    await answer(peerId, await call<string>("watch", "watcher", offer));
    const { mid } = streams.find(
      (each: { kind: string; participantId: string }) =>
        each.kind === "VIDEO" && each.participantId,
    );
    return { peerId, mid };
  }

  const answer = (peerId: string, sdp: string) =>
    watcher.mutate("answerConferencePeer", "done", { peerId, answer: sdp });

  const video = async (mid: string) => {
    const all = await call<Record<string, { frames: number; height: number }>>(
      "received",
      "watcher",
    );
    return all[mid] ?? { frames: 0, height: 0 };
  };

  /** Waits until more video is decoded. @returns its height */
  async function decodes(mid: string): Promise<number> {
    const { frames } = await video(mid);
    return passes(async () => {
      const now = await video(mid);
      expect(now.frames).toBeGreaterThan(frames + 10);
      return now.height;
    });
  }

  test("a watcher receives the layer that it asks for, where the media server has layers", async () => {
    const hasLayers = name === "Janus";
    if (!hasLayers) await expect(publish("publishLayers")).rejects.toThrow(/^INVALID .*simulcast/);
    await publish(hasLayers ? "publishLayers" : "publish");
    const { peerId, mid } = await watch();
    const take = (layer: number) =>
      watcher.mutate("configureConferencePeer", "done", { peerId, mid, layer });
    const before = await decodes(mid);
    if (!hasLayers) {
      await take(0);
      await decodes(mid);
      expect(await decodes(mid)).toBe(before);
      return;
    }
    await take(2);
    const large = await passes(async () => {
      const { height } = await video(mid);
      expect(height).toBeGreaterThan(240);
      return height;
    });
    await take(0);
    await passes(async () => expect((await video(mid)).height).toBeLessThan(large));
    await decodes(mid);
    await take(2);
    await passes(async () => expect((await video(mid)).height).toBe(large));
  });

  test("ICE restarts on the same peer connection where the media server can, on a new one elsewhere", async () => {
    const peerId = await publish("publish");
    const watched = await watch();
    await decodes(watched.mid);
    const fields = "sdp replaced";
    const offer = await call<string>("restart", "publisher");
    const restarted = await publisher.mutate("restartConferencePeer", fields, { peerId, offer });
    await call("accept", "publisher", restarted.sdp);
    await decodes(watched.mid);
    const { sdp, replaced } = await watcher.mutate("restartConferencePeer", fields, {
      peerId: watched.peerId,
    });
    expect(replaced).toBe(name !== "Janus");
    const description = await call<string>(replaced ? "watch" : "renegotiate", "watcher", sdp);
    await answer(watched.peerId, description);
    await decodes(watched.mid);
  });
});
