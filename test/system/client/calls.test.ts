import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "../../../scripts/services/binaries";
import { CALL_FLAGS, openBrowser } from "../../support/calls/browser";
import { type CallSite, serveCallPage } from "../../support/calls/call-page";
import { connectXmppJs, jidOf, type LibraryChat } from "../../support/calls/signal-clients";
import { textAt } from "../../support/chat/xml-tree";
import { type LegacyClient, openLegacy } from "../../support/client-package/legacy-page";
import {
  countOpen,
  type OpenObjects,
  openPackage,
  type PackagePage,
} from "../../support/client-package/package-page";
import { endPeers, ReceivingPeer, SendingPeer } from "../../support/conferences/rtc-peers";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

/** Calls between the package in a browser and chat clients that know only the stanzas, and 200 calls in a row. */

interface Media {
  frames: number;
  audioBytes: number;
}

let node: TestNode;
let site: CallSite;
let browser: BrowserContext & { dispose(): Promise<void> };
let ann: TestUser;
let ben: TestUser;
beforeAll(async () => {
  node = await startNode();
  site = await serveCallPage(node);
  browser = await openBrowser({ args: CALL_FLAGS });
  ann = await newUser(node);
  ben = await newUser(node);
});
afterEach(async () => {
  for (const page of browser.pages().slice(1)) await page.close();
});
afterAll(async () => {
  endPeers();
  await browser?.dispose();
  await site?.server.close();
  await node?.stop();
});

/** A page on the origin that serves the modules; the call page itself is not used. */
async function blankPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript(`
    window.load = (path) => import(path);
    window.peers = [];
    window.RTCPeerConnection = class extends RTCPeerConnection {
      constructor(...parts) { super(...parts); window.peers.push(this); }
    };
  `);
  await page.goto(`${site.server.url}icon.svg`);
  return page;
}

async function packagePage(user: TestUser): Promise<Page> {
  const page = await blankPage();
  await page.evaluate(openPackage, { url: node.baseUrl, token: user.token });
  return page;
}

/** What the last peer connection of a page receives, once it satisfies a condition. */
const receives = (page: Page, holds: (media: Media) => boolean) =>
  eventually(async () => {
    const media = (await page.evaluate(`(async () => {
      const all = [...((await window.peers.at(-1)?.getStats())?.values() ?? [])];
      const inbound = (kind) => all.find((each) => each.type === "inbound-rtp" && each.kind === kind);
      return {
        frames: inbound("video")?.framesDecoded ?? 0,
        audioBytes: inbound("audio")?.bytesReceived ?? 0,
      };
    })()`)) as Media;
    if (!holds(media)) throw new Error(JSON.stringify(media));
  });
const flows = ({ frames, audioBytes }: Media) => frames > 10 && audioBytes > 1_000;

/** Starts a call of the package. */
const dial = (page: Page, to: TestUser) =>
  page.evaluate(async (userId) => {
    const { signalbox } = window as unknown as PackagePage;
    await signalbox.calls.start({ users: [userId], video: true });
  }, to.id);

/** Waits until the package's call is in a state; `none` if it has ended. */
const waitForState = (page: Page, wanted: string) =>
  eventually(async () => {
    const state = await page.evaluate(
      () => (window as unknown as PackagePage).signalbox.calls.current?.state ?? "none",
    );
    if (state !== wanted) throw new Error(`The call is ${state}, not ${wanted}`);
  });

const hangUp = (page: Page) =>
  page.evaluate(() => (window as unknown as PackagePage).signalbox.calls.current?.hangUp());

/** A page with the client on strophe.js. */
async function strophePage(user: TestUser): Promise<Page> {
  const page = await blankPage();
  const jid = jidOf(node, user, "legacy");
  const suffix = `-${node.application.id}@${node.app.addresses.chat_domain}`;
  const { id, password } = user;
  const access = { url: node.chatUrl, jid, password, userId: String(id), suffix };
  await page.evaluate(openLegacy, access);
  return page;
}

const legacyIn = (page: Page) =>
  page.evaluate(() => {
    const { received, peer } = (window as unknown as { legacy: LegacyClient }).legacy;
    return { received, isOpen: peer !== null };
  });

test("the package calls a client on strophe.js: frames are decoded on both sides, until the package hangs up", async () => {
  const [page, legacy] = [await packagePage(ann), await strophePage(ben)];
  await dial(page, ben);
  await waitForState(page, "connected");
  await Promise.all([receives(page, flows), receives(legacy, flows)]);
  await hangUp(page);
  await eventually(async () => {
    const { received, isOpen } = await legacyIn(legacy);
    if (isOpen || received.at(-1) !== "hangUp") throw new Error(received.join());
  });
});

test("a client on strophe.js calls the package, with repeats of one id, until it hangs up", async () => {
  const [page, legacy] = [await packagePage(ann), await strophePage(ben)];
  await legacy.evaluate(
    (userId) => (window as unknown as { legacy: LegacyClient }).legacy.dial(userId),
    String(ann.id),
  );
  await waitForState(page, "connected");
  await Promise.all([receives(page, flows), receives(legacy, flows)]);
  expect(await page.evaluate(() => (window as unknown as PackagePage).rung)).toBe(1);
  await legacy.evaluate(() => (window as unknown as { legacy: LegacyClient }).legacy.hangUp());
  await waitForState(page, "none");
});

