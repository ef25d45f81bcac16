import type { BrowserContext, Page } from "playwright-core";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { type GuideApp, runGuideApp } from "../support/calls/guide-app";
import { startNode, type TestNode } from "../support/node";

/** The first call of docs/FRONTEND.md, step by step in a real browser. */

let node: TestNode;
let app: GuideApp;
let browser: BrowserContext & { dispose(): Promise<void> };
const errors: string[] = [];
beforeAll(async () => {
  node = await startNode();
  app = await runGuideApp(node);
  browser = await openBrowser({ args: CALL_FLAGS });
});
afterEach(() => expect(errors).toEqual([]));
afterAll(async () => {
  await browser?.dispose();
  await app?.close();
  await node?.stop();
});

async function openAs(name: string): Promise<{ page: Page; userId: string }> {
  const page = await browser.newPage();
  // Shorter than jest's timeout, so that a test that hangs reports the step.
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(app.url.replace("me=ann", `me=${name}`));
  const text = await page.waitForFunction(
    "/number \\d+/.exec(document.getElementById('me').textContent)?.[0]",
  );
  return { page, userId: String(await text.jsonValue()).replace("number ", "") };
}

const showsVideo = (page: Page) =>
  page.waitForFunction(
    "document.getElementById('remote').getVideoPlaybackQuality().totalVideoFrames > 10",
  );

test("two windows call each other as the guide says, until one hangs up", async () => {
  const ann = await openAs("ann");
  const ben = await openAs("ben");
  expect(ann.userId).not.toBe(ben.userId);

  ann.page.once("dialog", (dialog) => void dialog.accept(ben.userId));
  await ann.page.click("#call");
  await ben.page.click("#accept");
  await Promise.all([showsVideo(ann.page), showsVideo(ben.page)]);

  await ben.page.click("#hang-up");
  await ann.page.waitForFunction(
    "document.getElementById('state').textContent === 'remote-hung-up'",
  );
  await ben.page.waitForFunction("document.getElementById('state').textContent === 'hung-up'");
});
