import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createApplicationSession, createDemoUsers } from "../../demo/call/demo-users";
import type { PageServer } from "../../demo/call/page-server";
import {
  createDemoConference,
  type DemoConference,
  serveConferencePage,
} from "../../demo/conference/demo-conference";
import type { ServerCredentials } from "../../demo/server";
import { ENGINE_SERVERS, type EngineServer } from "../../tools/conferences/engine-servers";
import { mutate } from "../../tools/conferences/graphql-participant";
import { graphql } from "../../tools/graphql/graphql-http";
import { credentialsOf } from "../support/calls/call-page";
import { buildDemo } from "../support/cli/demo";
import {
  type DemoBrowser,
  holds,
  openDemoBrowser,
  plays,
  shows,
  tiles,
} from "../support/conferences/demo-pages";
import { startNode, type TestNode } from "../support/node";

/** What people do with the page of npm run demo:conference, on each engine and over both protocols. */

/** Number of fake cameras: the second one is a depth camera, whose pictures no encoder takes. */
const CAMERAS = 3;
/** Width of a phone, in CSS pixels. */
const PHONE = { width: 390, height: 780 };

const tileOf = (name: string) =>
  `[...document.querySelectorAll("#tiles li")].find((tile) => tile.innerText.includes(${JSON.stringify(name)}))`;

/** Whether a live track of this device is sent, and none of the kind from another device. */
const sends = (kind: "audio" | "video", device: string) => `(() => {
  const tracks = peers
    .filter((peer) => peer.connectionState === "connected")
    .flatMap((peer) => peer.getSenders())
    .flatMap(({ track }) => (track?.kind === "${kind}" && track.readyState === "live" ? [track] : []));
  return tracks.length > 0 && tracks.every((track) => track.getSettings().deviceId === ${JSON.stringify(device)});
})()`;

/** Fails if something is wider than the page, or a control cannot be clicked. */
async function fits(page: Page): Promise<void> {
  const wrong = await page.evaluate(`(() => {
    const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
    const name = (element) => element.tagName + "#" + element.id + "." + element.className;
    const wide = [...document.body.querySelectorAll("*")].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return isShown(element) && (left < -1 || right > innerWidth + 1);
    });
    const covered = [...document.querySelectorAll("button, select, input")].filter((element) => {
      if (!isShown(element)) return false;
      element.scrollIntoView({ block: "center" });
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return !element.contains(hit);
    });
    const { scrollWidth } = document.documentElement;
    return [
      ...(scrollWidth > innerWidth ? ["scrolls to " + scrollWidth] : []),
      ...wide.map((element) => "too wide: " + name(element)),
      ...covered.map((element) => "covered: " + name(element)),
    ];
  })()`);
  expect(wrong).toEqual([]);
}

