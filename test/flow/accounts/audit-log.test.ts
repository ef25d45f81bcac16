import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { accessTable, signalboxSchema } from "../../../src/transports/graphql/schema";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { eventually, HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser } from "../../support/rest-client";
import { PERMISSION_ROWS } from "../../support/security/permission-rows";
import { openWorld, type World } from "../../support/security/world";
import { memberToken, ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const ENTRY = `id createdAt memberId email role action outcome errorCode applicationId
  targets { name id } fields { name value cleared } ip userAgent requestId`;
const LOG = `query ($applicationId: ID, $memberId: ID, $action: String, $since: DateTime,
    $until: DateTime, $first: Int, $after: String, $last: Int, $before: String) {
  account { auditEntries(applicationId: $applicationId, memberId: $memberId, action: $action,
      since: $since, until: $until, first: $first, after: $after, last: $last, before: $before) {
    nodes { ${ENTRY} }
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } } }`;
const CREATE = `mutation ($name: String!) {
  createApplication(input: { name: $name }) { application { id } } }`;
const UPDATE = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { id } } }`;

/** All mutations that a member may run. */
const MUTATIONS = [...accessTable(signalboxSchema())]
  .filter(([name, { member }]) => name.startsWith("Mutation.") && member !== null)
  .map(([name]) => name);
/** Those that users may run as well. */
const SHARED = [...accessTable(signalboxSchema())]
  .filter(([name, { client }]) => MUTATIONS.includes(name) && client !== null)
  .map(([name]) => name);

const clock = new MovingClock();
let node: TestNode;
let foreignNode: TestNode;
let world: World;
let token: string;
let memberId: string;

beforeAll(async () => {
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  // Invitations need a mailer; no server listens there.
  node = await startNode({ SMTP_URL: "smtp://127.0.0.1:1" }, { clock, openEngine });
  foreignNode = await secondApplication(node);
  world = await openWorld(node, foreignNode, await newUser(node));
  // The clock of the node advances.
  token = await ownerToken(node, 10);
  const [member] = await node.sql<{ id: number }>(
    "SELECT id FROM account_members WHERE email = 'owner@localhost'",
  );
  memberId = String(member?.id);
});
afterAll(() => node.stop());

async function entries(variables: Record<string, unknown> = {}, as = token) {
  const answer = await graphql(node, LOG, variables, as);
  expect(answer.errors).toBeUndefined();
  return answer.data.account.auditEntries;
}
/** The id of the latest entry of the deployment. */
async function latestId(): Promise<number> {
  const [row] = await node.sql<{ id: number }>("SELECT max(id) AS id FROM audit_entries");
  return row?.id ?? 0;
}
const application = () => String(node.application.id);

describe("each mutation of members", () => {
  test("is in the schema", () => {
    expect(MUTATIONS).toContain("Mutation.deleteApplication");
    expect(MUTATIONS.length).toBeGreaterThan(10);
  });

  test.each(MUTATIONS)("%s leaves one entry: who, when, what, from which address", async (name) => {
    const row = PERMISSION_ROWS[name];
    if (!row) throw new Error(`${name} has no row`);
    const participants = await world.participants({
      owner: ownerCredentials(node),
      resetToken: () => "no link",
    });
    world.count += 1;
    const variables = row.variables(participants);
    const before = await latestId();
    const own = await ownerToken(node);
    const answer = await graphql(node, row.document, variables, own);
    expect(answer.errors).toBeUndefined();
    const rows = await node.sql("SELECT id FROM audit_entries WHERE id > $1", [before]);
    expect(rows).toHaveLength(1);
    // The mutation may have ended all sessions of the owner.
    token = await ownerToken(node, 10);
    const { input } = variables as { input?: { applicationId?: string; userId?: string } };
    const [entry] = (await entries({ first: 1 })).nodes;
    expect(entry).toMatchObject({
      memberId,
      email: "owner@localhost",
      role: "OWNER",
      action: name.replace("Mutation.", ""),
      outcome: "SUCCEEDED",
      errorCode: null,
      ip: "127.0.0.1",
      userAgent: "node",
      requestId: expect.stringMatching(/./),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    // Most name an object by its id alone.
    if (SHARED.includes(name)) expect(entry.applicationId).toBe(application());
    if (input?.applicationId !== undefined) {
      expect(entry.applicationId).toBe(input.applicationId);
      expect(entry.targets).toContainEqual({ name: "applicationId", id: input.applicationId });
    }
    if (input?.userId !== undefined) {
      expect(entry.targets).toContainEqual({ name: "userId", id: input.userId });
    }
  });
});

describe("an entry", () => {
  test("has the application of an object that only its id names, also when the change fails", async () => {
    const { conference } = await world.participants({ owner: ownerCredentials(node) });
    const close = `mutation ($input: ConferenceInput!) { closeConference(input: $input) { conference { id } } }`;
    for (const [outcome, errorCode] of [
      ["SUCCEEDED", null],
      ["FAILED", "CONFLICT"],
    ]) {
      await graphql(node, close, { input: { conferenceId: conference.id } }, token);
      expect((await entries({ first: 1 })).nodes[0]).toMatchObject({
        ...{ action: "closeConference", outcome, errorCode, applicationId: application() },
        targets: [
          { name: "conferenceId", id: conference.id },
          { name: "applicationId", id: application() },
        ],
      });
    }
  });

  test("has the push that somebody stops; a user who stops one leaves none", async () => {
    const { a, eventId } = await world.participants({ owner: ownerCredentials(node) });
    const stop = `mutation ($input: StopPushEventInput!) { stopPushEvent(input: $input) { event { id } } }`;
    const id = String(eventId);
    const run = (by: string) => graphql(node, stop, { input: { id } }, by);
    const before = await latestId();
    expect((await run(a.token)).errors).toBeUndefined();
    expect(await latestId()).toBe(before);
    const push = { name: "id", id };
    const own = [push, { name: "applicationId", id: application() }];
    for (const [by, entry] of [
      [token, { outcome: "SUCCEEDED", applicationId: application(), targets: own }],
      // A refused change is not looked at further.
      [
        await memberToken(node, "support"),
        { outcome: "FAILED", applicationId: null, targets: [push] },
      ],
    ] as const) {
      await run(by);
      const [latest] = (await entries({ first: 1 })).nodes;
      expect(latest).toMatchObject({ action: "stopPushEvent", ...entry });
    }
  });

  test("has that application also if the input names more objects than an entry lists", async () => {
    const { conference } = await world.participants({ owner: ownerCredentials(node) });
    const update = `mutation ($input: UpdateConferenceInput!) { updateConference(input: $input) { conference { id } } }`;
    const userIds = Array.from({ length: 150 }, (_, index) => String(1_000_000 + index));
    await graphql(node, update, { input: { conferenceId: conference.id, userIds } }, token);
    const [entry] = (await entries({ first: 1 })).nodes;
    expect(entry).toMatchObject({ action: "updateConference", applicationId: application() });
    expect(entry.targets).toHaveLength(100);
  });

  test("has the changed fields, with the values of those that are no secrets", async () => {
    const input = {
      applicationId: application(),
      name: "Renamed",
      signUpOpen: true,
      pushSenders: "MEMBERS",
      incomingCallPushDelaySeconds: 7,
      facebook: { appId: "12", appSecret: "the app's secret" },
      twitter: null,
    };
    expect((await graphql(node, UPDATE, { input }, token)).errors).toBeUndefined();
    const [{ fields, targets }] = (await entries({ first: 1 })).nodes;
    const field = (name: string, value: string | null, cleared = false) => ({
      ...{ name, value, cleared },
    });
    const sorted = [...fields].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(sorted).toEqual([
      field("facebook.appId", "12"),
      field("facebook.appSecret", null),
      field("incomingCallPushDelaySeconds", "7"),
      field("name", "Renamed"),
      field("pushSenders", "MEMBERS"),
      field("signUpOpen", "true"),
      field("twitter", null, true),
    ]);
    expect(targets).toEqual([{ name: "applicationId", id: application() }]);
  });

  test("of a creation has the id of what was created", async () => {
    const { data } = await graphql(node, CREATE, { name: "Made" }, token);
    const { id } = data.createApplication.application;
    const [entry] = (await entries({ first: 1 })).nodes;
    expect(entry).toMatchObject({ applicationId: id, targets: [{ name: "applicationId", id }] });
  });

  test("stays when its application is deleted", async () => {
    const { data } = await graphql(node, CREATE, { name: "Short-lived" }, token);
    const { id } = data.createApplication.application;
    const remove =
      "mutation ($i: DeleteApplicationInput!) { deleteApplication(input: $i) { deletedApplicationId } }";
    await graphql(node, remove, { i: { applicationId: id } }, token);
    const { nodes } = await entries({ applicationId: id });
    expect(nodes.map(({ action }: { action: string }) => action)).toEqual([
      "deleteApplication",
      "createApplication",
    ]);
  });

  test.each([
    ["an unknown application", "NOT_FOUND", { applicationId: "999999999" }],
    ["a wrong number", "INVALID", { incomingCallPushDelaySeconds: 99 }],
    ["a text that cannot be stored", "INVALID", { name: "a\0b" }],
  ])("of a failure by %s has the code %s", async (_what, code, changes) => {
    const input = { applicationId: application(), ...changes };
    const { errors } = await graphql(node, UPDATE, { input }, token);
    expect(errors?.[0].extensions.code).toBe(code);
    const [entry] = (await entries({ first: 1 })).nodes;
    expect(entry).toMatchObject({
      outcome: "FAILED",
      errorCode: code,
      action: "updateApplication",
    });
  });

  test("is made over the WebSocket, and for each alias", async () => {
    const before = await latestId();
    const socket = await openSocket(node, token);
    await socket.run(`mutation {
      a: createApplication(input: { name: "a" }) { application { id } }
      b: createApplication(input: { name: "b" }) { application { id } } }`);
    await socket.close();
    const rows = await node.sql<{ value: string; outcome: string }>(
      `SELECT fields->0->>'value' AS value, outcome FROM audit_entries WHERE id > $1 ORDER BY id`,
      [before],
    );
    expect(rows).toEqual([
      { value: "a", outcome: "succeeded" },
      { value: "b", outcome: "succeeded" },
    ]);
  });

  test("is made of a mutation that the role does not allow, and of none without a valid token", async () => {
    const supporter = await memberToken(node, "support");
    const before = await latestId();
    const refused = await graphql(node, CREATE, { name: "Refused" }, supporter);
    expect(refused.errors?.[0].extensions.code).toBe("FORBIDDEN");
    const input = { applicationId: application(), name: "n", webOrigins: ["https://a.example"] };
    const changed = await graphql(node, UPDATE, { input }, supporter);
    expect(changed.errors?.[0].extensions.code).toBe("FORBIDDEN");
    for (const wrong of [undefined, `acct_${"x".repeat(43)}`, "x".repeat(43)]) {
      const { errors } = await graphql(node, CREATE, { name: "Nobody" }, wrong);
      expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
    }
    const { token: user } = await world.signedInUser(node);
    const { errors } = await graphql(node, CREATE, { name: "User" }, user);
    expect(errors?.[0].extensions.code).toBe("FORBIDDEN");
    const rows = await node.sql(
      `SELECT action, outcome, error_code AS code, email, targets, fields FROM audit_entries
        WHERE id > $1 ORDER BY id`,
      [before],
    );
    const refusal = {
      outcome: "failed",
      code: "FORBIDDEN",
      email: `support-of-${node.application.id}@members.example`,
      fields: [],
    };
    expect(rows).toEqual([
      { ...refusal, action: "createApplication", targets: [] },
      {
        ...refusal,
        action: "updateApplication",
        targets: [{ name: "applicationId", id: application() }],
      },
    ]);
    // Every role may read the log.
    expect((await entries({ first: 1 }, supporter)).nodes[0].errorCode).toBe("FORBIDDEN");
  });

  test("is not made of a push that is only previewed", async () => {
    const row = PERMISSION_ROWS["Mutation.createPushEvent"];
    const participants = await world.participants({
      owner: ownerCredentials(node),
      resetToken: () => "no link",
    });
    const push = `mutation ($input: CreatePushEventInput!, $dryRun: Boolean!) {
      createPushEvent(input: $input, dryRun: $dryRun) { events { id } } }`;
    const before = await latestId();
    const { input } = row?.variables(participants) as { input: object };
    expect((await graphql(node, push, { input, dryRun: true }, token)).errors).toBeUndefined();
    expect(await latestId()).toBe(before);
    await graphql(node, push, { input, dryRun: false }, token);
    expect(await latestId()).toBeGreaterThan(before);
  });
});

const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";

describe("signing in and out", () => {
  test("leaves entries", async () => {
    const input = ownerCredentials(node);
    const before = await latestId();
    const { data } = await graphql(node, SIGN_IN, { input });
    await graphql(node, "mutation { signOutMember { signedOut } }", {}, data.signInMember.token);
    const rows = await node.sql(
      "SELECT action, outcome, email, ip FROM audit_entries WHERE id > $1 ORDER BY id",
      [before],
    );
    const entry = { outcome: "succeeded", email: "owner@localhost", ip: "127.0.0.1" };
    expect(rows).toEqual([
      { action: "signInMember", ...entry },
      { action: "signOutMember", ...entry },
    ]);
  });

  test("with a wrong password leaves an entry of the member, and of nobody for another e-mail", async () => {
    const before = await latestId();
    const wrong = (email: string) =>
      graphql(node, SIGN_IN, { input: { email, password: "a wrong password" } });
    await wrong("nobody@localhost");
    await wrong("owner@localhost");
    const rows = await eventually(
      () =>
        node.sql(
          `SELECT action, outcome, error_code AS code, email FROM audit_entries WHERE id > $1`,
          [before],
        ),
      (found) => found.length > 0,
    );
    expect(rows).toEqual([
      {
        action: "signInMember",
        outcome: "failed",
        code: "UNAUTHENTICATED",
        email: "owner@localhost",
      },
    ]);
  });

  test("leaves no entry of an attempt that the limits on failures refuse", async () => {
    const limited = await startNode({ FAILED_SIGN_INS_BEFORE_DELAY: "2" });
    const { email } = ownerCredentials(limited);
    const codes: string[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const input = { email, password: "a wrong password" };
      const { errors } = await graphql(limited, SIGN_IN, { input });
      codes.push(errors?.[0].extensions.code);
    }
    const checked = codes.filter((code) => code === "UNAUTHENTICATED").length;
    expect(codes).toContain("LIMITED");
    const rows = await eventually(
      () => limited.sql("SELECT error_code AS code FROM audit_entries"),
      (found) => found.length >= checked,
    );
    expect(rows).toEqual(Array(checked).fill({ code: "UNAUTHENTICATED" }));
    await limited.stop();
  });
});

describe("the list", () => {
  test("belongs to the account", async () => {
    const foreignToken = await ownerToken(foreignNode);
    await graphql(node, CREATE, { name: "Of the second account" }, foreignToken);
    // Names an application of the first account.
    await graphql(node, UPDATE, { input: { applicationId: application() } }, foreignToken);
    const foreign = await entries({}, foreignToken);
    expect(foreign.nodes.map(({ action }: { action: string }) => action)).toEqual([
      "updateApplication",
      "createApplication",
    ]);
    const ids = new Set(foreign.nodes.map(({ id }: { id: string }) => id));
    for (const filter of [{}, { applicationId: application() }, { action: "createApplication" }]) {
      const { nodes } = await entries(filter);
      expect(nodes.length).toBeGreaterThan(0);
      expect(nodes.filter(({ id }: { id: string }) => ids.has(id))).toEqual([]);
    }
    expect((await entries({ memberId }, foreignToken)).nodes).toEqual([]);
  });

  test("is filtered by application, member, mutation and time", async () => {
    const all = (await entries()).nodes;
    const expectOnly = async (filter: Record<string, unknown>, key: string, value: unknown) => {
      const { nodes } = await entries(filter);
      expect(nodes).toEqual(all.filter((entry: Record<string, unknown>) => entry[key] === value));
      expect(nodes.length).toBeGreaterThan(0);
    };
    await expectOnly({ applicationId: application() }, "applicationId", application());
    await expectOnly({ memberId }, "memberId", memberId);
    await expectOnly({ action: "signInMember" }, "action", "signInMember");
    expect((await entries({ action: "nothing" })).nodes).toEqual([]);

    clock.advance(HOUR);
    const since = new Date(Math.floor(clock.now() / 1000) * 1000).toISOString();
    await graphql(node, CREATE, { name: "Later" }, token);
    const later = await entries({ since });
    expect(later.nodes).toHaveLength(1);
    const earlier = await entries({ until: since });
    expect(earlier.nodes).toEqual(all);
    expect((await entries({ since, action: "rotateSecret" })).nodes).toEqual([]);
    expect((await entries({ since, action: "createApplication" })).nodes).toEqual(later.nodes);
  });

  test("takes one filter at a time, and ids", async () => {
    const failure = async (variables: Record<string, unknown>) =>
      (await graphql(node, LOG, variables, token)).errors?.[0].message;
    expect(await failure({ applicationId: "1", memberId: "1" })).toBe(
      "memberId cannot be combined with applicationId",
    );
    expect(await failure({ memberId: "1", action: "a" })).toBe(
      "action cannot be combined with memberId",
    );
    expect(await failure({ memberId: "x" })).toBe("memberId is not an id");
    for (const cursor of ["x", "1", "1-2-3", "-1", "999999999999999-1"]) {
      expect(await failure({ after: cursor })).toBe("after is not a cursor of this list");
    }
  });

  test("has pages in both directions, also of entries of one moment", async () => {
    clock.hold(true);
    for (const name of ["1", "2", "3", "4", "5"]) await graphql(node, CREATE, { name }, token);
    clock.hold(false);
    const all = (await entries({ action: "createApplication" })).nodes.map(
      ({ id }: { id: string }) => id,
    );
    const read = async (direction: "forward" | "backward") => {
      const found: string[] = [];
      for (let cursor: string | null = null, isMore = true; isMore; ) {
        const page: Record<string, unknown> =
          direction === "forward" ? { first: 2, after: cursor } : { last: 2, before: cursor };
        const { nodes, pageInfo } = await entries({ action: "createApplication", ...page });
        const ids = nodes.map(({ id }: { id: string }) => id);
        if (direction === "forward") found.push(...ids);
        else found.unshift(...ids);
        cursor = direction === "forward" ? pageInfo.endCursor : pageInfo.startCursor;
        isMore = direction === "forward" ? pageInfo.hasNextPage : pageInfo.hasPreviousPage;
      }
      return found;
    };
    expect(await read("forward")).toEqual(all);
    expect(await read("backward")).toEqual(all);
  });
});

describe("the entry and the change", () => {
  test("a mutation whose entry cannot be written does not run", async () => {
    await node.sql(
      "ALTER TABLE audit_entries ADD CONSTRAINT test_stop CHECK (action <> 'createApplication') NOT VALID",
    );
    const answer = await graphql(node, CREATE, { name: "Without an entry" }, token);
    await node.sql("ALTER TABLE audit_entries DROP CONSTRAINT test_stop");
    expect(answer.errors?.[0]).toMatchObject({
      message: "The audit log cannot be written, so nothing was changed",
      extensions: { code: "UNAVAILABLE" },
    });
    const made = await node.sql("SELECT 1 FROM applications WHERE name = 'Without an entry'");
    expect(made).toEqual([]);
  });

  test("a mutation whose outcome cannot be written has happened, and its entry stays STARTED", async () => {
    await node.sql(
      "ALTER TABLE audit_entries ADD CONSTRAINT test_stop CHECK (outcome = 'started') NOT VALID",
    );
    const answer = await graphql(node, CREATE, { name: "Without an outcome" }, token);
    await node.sql("ALTER TABLE audit_entries DROP CONSTRAINT test_stop");
    expect(answer.errors).toBeUndefined();
    const [entry] = (await entries({ first: 1 })).nodes;
    expect(entry).toMatchObject({ outcome: "STARTED", action: "createApplication" });
  });
});
