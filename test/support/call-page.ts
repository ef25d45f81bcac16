import type { BrowserContext, Page } from "playwright-core";
import { type PageServer, servePage } from "../../demo/call/page-server";
import { type DemoUser, makePeople } from "../../demo/call/people";
import type { Credentials } from "../../demo/server";
import type { TestNode } from "./node";

/** The page of demo/call for a node of the test, and the users that were made ready. */
export interface CallSite {
  server: PageServer;
  people: DemoUser[];
}

/** Signs the page's users up on a node, and serves the page. */
export async function serveCallPage(node: TestNode): Promise<CallSite> {
  const credentials: Credentials = {
    base_url: node.baseUrl,
    graphql_url: node.graphqlUrl,
    chat_url: node.chatUrl,
    chat_domain: node.app.addresses.chat_domain,
    application_id: node.application.id,
    auth_key: node.application.authKey,
    auth_secret: node.application.authSecret,
  };
  const people = await makePeople(credentials);
  return { server: await servePage(credentials, people), people };
}

/** What a peer connection of a page reports (W3C, Identifiers for WebRTC's Statistics API). */
export interface MediaFacts {
  framesDecoded: number;
  audioBytes: number;
  /** Types of the two ends of the pair of candidates that media takes. */
  ends: string[];
  /** How often ICE was begun, by the name it takes for each time. */
  ufrag: string;
}

/** A user at the page. */
export class Caller {
  /** What went wrong in the page, in the browser's words. */
  readonly faults: string[] = [];

  private constructor(readonly page: Page) {}

  /** Opens the page and signs a user in, who can be called then. */
  static async open(
    browser: BrowserContext,
    site: CallSite,
    login: string,
    query = "",
  ): Promise<Caller> {
    const page = await browser.newPage();
    const caller = new Caller(page);
    page.on("pageerror", (error) => caller.faults.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) caller.faults.push(message.text());
    });
    // As long as a test may take: it says no more than that something hangs.
    page.setDefaultTimeout(300_000);
    // The page shows what a person wants to know; the test asks its connection for the rest.
    await page.addInitScript(`
      window.peers = [];
      window.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...parts) { super(...parts); window.peers.push(this); }
      };
    `);
    await page.goto(`${site.server.url}?user=${login}${query}`);
    await page.click("#sign-in-button");
    await caller.sees("idle");
    await page.waitForSelector('#status-dot[data-status="online"]', { state: "attached" });
    return caller;
  }

  /** Waits for a state of the page: idle, calling, ringing, connecting, talking or ended. */
  async sees(state: string): Promise<void> {
    await this.page.waitForSelector(`body[data-view="${state}"]`);
  }

  /** What the page says of the call, below the other's name. */
  note(): Promise<string> {
    return this.page.innerText("#stage-note");
  }

  async dial(login: string, callType: "VIDEO" | "AUDIO" = "VIDEO"): Promise<void> {
    await this.page.click(`[data-dial="${login} ${callType}"]`);
  }

  click(id: string): Promise<void> {
    return this.page.click(`#${id}`);
  }

  /** Has the next call wait for its camera; answers how to let it have one. */
  async holdMedia(): Promise<() => Promise<void>> {
    await this.page.evaluate(`(() => {
      const devices = navigator.mediaDevices;
      const held = new Promise((resolve) => { window.releaseMedia = resolve; });
      const open = devices.getUserMedia.bind(devices);
      devices.getUserMedia = async (what) => { await held; return open(what); };
    })()`);
    return () => this.page.evaluate("window.releaseMedia()");
  }

  /** What the page's latest connection reports now. */
  media(): Promise<MediaFacts> {
    return this.page.evaluate(`(async () => {
      const peer = window.peers.at(-1);
      const all = [...(await peer.getStats()).values()];
      const inbound = (kind) => all.find((each) => each.type === "inbound-rtp" && each.kind === kind);
      const { selectedCandidatePairId } = all.find(({ type }) => type === "transport") ?? {};
      const pair = all.find(({ id }) => id === selectedCandidatePairId);
      const end = (id) => all.find((each) => each.id === id)?.candidateType ?? "none";
      return {
        framesDecoded: inbound("video")?.framesDecoded ?? 0,
        audioBytes: inbound("audio")?.bytesReceived ?? 0,
        ends: pair ? [end(pair.localCandidateId), end(pair.remoteCandidateId)] : [],
        ufrag: /a=ice-ufrag:(.+)/.exec(peer.remoteDescription?.sdp ?? "")?.[1]?.trim() ?? "",
      };
    })()`) as Promise<MediaFacts>;
  }
}