/** A signal as a stanza. */
const stanza = (to: string, type: string, callId: string, more: Record<string, string> = {}) => {
  const fields = {
    moduleIdentifier: "WebRTCVideoChat",
    signalType: type,
    sessionID: callId,
    ...more,
  };
  const content = Object.entries(fields).map(([name, text]) => `<${name}>${text}</${name}>`);
  return `<message xmlns="jabber:client" type="headline" to="${to}" id="${type}-${callId}"><extraParams>${content.join("")}</extraParams></message>`;
};

/** Takes messages until one of a type arrives. */
async function takeSignal(chat: LibraryChat, type: string) {
  for (;;) {
    const tree = await chat.next();
    const read = (name: string) => textAt(tree, "extraParams", name) ?? "";
    if (read("signalType") === type) {
      return { from: tree.attributes.from ?? "", callId: read("sessionID"), sdp: read("sdp") };
    }
  }
}

test("the package calls a client on @xmpp/client, which receives its sound", async () => {
  const page = await packagePage(ann);
  const chat = await connectXmppJs(node, ben, "phone");
  const peer = new ReceivingPeer();
  try {
    await dial(page, ben);
    const { from, callId, sdp } = await takeSignal(chat, "call");
    chat.send(stanza(from, "accept", callId, { sdp: await peer.answer(sdp) }));
    await waitForState(page, "connected");
    await eventually(async () => {
      if (peer.count("0") < 20) throw new Error(`${peer.count("0")} packets`);
    });
    chat.send(stanza(from, "hangUp", callId));
    await waitForState(page, "none");
  } finally {
    peer.close();
    await chat.disconnect();
  }
});

test("a client on @xmpp/client calls the package, which receives its sound", async () => {
  const page = await packagePage(ann);
  const chat = await connectXmppJs(node, ben, "phone");
  const peer = new SendingPeer();
  try {
    const callId = "from-xmpp-js";
    const call = {
      callType: "1",
      sdp: await peer.offer(),
      platform: "web",
      callerID: String(ben.id),
    };
    chat.send(stanza(jidOf(node, ann), "call", callId, call));
    const { sdp } = await takeSignal(chat, "accept");
    peer.accept(sdp);
    await waitForState(page, "connected");
    await receives(page, ({ audioBytes }) => audioBytes > 1_000);
    await hangUp(page);
    await takeSignal(chat, "hangUp");
  } finally {
    peer.close();
    await chat.disconnect();
  }
});

/** Calls in a row, after those that warm the page up. */
const WARM = 20;
const CALLS = 200;
/** Growth of the page's heap over the calls, in bytes: 5 KB a call, where one that stays has hundreds. */
const HEAP_GROWTH_MAX = 1_000_000;

/** Calls from one client of the page to another one, again and again. It runs in the page. */
async function callInTurn({ times, userId }: { times: number; userId: number }): Promise<number> {
  const page = window as unknown as PackagePage & { callee: PackagePage["signalbox"] };
  let connected = 0;
  for (let turn = 0; turn < times; turn += 1) {
    const call = await page.signalbox.calls.start({ users: [userId] });
    await new Promise<void>((resolve) => {
      const look = () => call.state === "connected" && resolve();
      call.on("state", look);
      call.on("statistics", () => {});
      look();
    });
    connected += 1;
    const other = page.callee.calls.current;
    const ended = new Promise<void>((resolve) => other?.on("ended", () => resolve()));
    call.hangUp();
    await ended;
  }
  return connected;
}

test("200 calls one after the other leave nothing open, and no memory", async () => {
  const page = await browser.newPage();
  await page.addInitScript("window.load = (path) => import(path)");
  await page.addInitScript(countOpen);
  await page.goto(`${site.server.url}icon.svg`);
  await page.evaluate(openPackage, { url: node.baseUrl, token: ben.token });
  await page.evaluate(() => {
    const here = window as unknown as PackagePage & { callee: unknown };
    here.callee = here.signalbox;
  });
  await page.evaluate(openPackage, { url: node.baseUrl, token: ann.token });
  const tools = await page.context().newCDPSession(page);
  const measure = async () => {
    // The pings of two sockets are the only timers that stay; those of signals that were sent last end by themselves.
    const open = await eventually(async () => {
      const objects = await page.evaluate(() =>
        (window as unknown as { openObjects(): OpenObjects }).openObjects(),
      );
      if (objects.timers > RENEWALS + PINGS) throw new Error(JSON.stringify(objects));
      return objects;
    });
    for (let turn = 0; turn < 3; turn += 1) await tools.send("HeapProfiler.collectGarbage");
    const { usedSize } = (await tools.send("Runtime.getHeapUsage")) as { usedSize: number };
    const listeners = await page.evaluate(() => {
      const { signalbox } = window as unknown as PackagePage;
      return [signalbox.calls.listenerCount, signalbox.signals.listenerCount];
    });
    return { open: { ...open, emitters: listeners }, usedSize };
  };
  expect(await page.evaluate(callInTurn, { times: WARM, userId: ben.id })).toBe(WARM);
  const before = await measure();
  expect(await page.evaluate(callInTurn, { times: CALLS, userId: ben.id })).toBe(CALLS);
  const after = await measure();
  expect(after.open).toEqual(before.open);
  expect(after.open).toMatchObject({ connections: 0, tracks: 0, intervals: 0 });
  expect(after.usedSize - before.usedSize).toBeLessThan(HEAP_GROWTH_MAX);
});

/** Timers of two clients: the renewal of each session, and the ping of each socket. */
const RENEWALS = 2;
const PINGS = 2;
