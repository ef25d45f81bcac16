import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BrowserContext } from "playwright-core";
import { CALL_FLAGS, openBrowser } from "../support/calls/browser";
import { closeAfterEach } from "../support/close-after-each";
import { startNode, type TestNode } from "../support/node";
import { printedPhoneSteps, printedSteps } from "../support/printed-steps";
import {
  ExamplePage,
  type ExampleServer,
  runExample,
} from "../support/published-clients/react-example";
import { blockUser } from "../support/sessions/blocks";

/** The steps of README.md, "Ten minutes to a call in your own page", in two tabs of a real browser. */

const { commands, address, names, excerpts } = printedSteps();
const [prepare = "", start = "", copy = ""] = commands;
const [ANN = "", BEN = ""] = names;

const run = promisify(execFile);

let node: TestNode;
let folder: string;
let browser: BrowserContext & { dispose(): Promise<void> };
let ann: ExamplePage;
let ben: ExamplePage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-example-"));
  node = await startNode();
  const screen = "--auto-select-desktop-capture-source=Entire screen";
  browser = await openBrowser({ args: [...CALL_FLAGS, screen, "--ignore-certificate-errors"] });
});
afterEach(async () => {
  for (const page of browser.pages().slice(1)) await page.close();
  expect([ann, ben].flatMap(({ errors }) => errors)).toEqual([]);
});
/** Servers end after the pages, which would report it. */
const opened = closeAfterEach<ExampleServer>();
afterAll(async () => {
  await browser?.dispose();
  await node?.stop();
  await rm(folder, { recursive: true });
});

async function openBoth(url: string): Promise<void> {
  [ann, ben] = [await ExamplePage.open(browser, url), await ExamplePage.open(browser, url)];
  await ann.signIn(ANN);
  await ben.signIn(BEN);
}

describe("from the repository,", () => {
  let server: ExampleServer;
  beforeAll(async () => {
    server = await runExample(start, node);
    expect(new URL(server.url).hostname).toBe(new URL(address).hostname);
  });
  afterAll(() => server?.close());

  it("two pages call by video with mute, screen and another device, and meet in a conference", async () => {
    await openBoth(server.url);
    await ann.click(`Call ${BEN} by video`);
    await ben.shows("is calling you by video");
    await ben.click("Accept");
    await Promise.all([ann.watches(), ben.watches()]);

    await ben.click("Mute microphone");
    await ann.page.locator("figcaption .off").waitFor();
    await ben.click("Turn camera off");
    await ann.page.locator(".tile .avatar").waitFor();
    await ben.click("Turn camera off");
    await ann.page.locator(".tile .avatar").waitFor({ state: "detached" });
    await ben.click("Choose devices");
    await ben.page
      .locator("label", { hasText: "Microphone" })
      .locator("select")
      .selectOption({ index: 1 });
    await ben.click("Share screen");
    await ben.page.locator("button[aria-label='Share screen'][aria-pressed=true]").waitFor();
    await Promise.all([ann.watches(), ben.watches()]);
    await ann.click("Hang up");
    await ben.shows(`${ANN} hung up`);
    await ann.shows("Call ended");

    await ann.page.getByLabel("Name of the conference").fill("Team");
    await ann.click("Start");
    await ann.shows("1 here");
    await ann.click(`Invite ${BEN}`);
    await ben.shows(`${ANN} invites you to Team`);
    await ben.click("Not now");
    await ben.click("Join Team");
    await Promise.all([ann.shows("2 here"), ben.shows("2 here")]);
    await Promise.all([ann.watches(), ben.watches()]);
    await ben.click("Leave");
    await ann.shows("1 here");
    await ann.click("Leave");
    await ann.shows("Contacts");

    // React renders each component twice in StrictMode, and mounts it twice.
    for (const { page, sessions } of [ann, ben]) {
      expect(await page.evaluate("sockets.length")).toBe(1);
      expect(sessions).toHaveLength(1);
    }
  });

  it("a name that cannot sign in is shown with its reason, and leads back", async () => {
    const login = "ned";
    // The backend creates the user, whom its sessions then reach.
    await fetch(new URL("/session", server.url), {
      method: "POST",
      body: JSON.stringify({ name: login }),
    });
    const [user] = await node.sql<{ id: number }>("SELECT id FROM users WHERE login = $1", [login]);
    await blockUser(node, { id: user?.id ?? 0 });
    const { page } = await ExamplePage.open(browser, server.url);
    await page.getByLabel("Your name").fill(login);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This user is blocked").waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByLabel("Your name").waitFor();
  });

  it("a declined call says so, and a page that is loaded again stays signed in", async () => {
    await openBoth(server.url);
    await ann.page.reload();
    await ann.click(`Call ${BEN}`);
    await ben.shows("is calling you");
    await ben.click("Decline");
    await ann.shows(`${BEN} declined`);
    await ann.click("Sign out");
    await ann.page.getByLabel("Your name").waitFor();
  });
});

