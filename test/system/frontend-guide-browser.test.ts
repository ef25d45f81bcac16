import type { BrowserContext, Page } from "playwright-core";
import { graphql } from "../../tools/graphql/graphql-http";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { type GuideApp, runGuideApp } from "../support/calls/guide-app";
import { startNode, type TestNode } from "../support/node";
import { blockUser } from "../support/sessions/blocks";

/** The first call and the conference of docs/FRONTEND.md, step by step in a real browser. */

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

async function openPage(address: string): Promise<Page> {
  const page = await browser.newPage();
  // Shorter than jest's timeout, so that a test that hangs reports the step.
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(address);
  return page;
}

async function openAs(name: string, path = "/"): Promise<{ page: Page; userId: string }> {
  const page = await openPage(new URL(`${path}?me=${name}`, app.url).href);
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
  const dora = await openAs("dora");
  const emil = await openAs("emil");
  expect(dora.userId).not.toBe(emil.userId);

  dora.page.once("dialog", (dialog) => void dialog.accept(emil.userId));
  await dora.page.click("#call");
  await showsState(emil.page, "^dora is calling$");
  await emil.page.click("#accept");
  await Promise.all([showsVideo(dora.page), showsVideo(emil.page)]);

  await emil.page.click("#hang-up");
  await dora.page.waitForFunction(
    "document.getElementById('state').textContent === 'remote-hung-up'",
  );
  await emil.page.waitForFunction("document.getElementById('state').textContent === 'hung-up'");
});

test.each([
  ["/"],
  ["/conference"],
])("%s shows why its session cannot be created, and asks once", async (path) => {
  const login = `blocked${path.replace("/", "-")}`;
  // The backend creates the user, whom its sessions then reach.
  await fetch(new URL(`/session/${login}`, app.url), { method: "POST" });
  const [user] = await node.sql<{ id: number }>("SELECT id FROM users WHERE login = $1", [login]);
  await blockUser(node, { id: user?.id ?? 0 });
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(new URL(`${path}?me=${login}`, app.url).href);
  await showsState(page, "^FORBIDDEN: This user is blocked");
  expect(await page.textContent("#me")).toBe("Not signed in");
  expect(requests.filter((each) => each.startsWith("/session/"))).toHaveLength(1);
});

const showsState = async (page: Page, pattern: string): Promise<string> => {
  const text = await page.waitForFunction(
    `new RegExp(${JSON.stringify(pattern)}).exec(document.getElementById('state').textContent)?.[0]`,
  );
  return String(await text.jsonValue());
};

/** Waits until a page shows this number of participants, each with a picture. */
const showsParticipants = (page: Page, count: number) =>
  page.waitForFunction(`(() => {
    const cameras = [...document.querySelectorAll("#tiles video:first-child")];
    const plays = (video) => video.getVideoPlaybackQuality().totalVideoFrames > 10;
    return cameras.length === ${count} && cameras.every(plays);
  })()`);

test("a user, an invited user and a guest meet in a conference as the guide says, until it is closed", async () => {
  const dora = await openAs("dora", "/conference");
  const emil = await openAs("emil", "/conference");
  await dora.page.click("#start");
  await showsParticipants(dora.page, 1);
  dora.page.once("dialog", (dialog) => void dialog.accept(emil.userId));
  await dora.page.click("#invite");
  await emil.page.click("#accept");
  await Promise.all([dora, emil].map(({ page }) => showsParticipants(page, 2)));

  await dora.page.click("#link");
  const guest = await openPage(await showsState(dora.page, "http:.*#.+"));
  guest.once("dialog", (dialog) => void dialog.accept("Grace"));
  await guest.click("#accept");
  await Promise.all([dora.page, emil.page, guest].map((page) => showsParticipants(page, 3)));
  await guest.click("#mute");
  await emil.page.waitForFunction("document.body.textContent.includes('Grace (muted)')");

  await emil.page.click("#leave");
  await showsState(emil.page, "^left$");
  await Promise.all([dora.page, guest].map((page) => showsParticipants(page, 2)));

  const session = await fetch(new URL("/session/dora", app.url), { method: "POST" });
  const { token } = (await session.json()) as { token: string };
  const list = await graphql(node, "{ conferences { nodes { id } } }", {}, token);
  const input = { conferenceId: list.data.conferences.nodes[0].id };
  const close =
    "mutation ($input: ConferenceInput!) { closeConference(input: $input) { conference { id } } }";
  await graphql(node, close, { input }, token);
  for (const page of [dora.page, guest]) await showsState(page, "^closed$");
});
