import { graphql, newUser, rest, signed } from "../support/client";
import { connectSocket } from "../support/graphql-socket";
import { MINUTE, MovingClock } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { ownerToken } from "../support/owner";
import { secondApplication } from "../support/second-application";

const FIELDS = `id name authKey authSecret previousSecretValidUntil v1ListDisabled signUpOpen
  webOrigins accountKey facebook { appId appSecretSet baseUrl version }
  twitter { consumerKey consumerSecretSet baseUrl } firebase { projectId keysUrl }`;
const payload = (name: string, input: string) =>
  `mutation ($input: ${input}!) { ${name}(input: $input) { application { ${FIELDS} } } }`;
const CREATE = payload("createApplication", "CreateApplicationInput");
const UPDATE = payload("updateApplication", "UpdateApplicationInput");
const ROTATE = payload("rotateSecret", "RotateSecretInput");
const READ = `query ($id: ID!) { application(id: $id) { ${FIELDS} } }`;

const clock = new MovingClock();
let node: TestNode;
let elsewhere: TestNode;
let owner: string;
beforeAll(async () => {
  node = await startNode({}, { clock });
  elsewhere = await secondApplication(node);
  owner = await ownerToken(node);
});
afterAll(() => node.stop());

const run = async (document: string, variables: object, token = owner) =>
  graphql(node, document, { ...variables }, token);

async function created(name = "Another") {
  const { data, errors } = await run(CREATE, { input: { name } });
  expect(errors).toBeUndefined();
  return data.createApplication.application;
}

const asNode = (application: { id: string; authKey: string; authSecret: string }): TestNode => ({
  ...node,
  application: { ...application, id: Number(application.id), accountKey: "" },
});

describe("createApplication", () => {
  it("makes an application that users can sign up to at once", async () => {
    const application = await created("Shop");
    expect(application).toEqual({
      id: expect.any(String),
      name: "Shop",
      authKey: expect.stringMatching(/^[\w-]{16}$/),
      authSecret: expect.stringMatching(/^[\w-]{43}$/),
      previousSecretValidUntil: null,
      v1ListDisabled: true,
      signUpOpen: true,
      webOrigins: [],
      accountKey: node.application.accountKey,
      facebook: null,
      twitter: null,
      firebase: null,
    });
    expect((await newUser(asNode(application))).id).toEqual(expect.any(Number));
    const { data } = await run("{ account { applications { id } } }", {});
    expect(data.account.applications).toContainEqual({ id: application.id });
    const [row] = await node.sql<{ auth_secret: string }>(
      "SELECT auth_secret FROM applications WHERE id = $1",
      [application.id],
    );
    expect(row?.auth_secret).toMatch(/^sealed:/);
  });
});

describe("updateApplication", () => {
  it("writes secrets that it never shows, and keeps what is left out", async () => {
    const { id } = await created();
    const change = async (input: object) =>
      (await run(UPDATE, { input: { applicationId: id, ...input } })).data.updateApplication
        .application;
    const facebook = { appId: "1", appSecret: "very secret", version: "v19.0" };
    const shown = { appId: "1", appSecretSet: true, baseUrl: null, version: "v19.0" };
    await node.sql('UPDATE applications SET settings = \'{"push":{"a_b":1}}\' WHERE id = $1', [id]);
    expect(await change({ facebook, firebase: { projectId: "p" } })).toMatchObject({
      facebook: shown,
      firebase: { projectId: "p", keysUrl: null },
    });
    expect(
      await change({ facebook: { baseUrl: "http://127.0.0.1:1" }, name: "New" }),
    ).toMatchObject({ name: "New", facebook: { ...shown, baseUrl: "http://127.0.0.1:1" } });
    const settings = async () =>
      (
        await node.sql<{ settings: object }>("SELECT settings FROM applications WHERE id = $1", [
          id,
        ])
      )[0]?.settings;
    expect(await settings()).toMatchObject({ push: { a_b: 1 } });
    expect(JSON.stringify(await settings())).not.toContain("very secret");
    expect(await change({ facebook: null, signUpOpen: false })).toMatchObject({
      facebook: null,
      firebase: { projectId: "p" },
      signUpOpen: false,
    });
  });

  it.each([
    ["webOrigins", { webOrigins: ["https://app.example/path"] }],
    ["webOrigins", { webOrigins: ["app.example"] }],
    ["webOrigins", { webOrigins: ["javascript:alert(1)"] }],
    ["facebook.appSecret", { facebook: { appId: "1" } }],
    ["facebook.baseUrl", { facebook: { appId: "1", appSecret: "s", baseUrl: "file:///x" } }],
    ["firebase.keysUrl", { firebase: { projectId: "1", keysUrl: "nowhere" } }],
    ["name", { name: "" }],
  ])("refuses a wrong %s: %j", async (field, input) => {
    const applicationId = String(node.application.id);
    const { errors } = await run(UPDATE, { input: { applicationId, ...input } });
    expect(errors?.[0].extensions.code).toBe("INVALID");
    expect(Object.keys(errors?.[0].extensions.fields ?? {})).toEqual([field]);
  });
});