describe.each(ENGINE_SERVERS)("on $name", ({ start }) => {
  let engine: EngineServer;
  let node: TestNode;
  let credentials: ServerCredentials;
  let people: Awaited<ReturnType<typeof createDemoUsers>>;
  let conference: DemoConference;
  let server: PageServer;
  let browser: DemoBrowser;
  let conferences = 0;

  beforeAll(async () => {
    engine = await start();
    node = await startNode(engine.environment);
    browser = await openDemoBrowser(CAMERAS);
    credentials = credentialsOf(node);
    people = await createDemoUsers(credentials);
  });
  beforeEach(async () => {
    const [ann] = people;
    if (!ann) throw new Error("no users");
    conference = await createDemoConference(credentials, ann, `Page ${++conferences}`);
    const janusUrl = node.app.conferenceUrls.ws ?? "";
    server = await serveConferencePage(credentials, people, conference, janusUrl);
  });
  afterEach(async () => {
    const errors = await browser.closePages();
    await server.close();
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await browser?.dispose();
    await node?.stop();
    await engine?.stop();
  });

  const join = (query: string, name?: string): Promise<Page> =>
    browser.join(server.url, query, name);

  test.each([
    ["GraphQL", ""],
    ["the Janus protocol", "&protocol=janus"],
  ])("over %s, a participant switches camera and microphone, and the others go on", async (_name, protocol) => {
    const ann = await join("?user=ann");
    const ben = await join(`?user=ben${protocol}`);
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
    await ben.click("#devices summary");
    for (const kind of ["video", "audio"] as const) {
      const select = `#${kind}-devices`;
      const used: string = await ben.inputValue(select);
      const devices: string[] = await ben.evaluate(
        `[...document.querySelector("${select}").options].map(({ value }) => value)`,
      );
      const other = devices.findLast((device) => device !== used);
      if (!other) throw new Error(`no other device than ${used}: ${devices}`);
      await holds(ben, sends(kind, used));
      await ben.selectOption(select, other);
      await holds(ben, sends(kind, other));
      await plays(ann, 1);
    }
    // A new track stays muted.
    await ben.click("#camera");
    const [first = ""]: string[] = await ben.evaluate(
      '[...document.querySelector("#video-devices").options].map(({ value }) => value)',
    );
    await ben.selectOption("#video-devices", first);
    await holds(ben, sends("video", first));
    await holds(
      ben,
      `peers.flatMap((peer) => peer.getSenders()).some(({ track }) => track?.kind === "video" && !track.enabled)`,
    );
  });

  it("a camera that is off is dark for the others, and who speaks, bitrate and loss are shown", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben");
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
    await ann.click("#camera");
    const dark = `${tileOf("Ann Moreau")}.classList.contains("dark")`;
    await Promise.all([holds(ben, dark), holds(ann, dark)]);
    await holds(ann, 'document.querySelector("#camera").innerText === "Camera on"');
    await ann.click("#camera");
    await Promise.all([holds(ben, `!${dark}`), holds(ann, `!${dark}`)]);

    const speaking = `${tileOf("Ann Moreau")}.classList.contains("speaking")`;
    await Promise.all([holds(ben, speaking), holds(ann, speaking)]);
    const text = `/[1-9]\\d* kbit\\/s.*\\d+ ?% lost/s.test(${tileOf("Ann Moreau")}.innerText)`;
    await holds(ben, text);
    await ann.click("#microphone");
    await holds(ben, `!${speaking}`);
  });

  it("a removed participant says so over the Janus protocol, and a guest without a link leaves its page", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben&protocol=janus");
    const guest = await join(`#${conference.linkSecret}`, "Gwen Guest");
    await Promise.all([ann, ben, guest].map((page) => plays(page, 2)));
    const moderator = await signIn("ann");
    const links = "query ($id: ID!) { conferenceLinks(conferenceId: $id) { id } }";
    const { data, errors } = await graphql(node, links, { id: conference.id }, moderator);
    expect(errors).toBeUndefined();
    const linkId = data.conferenceLinks[0].id;
    await mutate(node, "deleteConferenceLink", "deletedLinkId", { linkId }, moderator);
    await shows(guest, "The link is no longer valid.");
    await Promise.all([tiles(ann, 2), tiles(ben, 2)]);

    const participantId: string = await ben.evaluate(
      `${tileOf("(you)")}.dataset.key.split("/")[0]`,
    );
    const input = { conferenceId: conference.id, participantId };
    await mutate(node, "removeConferenceParticipant", "done", input, moderator);
    await shows(ben, "A moderator has removed you.");
    await tiles(ann, 1);
  });

  it.each([
    ["a participant", "?user=ben"],
    ["a participant over the Janus protocol", "?user=ben&protocol=janus"],
  ])("on a phone, everything fits and can be reached by %s", async (_name, query) => {
    const ann = await join("?user=ann");
    const ben = await join(query);
    await ben.setViewportSize(PHONE);
    await join(`#${conference.linkSecret}`, "Guest with a long name that has to end somewhere");
    await tiles(ben, 3);
    if (!query.includes("janus")) {
      await ann.click("#screen");
      await tiles(ben, 4);
    }
    await plays(ben, 2);
    await holds(ben, "/kbit/.test(document.body.innerText)");
    await fits(ben);
    await ben.click("#leave");
    await shows(ben, "You have left.");
    await fits(ben);
  });

  /** @returns the token of a new session of a user */
  async function signIn(login: string): Promise<string> {
    const token = await createApplicationSession(credentials);
    const password = people.find((each) => each.login === login)?.password;
    await mutate(node, "login", "user { id }", { login, password }, token);
    return token;
  }
});

test("npm run demo:conference prints three addresses that meet in one conference", async () => {
  buildDemo();
  const folder = mkdtempSync(join(tmpdir(), "signalbox-demo-conference-"));
  const child = spawn(process.execPath, [join(__dirname, "../../dist/demo/conference/main.js")], {
    env: { PATH: process.env.PATH, TMPDIR: folder, CONFERENCE_PAGE_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const browser = await openDemoBrowser();
  try {
    let output = "";
    const ended = new Promise<never>((_resolve, reject) => {
      child.once("exit", () => reject(new Error(output)));
    });
    ended.catch(() => undefined);
    const printed = new Promise<void>((resolve) => {
      const keep = (chunk: Buffer) => {
        output += chunk;
        if (output.includes("Ctrl+C stops the server")) resolve();
      };
      for (const stream of [child.stdout, child.stderr]) stream.on("data", keep);
    });
    await Promise.race([printed, ended]);
    const pages: Page[] = [];
    for (const [row, name] of [["User"], ["Legacy"], ["Guest", "Gwen Guest"]]) {
      const address = new RegExp(`${row} +(http://127\\.0\\.0\\.1:\\d+/\\S+)`).exec(output)?.[1];
      pages.push(await browser.join(address ?? `no ${row} in ${output}`, "", name));
    }
    await Promise.all(pages.map((page) => plays(page, 2)));
    await Promise.all(pages.map((page) => tiles(page, 3)));
    expect(await browser.closePages()).toEqual([]);
  } finally {
    await browser.dispose();
    const gone = once(child, "exit");
    child.kill("SIGINT");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
});
