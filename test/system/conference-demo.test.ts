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
import { graphql } from "../../tools/graphql/graphql-http";
import { credentialsOf } from "../support/calls/call-page";
import {
  type DemoBrowser,
  holds,
  openDemoBrowser,
  plays,
  shows,
  tiles,
} from "../support/conferences/demo-pages";
import { startNode, type TestNode } from "../support/node";

/** Time for which the service keeps the seat of a participant without a connection, in milliseconds. */
const SEAT_MS = 15_000;

/** The page of npm run demo:conference in Chromium, with media through each engine. */

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
    browser = await openDemoBrowser();
    credentials = credentialsOf(node);
    people = await createDemoUsers(credentials);
  });
  beforeEach(async () => {
    const [ann] = people;
    if (!ann) throw new Error("no users");
    conference = await createDemoConference(credentials, ann, `Demo ${++conferences}`);
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

  it("three participants see and hear each other; who is muted, shares, comes late and leaves is shown", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben");
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
    const guest = await join(`#${conference.linkSecret}`, "Gwen Guest");
    await Promise.all([ann, ben, guest].map((page) => plays(page, 2)));

    await ann.click("#microphone");
    await shows(ben, "Ann Moreau · muted");
    await ann.click("#microphone");
    await holds(ben, '!document.body.innerText.includes("· muted")');

    await ben.click("#screen");
    await shows(ann, "Ben Lindqvist: screen");
    await plays(ann, 3, 2);
    await ben.click("#screen");
    await tiles(ann, 3);

    await guest.click("#leave");
    await shows(guest, "You have left.");
    await Promise.all([tiles(ann, 2), tiles(ben, 2)]);
    await plays(ann, 1);
  });

  it("a participant over the legacy protocol meets the others, shares, comes back after a cut, and leaves", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben&protocol=janus");
    const guest = await join(`#${conference.linkSecret}`, "Gwen Guest");
    await Promise.all([ann, ben, guest].map((page) => plays(page, 2)));
    await shows(ben, "Gwen Guest");

    await ben.click("#microphone");
    await shows(ben, "Ben Lindqvist (you) · muted");
    await ben.click("#screen");
    await shows(ben, "Ben Lindqvist (you): screen");
    await plays(ann, 2);
    await ben.click("#screen");

    await ben.evaluate("sockets.at(-1).close(4000)");
    await holds(ben, "sockets.length > 1 && sockets.at(-1).readyState === 1");
    await Promise.all([ann, ben, guest].map((page) => plays(page, 2)));
    await Promise.all([ann, ben, guest].map((page) => tiles(page, 3)));

    await guest.click("#leave");
    await tiles(ben, 2);
    await ben.click("#leave");
    await shows(ben, "You have left.");
    await tiles(ann, 1);
  });

  it("a participant whose socket is cut follows what happens afterwards", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben");
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
    await ann.evaluate("sockets.at(-1).close(4000)");
    await holds(ann, "sockets.length > 1 && sockets.at(-1).readyState === 1");
    const cem = await join("?user=cem");
    await tiles(ann, 3);
    await Promise.all([plays(ann, 2), plays(cem, 2)]);
  });

  it("a participant whose seat was lost comes back with its media and its mute", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben");
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
    await ann.click("#microphone");
    await shows(ben, "Ann Moreau · muted");
    const membershipId = await ann.evaluate("memberships.at(-1)");
    // As the service does once a participant was away for too long.
    const LEAVE = "mutation ($i: MembershipInput!) { leaveConference(input: $i) { done } }";
    const token = await signIn("ann");
    expect((await graphql(node, LEAVE, { i: { membershipId } }, token)).errors).toBeUndefined();
    await holds(ann, "memberships.length === 2");
    await shows(ben, "Ann Moreau · muted");
    await shows(ann, "Ann Moreau (you) · muted");
    await Promise.all([tiles(ann, 2), tiles(ben, 2)]);
    await Promise.all([plays(ann, 1), plays(ben, 1)]);
  });

  it("a page that is closed gives its seat back before the seat would expire", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben");
    await tiles(ann, 2);
    const closedAt = Date.now();
    await ben.goto("about:blank");
    await tiles(ann, 1);
    expect(Date.now() - closedAt).toBeLessThan(SEAT_MS);
  });

  it("an older tab says that another has replaced it, and a removed participant says so", async () => {
    const ann = await join("?user=ann");
    const ben = await join("?user=ben");
    const again = await join("?user=ben");
    await shows(ben, "This one has stopped.");
    await Promise.all([plays(ann, 1), plays(again, 1)]);

    const REMOVE =
      "mutation ($i: RemoveConferenceParticipantInput!) { removeConferenceParticipant(input: $i) { done } }";
    const participantId = await again.evaluate(
      'document.querySelector("#tiles .mirrored").dataset.key.split("/")[0]',
    );
    const moderator = await signIn("ann");
    const i = { conferenceId: conference.id, participantId };
    expect((await graphql(node, REMOVE, { i }, moderator)).errors).toBeUndefined();
    await shows(again, "A moderator has removed you.");
    await tiles(ann, 1);
  });

  /** @returns the token of a new session of a user */
  async function signIn(login: string): Promise<string> {
    const token = await createApplicationSession(credentials);
    const password = people.find((each) => each.login === login)?.password;
    const SIGN_IN = "mutation ($input: LoginInput!) { login(input: $input) { user { id } } }";
    const { errors: refused } = await graphql(node, SIGN_IN, { input: { login, password } }, token);
    expect(refused).toBeUndefined();
    return token;
  }
});
