import type { BrowserContext, Page } from "playwright-core";
import { eventually } from "../../../scripts/services/binaries";
import { CALL_FLAGS, fakeCameras, openBrowser } from "../calls/browser";

/** Chromium with the pages of npm run demo:conference. */
export interface DemoBrowser {
  /** Opens a page and joins. @param query of the page server's URL: `?user=…`, or `#` and a link's secret */
  join(url: string, query: string, name?: string): Promise<Page>;
  /** Closes all pages. @returns what they have thrown */
  closePages(): Promise<string[]>;
  dispose(): Promise<void>;
}

/**
 * Opens the browser, with fake cameras and microphones, and a screen to share.
 * @param cameras number of cameras
 */
export async function openDemoBrowser(cameras = 1): Promise<DemoBrowser> {
  const browser: BrowserContext & { dispose(): Promise<void> } = await openBrowser({
    args: [
      // The last of two equal flags counts.
      ...[...CALL_FLAGS, fakeCameras(cameras)],
      "--auto-select-desktop-capture-source=Entire screen",
    ],
  });
  const errors: string[] = [];
  return {
    async join(url, query, name) {
      const page = await browser.newPage();
      page.setDefaultTimeout(60_000);
      page.on("pageerror", (error) => errors.push(error.message));
      await page.addInitScript(`
        window.peers = [];
        window.RTCPeerConnection = class extends RTCPeerConnection {
          constructor(...parts) { super(...parts); window.peers.push(this); }
        };
        window.sockets = [];
        window.WebSocket = class extends WebSocket {
          constructor(...parts) { super(...parts); window.sockets.push(this); }
        };
        window.memberships = [];
        const send = window.fetch;
        window.fetch = async (...request) => {
          const response = await send(...request);
          const { data } = await response.clone().json().catch(() => ({}));
          if (data?.joinConference) window.memberships.push(data.joinConference.membershipId);
          return response;
        };
      `);
      await page.goto(`${url}${query}`);
      await page.waitForSelector("body[data-ready]");
      if (name !== undefined) await page.fill("#name", name);
      await page.click("#entry button");
      await page.waitForSelector("#controls:not([hidden])");
      return page;
    },
    async closePages() {
      for (const page of browser.pages().slice(1)) await page.close();
      return errors.splice(0);
    },
    dispose: () => browser.dispose(),
  };
}

/** Statistics of a received stream, so far. The last three tell what is missing from a video that stands still. */
interface Received {
  frames: number;
  bytes: number;
  keyFrames: number;
  packetsLost: number;
  keyFrameRequests: number;
}

/** What a page decodes and hears of others: one entry for each received stream. */
const received = (page: Page): Promise<Record<string, Received>> =>
  page.evaluate(`(async () => {
    const found = {};
    for (const peer of peers) {
      if (peer.connectionState !== "connected") continue;
      for (const report of (await peer.getStats()).values()) {
        if (report.type !== "inbound-rtp") continue;
        found[report.kind + peers.indexOf(peer) + "/" + report.mid] = {
          frames: report.framesDecoded ?? 0,
          bytes: report.bytesReceived,
          keyFrames: report.keyFramesDecoded ?? 0,
          packetsLost: report.packetsLost,
          keyFrameRequests: report.pliCount ?? 0,
        };
      }
    }
    return found;
  })()`);

/** Waits until that many videos are decoded further, and as many voices arrive. */
export async function plays(page: Page, videos: number, voices = videos): Promise<void> {
  const before = await received(page);
  await eventually(async () => {
    const after = await received(page);
    const now = Object.entries(after);
    const frames = now.filter(([key, { frames }]) => frames > (before[key]?.frames ?? 0) + 5);
    const sounds = now.filter(
      ([key, { bytes }]) => key.startsWith("audio") && bytes > (before[key]?.bytes ?? 0) + 300,
    );
    if (frames.length >= videos && sounds.length >= voices) return;
    const counts = `${frames.length} of ${videos} videos, ${sounds.length} of ${voices} voices`;
    throw new Error(`${counts}: ${JSON.stringify({ before, after })}`);
  });
}

/** Waits until an expression is true; page.waitForFunction would need eval, which the page's policy forbids. */
export const holds = (page: Page, expression: string) =>
  eventually(async () => {
    if (!(await page.evaluate(`Boolean(${expression})`))) throw new Error(expression);
  });

/** Waits until a page shows a text. */
export const shows = (page: Page, text: string) =>
  holds(page, `document.body.innerText.includes(${JSON.stringify(text)})`);

/** Waits until a page has that many tiles. */
export const tiles = (page: Page, count: number) =>
  eventually(async () => {
    const captions: string[] = await page.evaluate(
      '[...document.querySelectorAll("#tiles li")].map((tile) => tile.dataset.key + " " + tile.innerText)',
    );
    if (captions.length !== count) throw new Error(`not ${count} tiles: ${captions.join("; ")}`);
  });