it("the page works as a copy outside of the repository with the packed package", async () => {
  const page = join(folder, "my-page");
  const own = copy
    .replaceAll("../my-page", page)
    .replace("npm install", "npm install --prefer-offline --no-audit --no-fund");
  expect(own).not.toBe(copy);
  const server = opened(await runExample(own, node));
  await run("npm", ["run", "check"], { cwd: page });
  await openBoth(server.url);
  await ben.click(`Call ${ANN} by video`);
  await ann.click("Accept");
  await Promise.all([ann.watches(), ben.watches()]);
  await ann.click("Hang up");
  await ben.shows(`${ANN} hung up`);

  // Without its URL of the service, the page would be built and could not sign anybody in.
  const build = { cwd: page, env: { ...process.env, VITE_SIGNALBOX_URL: "" } };
  await expect(run("npm", ["run", "build"], build)).rejects.toMatchObject({
    stderr: expect.stringContaining("Set VITE_SIGNALBOX_URL to the URL at which browsers reach"),
  });
  build.env.VITE_SIGNALBOX_URL = node.baseUrl;
  await run("npm", ["run", "build"], build);
  const built = opened(
    await runExample(`cd ${page}; SIGNALBOX_API_KEY=sbk_… PORT=0 npm start`, node),
  );
  await openBoth(built.url);
  await ann.click(`Call ${BEN} by video`);
  await ben.click("Accept");
  await Promise.all([ann.watches(), ben.watches()]);
  await ben.click("Hang up");
  await ann.shows(`${BEN} hung up`);
});

it("a phone in the local network gets the page over HTTPS, and everything from one address", async () => {
  const { certificate, page } = printedPhoneSteps();
  await run("bash", ["-ec", `ADDRESS=127.0.0.1\n${certificate}`], { cwd: folder });
  const server = opened(await runExample(page.replaceAll("$PWD", folder), node));
  expect(new URL(server.url).protocol).toBe("https:");
  await openBoth(server.url);
  await ann.click(`Call ${BEN} by video`);
  await ben.click("Accept");
  await Promise.all([ann.watches(), ben.watches()]);
  await ann.click("Hang up");
  await ben.shows(`${ANN} hung up`);
});

it("README.md prepares the application by commands that exist", () => {
  expect(prepare.match(/^npx signalbox \S+ \S+/gm)).toEqual([
    "npx signalbox app update",
    "npx signalbox api-key create",
  ]);
});

it("README.md prints the code of the example", async () => {
  expect(excerpts.length).toBeGreaterThan(3);
  const unindented = (text: string) => text.replace(/^ +/gm, "").trim();
  for (const [file, code] of excerpts) {
    const source = await readFile(join(__dirname, "../../examples/react", file), "utf8");
    expect(unindented(source)).toContain(unindented(code));
  }
});
