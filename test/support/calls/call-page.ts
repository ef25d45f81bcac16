import type { BrowserContext, Page } from "playwright-core";
import { createDemoUsers, type DemoUser } from "../../../demo/call/demo-users";
import { type PageServer, servePage } from "../../../demo/call/page-server";
import type { ServerCredentials } from "../../../demo/server";
import type { TestNode } from "../node";

/** The page of demo/call for a test node, and its users. */
export interface CallSite {
  server: PageServer;
  people: DemoUser[];
}

/** Creates the page's users on a node, and serves the page. */
export async function serveCallPage(node: TestNode): Promise<CallSite> {
  const credentials = credentialsOf(node);
  const people = await createDemoUsers(credentials);
  return { server: await servePage(credentials, people), people };
}

/** The credentials of a node, as it writes them to credentials.json. */
export function credentialsOf(node: TestNode): ServerCredentials {
  return {
    base_url: node.baseUrl,
    graphql_url: node.graphqlUrl,
    chat_url: node.chatUrl,
    chat_domain: node.app.addresses.chat_domain,
    application_id: node.application.id,
    auth_key: node.application.authKey,
    auth_secret: node.application.authSecret,
  };
}

/** Statistics of a peer connection (W3C, Identifiers for WebRTC's Statistics API). */
export interface MediaStats {
  framesDecoded: number;
  audioBytes: number;
  /** Local and remote candidate types of the selected candidate pair. */
  ends: string[];
  /** Remote ICE user fragment, which changes with each ICE restart. */
  ufrag: string;
}

/** A user of the page. */
export class CallPage {
  /** Errors and warnings of the page. */
  readonly errors: string[] = [];

  private constructor(readonly page: Page) {}

  /** Opens the page and signs a user in, who can then be called. */
  static async open(
    browser: BrowserContext,
    site: CallSite,
    login: string,
    query = "",
  ): Promise<CallPage> {
    const page = await browser.newPage();
    const caller = new CallPage(page);
    page.on("pageerror", (error) => caller.errors.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) caller.errors.push(message.text());
    });
    // Shorter than jest's timeout, so that a test that hangs reports the step.
    page.setDefaultTimeout(200_000);
    // Exposes the page's peer connections to the test.
    await page.addInitScript(`
      window.peers = [];
      window.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...parts) { super(...parts); window.peers.push(this); }
      };
    `);
    await page.goto(`${site.server.url}?user=${login}${query}`);
    await page.click("#sign-in-button");
    await caller.waitForView("idle");
    await page.waitForSelector('#status-dot[data-status="online"]', { state: "attached" });
    return caller;
  }

  /** Waits for a state of the page: idle, calling, ringing, connecting, talking or ended. */
  async waitForView(state: string): Promise<void> {
    try {
      await this.page.waitForSelector(`body[data-view="${state}"]`);
    } catch (error) {
      const view = await this.page.getAttribute("body", "data-view");
      const shown = `The page shows "${view}" (${await this.note()}), not "${state}"`;
      throw new Error([shown, ...this.errors].join("\n"), { cause: error });
    }
  }

  /** The page's text about the call, below the peer's name. */
  note(): Promise<string> {
    return this.page.innerText("#call-note");
  }

  async dial(login: string, callType: "VIDEO" | "AUDIO" = "VIDEO"): Promise<void> {
    await this.page.click(`[data-dial="${login} ${callType}"]`);
  }

  click(id: string): Promise<void> {
    return this.page.click(`#${id}`);
  }

  /** Blocks the next call's camera. @returns unblocks it */
  async blockCamera(): Promise<() => Promise<void>> {
    await this.page.evaluate(`(() => {
      const devices = navigator.mediaDevices;
      const held = new Promise((resolve) => { window.releaseMedia = resolve; });
      const open = devices.getUserMedia.bind(devices);
      devices.getUserMedia = async (what) => { await held; return open(what); };
    })()`);
    return () => this.page.evaluate("window.releaseMedia()");
  }

  /** Current statistics of the page's latest peer connection. */
  media(): Promise<MediaStats> {
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
    })()`) as Promise<MediaStats>;
  }
}
