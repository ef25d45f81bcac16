import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "../../scripts/services/binaries";
import { graphql } from "../../tools/graphql/graphql-http";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { connectGraphqlWs } from "../support/calls/graphql-signals";
import { type GuideServer, serveGuide } from "../support/calls/guide-page";
import { startNode, type TestNode } from "../support/node";
import { newUser, type TestUser } from "../support/rest-client";

/** Calls between real browsers with the modules that docs/SIGNALING.md prints. */

let node: TestNode;
let guide: GuideServer;
let browser: BrowserContext & { dispose(): Promise<void> };
let alice: TestUser;
let bob: TestUser;
const errors: string[] = [];
beforeAll(async () => {
  node = await startNode();
  guide = await serveGuide();
  browser = await openBrowser({ args: CALL_FLAGS });
});
beforeEach(async () => {
  [alice, bob] = [await newUser(node), await newUser(node)];
});
afterEach(async () => {
  for (const page of browser.pages().slice(1)) await page.close();
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.dispose();
  await guide?.close();
  await node?.stop();
});

async function openPage(): Promise<Page> {
  const page = await browser.newPage();
  // Shorter than jest's timeout, so that a test that hangs reports the step.
  page.setDefaultTimeout(200_000);
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.addInitScript(`
    window.peers = [];
    window.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(...parts) { super(...parts); window.peers.push(this); }
    };
    window.sockets = [];
    window.WebSocket = class extends WebSocket {
      constructor(...parts) { super(...parts); window.sockets.push(this); }
    };
  `);
  await page.goto(guide.url);
  await page.waitForFunction("window.isReady");
  return page;
}

const sessionOf = ({ token }: TestUser) => JSON.stringify({ url: node.graphqlUrl, token });

/** Bob's page answers, and Alice's page calls. */
async function call(accepts: boolean): Promise<{ caller: Page; callee: Page }> {
  const [callee, caller] = [await openPage(), await openPage()];
  await callee.evaluate(`answer(${sessionOf(bob)}, ${accepts})`);
  await caller.evaluate(`void dial(${sessionOf(alice)}, ${bob.id})`);
  return { caller, callee };
}

/** Waits until a page has decoded more video, by the last of its peer connections. */
async function waitForVideo(page: Page): Promise<void> {
  const frames = async () =>
    Number(
      await page.evaluate(`(async () => {
        const reports = [...(await peers.at(-1)?.getStats() ?? new Map()).values()];
        return reports.find(({ type, kind }) => type === "inbound-rtp" && kind === "video")?.framesDecoded ?? 0;
      })()`),
    );
  const before = await frames();
  await eventually(async () => {
    const now = await frames();
    if (now < before + 10) throw new Error(`${now} frames, ${before} before`);
  });
}

const ufragOf = (page: Page) =>
  page.evaluate("/a=ice-ufrag:(.+)/.exec(peers.at(-1).remoteDescription.sdp)[1]");

it("video flows both ways, also after an ICE restart, until the caller hangs up", async () => {
  const { caller, callee } = await call(true);
  await Promise.all([waitForVideo(caller), waitForVideo(callee)]);

  const before = [await ufragOf(caller), await ufragOf(callee)];
  await caller.evaluate("restart()");
  for (const [index, page] of [caller, callee].entries()) {
    await page.waitForFunction(
      `!peers.at(-1).remoteDescription.sdp.includes("a=ice-ufrag:${before[index]}")`,
    );
  }
  await Promise.all([waitForVideo(caller), waitForVideo(callee)]);

  await caller.evaluate("hangUp()");
  await callee.waitForFunction('peers.at(-1).signalingState === "closed"');
  expect(await caller.evaluate("endReason")).toBe("hangUp");
});

it("a declined call ends with a reject", async () => {
  const { caller } = await call(false);
  await caller.waitForFunction('window.endReason === "reject"');
});

it("a user in a call is busy for others", async () => {
  const { caller, callee } = await call(true);
  await Promise.all([waitForVideo(caller), waitForVideo(callee)]);
  const carol = await connectGraphqlWs(node, await newUser(node));
  await carol.send({
    to: { userId: bob.id },
    ...{ signalType: "call", callId: "second", callType: "VIDEO", sdp: "v=0\r\n" },
  });
  expect(await carol.next()).toMatchObject({
    signalType: "reject",
    callId: "second",
    userInfo: { busy: true },
  });
  carol.close();
});

describe("a conference", () => {
  const MUTE = `mutation ($input: MuteConferenceParticipantInput!) {
    muteConferenceParticipant(input: $input) { participant { id } } }`;
  const CREATE = `mutation ($input: CreateConferenceInput!) {
    createConference(input: $input) { conference { id } } }`;
  const CLOSE =
    "mutation ($input: ConferenceInput!) { closeConference(input: $input) { conference { id } } }";
  const count = (page: Page, participants: number) =>
    page.waitForFunction(`window.participants?.length === ${participants}`);

  it("participants see each other and who is muted, also after a cut, until they leave or it is closed", async () => {
    const { data } = await graphql(node, CREATE, { input: { name: "Guide" } }, alice.token);
    const conferenceId = data.createConference.conference.id;
    const [first, second] = [await openPage(), await openPage()];
    await first.evaluate(`meet(${sessionOf(alice)}, "${conferenceId}")`);
    await second.evaluate(`meet(${sessionOf(bob)}, "${conferenceId}")`);
    await Promise.all([count(first, 2), count(second, 2)]);
    await Promise.all([waitForVideo(first), waitForVideo(second)]);

    await first.evaluate("sockets.at(-1).close(4000)");
    await second.evaluate('conference.mute("audio", true)');
    await first.waitForFunction("participants.some(({ audioMuted }) => audioMuted)");
    await waitForVideo(first);

    await second.evaluate("conference.leave()");
    expect(await second.evaluate("endReason")).toBe("LEFT");
    await count(first, 1);
    await first.waitForFunction("media.size === 0");
    await graphql(node, CLOSE, { input: { conferenceId } }, alice.token);
    await first.waitForFunction('window.endReason === "ENDED"');
  });

  it("a participant who joins reports the own mutes, and keeps a moderator's", async () => {
    const { data } = await graphql(node, CREATE, { input: { name: "Mutes" } }, alice.token);
    const conferenceId = data.createConference.conference.id;
    const first = await openPage();
    await first.evaluate(`meet(${sessionOf(alice)}, "${conferenceId}")`);
    const join = async (off: string) => {
      const page = await openPage();
      await page.evaluate(`meet(${sessionOf(bob)}, "${conferenceId}", "${off}")`);
      return page;
    };
    const showsMutes = (page: Page, audio: boolean, video: boolean) =>
      page.waitForFunction(`window.participants?.some(({ id, audioMuted, videoMuted }) =>
        id === "${bob.id}" && audioMuted === ${audio} && videoMuted === ${video})`);
    const second = await join("audio");
    for (const page of [first, second]) await showsMutes(page, true, false);
    await second.evaluate('conference.mute("audio", false)');
    await showsMutes(first, false, false);

    const input = { conferenceId, participantId: String(bob.id), video: true };
    await graphql(node, MUTE, { input }, alice.token);
    await showsMutes(first, false, true);
    const third = await join("audio");
    for (const page of [first, third]) await showsMutes(page, true, true);
    await graphql(node, CLOSE, { input: { conferenceId } }, alice.token);
    await first.waitForFunction('window.endReason === "ENDED"');
  });
});
