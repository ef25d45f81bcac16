import type { BrowserContext } from "playwright-core";
import { servePage } from "../../demo/call/page-server";
import { eventually } from "../../scripts/services/binaries";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import {
  CallPage,
  type CallSite,
  credentialsOf,
  type MediaStats,
  serveCallPage,
} from "../support/calls/call-page";
import { type Coturn, startCoturn } from "../support/calls/coturn";
import { startNode, type TestNode } from "../support/node";

/** Calls between real browsers with the page of demo/call: Ann signals over GraphQL, Ben over XMPP. */

const SECRET = "secret-of-calls-in-the-test";
// Browser and TURN server are external programs, so this suite runs with the services.
describe("in two browsers", () => {
  let coturn: Coturn;
  let node: TestNode;
  /** The node that replaced the first one. */
  let restarted: TestNode | undefined;
  let site: CallSite;
  let browser: BrowserContext & { dispose(): Promise<void> };
  let ann: CallPage;
  let ben: CallPage;

  beforeAll(async () => {
    coturn = await startCoturn([SECRET]);
    const place = `127.0.0.1:${coturn.port}`;
    node = await startNode({
      TURN_URLS: `stun:${place},turn:${place}?transport=udp,turn:${place}?transport=tcp`,
      TURN_SECRET: SECRET,
    });
    site = await serveCallPage(node);
    browser = await openBrowser({ args: CALL_FLAGS });
  });
  afterAll(async () => {
    await browser?.dispose();
    await site?.server.close();
    await restarted?.stop();
    await node?.stop();
    await coturn?.stop();
  });
  afterEach(async () => {
    const faults = [ann, ben].flatMap((each) => each?.errors ?? []);
    for (const page of browser.pages().slice(1)) await page.close();
    expect(faults).toEqual([]);
  });

  const open = async (query = "") => {
    ann = await CallPage.open(browser, site, "ann", query);
    ben = await CallPage.open(browser, site, "ben", `&protocol=xmpp${query}`);
  };

  /** Waits until a browser's report satisfies a condition. */
  const flows = (caller: CallPage, holds: (facts: MediaStats) => boolean) =>
    eventually(async () => {
      const facts = await caller.media();
      if (!holds(facts)) throw new Error(JSON.stringify(facts));
      return facts;
    });

  const talk = async (caller: CallPage, callee: CallPage, login: string, callType?: "AUDIO") => {
    await caller.dial(login, callType);
    await callee.waitForView("ringing");
    await callee.click("accept");
    await Promise.all([caller.waitForView("talking"), callee.waitForView("talking")]);
  };

  it("video and sound flow both ways until one side hangs up", async () => {
    await open();
    await talk(ann, ben, "ben");
    for (const caller of [ann, ben]) {
      const facts = await flows(caller, (now) => now.framesDecoded > 10 && now.audioBytes > 1_000);
      expect(facts.ends).not.toContain("relay");
      await caller.page.waitForSelector("#facts-path[data-path=direct]");
    }
    await ann.click("hang-up");
    await Promise.all([ann.waitForView("ended"), ben.waitForView("ended")]);
    expect(await ann.note()).toMatch(/^Call ended · 0:\d\d$/);
    expect(await ben.note()).toMatch(/^Ann Moreau hung up · 0:\d\d$/);

    // And again, over the other protocol.
    await ben.click("back");
    await ann.click("back");
    await talk(ben, ann, "ann", "AUDIO");
    for (const caller of [ann, ben]) {
      const { framesDecoded } = await flows(caller, (now) => now.audioBytes > 1_000);
      expect(framesDecoded).toBe(0);
    }
    await ben.click("hang-up");
    await ann.waitForView("ended");
  });

  it("video and sound flow through the relay if nothing else is allowed", async () => {
    await open("&relay");
    await talk(ann, ben, "ben");
    for (const caller of [ann, ben]) {
      const facts = await flows(caller, (now) => now.framesDecoded > 10 && now.audioBytes > 1_000);
      expect(facts.ends).toEqual(["relay", "relay"]);
      await caller.page.waitForSelector("#facts-path[data-path=relayed]");
    }
    await ben.click("hang-up");
    await ann.waitForView("ended");
    expect(await ann.note()).toMatch(/^Ben Lindqvist hung up · 0:\d\d$/);
  });

  it("a declined call is reported as such, and can be repeated", async () => {
    await open();
    await ann.dial("ben");
    await ben.waitForView("ringing");
    expect(await ben.note()).toBe("is calling you by video");
    await ben.click("reject");
    await ann.waitForView("ended");
    expect(await ann.note()).toBe("Ben Lindqvist declined");
    await ann.click("again");
    await ben.waitForView("ringing");
    await ann.click("hang-up");
    await ben.waitForView("ended");
    expect(await ben.note()).toBe("Missed call");
  });

  it("a user in a call is busy for others", async () => {
    await open();
    await talk(ann, ben, "ben");
    const cem = await CallPage.open(browser, site, "cem");
    await cem.dial("ann");
    await cem.waitForView("ended");
    expect(await cem.note()).toBe("Ann Moreau is busy");
    await cem.click("back");
    await cem.dial("ben");
    await cem.waitForView("ended");
    expect(await cem.note()).toBe("Ben Lindqvist is busy");
    expect(await ann.page.getAttribute("body", "data-view")).toBe("talking");
  });

  it("two users who call each other simultaneously are connected", async () => {
    await open();
    const release = await Promise.all([ann.blockCamera(), ben.blockCamera()]);
    await Promise.all([ann.dial("ben"), ben.dial("ann")]);
    await Promise.all([ann.waitForView("calling"), ben.waitForView("calling")]);
    for (const go of release) await go();
    await Promise.all([ann.waitForView("talking"), ben.waitForView("talking")]);
    for (const caller of [ann, ben]) await flows(caller, (now) => now.framesDecoded > 10);
    await ann.click("hang-up");
    await ben.waitForView("ended");
  });

  it("a user who signs out is not reachable, and can sign in again", async () => {
    await open();
    const state = ({ page }: CallPage) => page.innerText("#status-text");
    expect([await state(ann), await state(ben)]).toEqual(["over GraphQL", "over XMPP"]);
    for (const caller of [ann, ben]) {
      await caller.click("sign-out");
      await caller.waitForView("sign-in");
    }
    await ann.click("sign-in-button");
    await ann.waitForView("idle");
    await ann.dial("ben");
    await ann.waitForView("calling");
    expect(await ben.page.getAttribute("body", "data-view")).toBe("sign-in");
    await ben.click("sign-in-button");
    // Ann's call is still ringing, also for a new device.
    await ben.waitForView("ringing");
    await ann.click("hang-up");
    await ben.waitForView("ended");
  });

  it("a page whose server cannot sign sessions shows why", async () => {
    const credentials = { ...credentialsOf(node), auth_secret: "wrong" };
    const server = await servePage(credentials, site.people);
    try {
      const page = await browser.newPage();
      await page.goto(server.url);
      await page.click("#sign-in-button");
      await page.getByText(/POST \/session.*422.*signature/).waitFor();
    } finally {
      await server.close();
    }
  });

  it("an unanswered call ends after a minute for both", async () => {
    ann = await CallPage.open(browser, site, "ann");
    ben = await CallPage.open(browser, site, "ben", "&protocol=xmpp");
    const { clock } = ann.page;
    // The installed clock runs like the machine's until it is paused at a future time.
    const now = Date.now();
    await clock.install({ time: now });
    await clock.pauseAt(now + 60_000);
    try {
      await ann.dial("ben");
      await ben.waitForView("ringing");
      // Repeats of a call do not ring again.
      for (let repeat = 0; repeat < 11; repeat += 1) await clock.runFor(5_000);
      expect(await ben.page.getAttribute("body", "data-view")).toBe("ringing");
      await clock.runFor(5_000);
      await Promise.all([ann.waitForView("ended"), ben.waitForView("ended")]);
      expect([await ann.note(), await ben.note()]).toEqual(["No answer", "Missed call"]);
    } finally {
      // The clock applies to every page of this browser.
      await clock.resume();
    }
  });

  it("switching camera and microphone notifies the other side", async () => {
    await open();
    await talk(ann, ben, "ben");
    await ben.click("camera");
    await ann.page.waitForSelector("body:not(.pictured)");
    expect(await ann.note()).toBe("Camera is off");
    await ben.click("camera");
    await ann.page.waitForSelector("body.pictured");
    await ann.click("camera");
    await ben.page.waitForSelector("body:not(.pictured)");
    await ann.click("mute");
    expect(await ann.page.getAttribute("#mute", "aria-pressed")).toBe("true");
  });

  it("a network change restarts ICE, and the call continues", async () => {
    await open();
    await talk(ann, ben, "ben");
    const [before, beforeBen] = [await ann.media(), await ben.media()];
    await ann.page.evaluate('dispatchEvent(new Event("online"))');
    await flows(ann, ({ ufrag }) => ufrag !== before.ufrag);
    await flows(ben, ({ ufrag }) => ufrag !== beforeBen.ufrag);
    const { framesDecoded } = await ann.media();
    await flows(ann, (now) => now.framesDecoded > framesDecoded + 10);
    expect(await ann.page.getAttribute("body", "data-view")).toBe("talking");
  });

  it("a call survives a restart of the service, and signals work after it", async () => {
    await open();
    await talk(ann, ben, "ben");
    const line = ({ page }: CallPage, state: string) =>
      page.waitForSelector(`#status-dot${state}`, { state: "attached" });
    const { environment, baseUrl, chatUrl } = node;
    const portOf = (url: string) => new URL(url).port;
    const ports = { PORT: portOf(baseUrl), XMPP_WS_PORT: portOf(chatUrl) };

    await node.app.close();
    await Promise.all([ann, ben].map((caller) => line(caller, ':not([data-status="online"])')));
    for (const caller of [ann, ben]) {
      const { audioBytes } = await caller.media();
      await flows(caller, (now) => now.audioBytes > audioBytes + 1_000);
    }
    restarted = await startNode({ ...environment, ...ports }, {}, node);
    await Promise.all([ann, ben].map((caller) => line(caller, '[data-status="online"]')));
    // The browser reports each failed connection attempt.
    for (const { errors } of [ann, ben]) errors.length = 0;

    await Promise.all([ann.click("camera"), ben.click("camera")]);
    for (const { page } of [ann, ben]) await page.waitForSelector("body:not(.pictured)");
    await ann.click("hang-up");
    await ben.waitForView("ended");
    expect(await ben.note()).toMatch(/^Ann Moreau hung up · \d:\d\d$/);
  });
});