describe("rotateSecret", () => {
  it("keeps the old secret valid for the overlap, and no longer", async () => {
    const before = await created();
    const input = { applicationId: before.id, overlapSeconds: 60 };
    const after = (await run(ROTATE, { input })).data.rotateSecret.application;
    expect(after.authSecret).not.toBe(before.authSecret);
    expect(after.previousSecretValidUntil).toMatch(/Z$/);
    const sign = async (application: typeof before) =>
      (await rest(node, "POST", "/session", { body: signed(asNode(application), clock.now()) }))
        .status;
    expect([await sign(before), await sign(after)]).toEqual([201, 201]);
    clock.advance(MINUTE);
    expect([await sign(before), await sign(after)]).toEqual([422, 201]);
    const shown = await run(READ, { id: before.id });
    expect(shown.data.application.previousSecretValidUntil).toBeNull();
  });

  it.each([-1, 30 * 24 * 3600 + 1])("refuses an overlap of %i seconds", async (overlapSeconds) => {
    const applicationId = String(node.application.id);
    const { errors } = await run(ROTATE, { input: { applicationId, overlapSeconds } });
    expect(Object.keys(errors?.[0].extensions.fields)).toEqual(["overlapSeconds"]);
  });
});

describe("the lists of an application", () => {
  const LIST = `query ($id: ID!, $search: String, $offset: SafeInt) { application(id: $id) {
    users(search: $search, limit: 2, offset: $offset) { totalCount offset limit nodes { login } }
    sessions(limit: 1) { totalCount nodes { id userId ip userAgent lastActivityAt expiresAt } } } }`;

  it("pages through users by the beginning of login or e-mail, and through sessions", async () => {
    const place = asNode(await created());
    for (const login of ["Anna", "ann.", "ben"]) await newUser(place, { login });
    await newUser(place, { login: "zoe", email: "ann@mail.example" });
    const id = String(place.application.id);
    const { data } = await run(LIST, { id, search: "ANN" });
    expect(data.application.users).toEqual({
      ...{ totalCount: 3, offset: 0, limit: 2 },
      nodes: [{ login: "Anna" }, { login: "ann." }],
    });
    const next = await run(LIST, { id, search: "ann", offset: 2 });
    expect(next.data.application.users.nodes).toEqual([{ login: "zoe" }]);
    expect((await run(LIST, { id, search: "ann." })).data.application.users.totalCount).toBe(1);
    expect(data.application.sessions).toEqual({
      totalCount: 8,
      nodes: [
        {
          id: expect.any(String),
          userId: expect.any(Number),
          ip: "127.0.0.1",
          userAgent: expect.any(String),
          lastActivityAt: expect.stringMatching(/Z$/),
          expiresAt: expect.stringMatching(/Z$/),
        },
      ],
    });
  });
});

describe("a user's data", () => {
  const EXPORT =
    "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }";
  const ERASE =
    "mutation ($input: ApplicationUserInput!) { eraseUser(input: $input) { erasedUserId } }";

  it("is exported in whole without hashes, then erased in whole", async () => {
    const user = await newUser(node, { tag_list: "a,b" });
    const input = { applicationId: String(node.application.id), userId: String(user.id) };
    const [call] = await node.sql<{ id: number }>(
      `INSERT INTO calls (application_id, session_id, caller_id) VALUES ($1, $2, $3) RETURNING id`,
      [node.application.id, `s-${user.id}`, user.id],
    );
    const { data } = await run(EXPORT, { input });
    expect(data.exportUser.export).toMatchObject({
      user: { id: user.id, login: user.login, applicationId: node.application.id },
      identities: [],
      sessions: [{ id: user.sessionId, userId: user.id }],
      passwordResets: [],
      subscriptions: [],
      events: [],
      deliveries: [],
      calls: [{ id: call?.id, callerId: user.id }],
    });
    expect(data.exportUser.export.tags).toEqual(expect.any(Array));
    expect(JSON.stringify(data)).not.toMatch(/hash|argon/i);

    const socket = await connectSocket(node);
    socket.send({ type: "connection_init", payload: { token: user.token } });
    await socket.next();
    const erased = await run(ERASE, { input });
    expect(erased.data).toEqual({ eraseUser: { erasedUserId: String(user.id) } });
    expect((await socket.closed).code).toBe(4401);
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
    expect(await node.sql("SELECT caller_id FROM calls WHERE id = $1", [call?.id])).toEqual([
      { caller_id: null },
    ]);
    expect((await run(ERASE, { input })).errors?.[0].extensions.code).toBe("NOT_FOUND");
  });
});

describe("another account", () => {
  it("sees and changes nothing", async () => {
    const stranger = await ownerToken(elsewhere);
    const user = await newUser(node);
    const applicationId = String(node.application.id);
    const userId = String(user.id);
    const attempts: Array<[string, object]> = [
      [READ, { id: applicationId }],
      [UPDATE, { input: { applicationId, name: "Stolen" } }],
      [ROTATE, { input: { applicationId } }],
      [
        "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }",
        { input: { applicationId, userId } },
      ],
      [
        "mutation ($input: ApplicationUserInput!) { eraseUser(input: $input) { erasedUserId } }",
        { input: { applicationId, userId } },
      ],
      [
        "mutation ($input: ApplicationUserInput!) { eraseUser(input: $input) { erasedUserId } }",
        { input: { applicationId: String(elsewhere.application.id), userId } },
      ],
    ];
    const before = await node.sql("SELECT * FROM applications ORDER BY id");
    for (const [document, variables] of attempts) {
      const { data, errors } = await run(document, variables, stranger);
      expect([data ?? null, errors?.[0].extensions.code]).toEqual([null, "NOT_FOUND"]);
    }
    expect(await node.sql("SELECT * FROM applications ORDER BY id")).toEqual(before);
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(200);
  });
});
