import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newGuest, newUser, rest } from "../../support/rest-client";
import { newApiKey } from "../../support/sessions/api-keys";
import { blockUser, unblockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Sessions of users for whom a backend vouches with an API key. */

const CREATE = `mutation ($input: CreateSessionForUserInput!) {
  createSessionForUser(input: $input) {
    session { id token userId applicationId expiresAt user { login fullName tags externalId } }
    user { id }
  }
}`;
let node: TestNode;
let other: TestNode;
let key: string;
let logins = 0;
const newLogin = () => `shop-${++logins}`;

beforeAll(async () => {
  node = await startNode();
  other = await secondApplication(node);
  key = await newApiKey(node, ["sessions"]);
});
afterAll(() => node.stop());
afterEach(() => letCreate(false));

const create = (input: object, credential: string | undefined = key) =>
  graphql(node, CREATE, { input }, credential);
async function created(input: object) {
  const { data, errors } = await create(input);
  expect(errors).toBeUndefined();
  return data.createSessionForUser;
}
async function refusal(input: object, credential?: string): Promise<string[]> {
  const { errors } = await create(input, credential);
  return [errors?.[0].extensions.code, errors?.[0].message];
}
const letCreate = (isOn: boolean) =>
  node.sql("UPDATE applications SET server_sessions_create_users = $2 WHERE id = $1", [
    node.application.id,
    isOn,
  ]);

test("a user is named by id, login or external id, and gets a session like any other", async () => {
  const user = await newUser(node, { external_id: "crm-1" });
  for (const input of [
    { userId: String(user.id) },
    { login: user.login.toUpperCase() },
    { externalId: "crm-1" },
  ]) {
    const { session, user: named } = await created(input);
    expect(named.id).toBe(String(user.id));
    expect(session).toMatchObject({
      userId: String(user.id),
      applicationId: String(node.application.id),
      user: { login: user.login },
    });
    const { token } = session;
    expect((await rest(node, "GET", "/session", { token })).body.session.user.login).toBe(
      user.login,
    );
  }
  const { data } = await graphql(node, "{ sessions { nodes { id } } }", {}, user.token);
  expect(data.sessions.nodes).toHaveLength(4);
});

test("the session slides, and ends like one by password", async () => {
  const clock = new MovingClock();
  const late = await startNode({}, { clock });
  try {
    const own = await newApiKey(late, ["sessions"]);
    const { login } = await newUser(late);
    const start = async () => {
      const { data } = await graphql(late, CREATE, { input: { login } }, own);
      return data.createSessionForUser.session.token as string;
    };
    const statusOf = async (token: string) =>
      (await rest(late, "GET", "/session", { token })).status;
    const token = await start();
    for (let count = 0; count < 2; count += 1) {
      clock.advance(1.5 * HOUR);
      expect(await statusOf(token)).toBe(200);
    }
    clock.advance(2.5 * HOUR);
    expect(await statusOf(token)).toBe(401);
    const again = await start();
    expect((await rest(late, "DELETE", "/session", { token: again })).status).toBe(200);
    expect(await statusOf(again)).toBe(401);
  } finally {
    await late.stop();
  }
});

test("POST /session/server answers like POST /session", async () => {
  const user = await newUser(node);
  const answer = await rest(node, "POST", "/session/server", {
    token: key,
    body: { login: user.login },
  });
  expect(answer.status).toBe(201);
  expect(answer.body.session).toMatchObject({ user_id: user.id, user: { login: user.login } });
  const unknown = await rest(node, "POST", "/session/server", {
    token: key,
    body: { external_id: "nobody's" },
  });
  expect([unknown.status, unknown.body]).toEqual([
    404,
    { errors: { base: ["There is no such user"] } },
  ]);
  const none = await rest(node, "POST", "/session/server", { token: key, body: {} });
  expect([none.status, none.body]).toEqual([
    422,
    { errors: { base: ["Exactly one of user_id, login and external_id is required"] } },
  ]);
  const form = new URLSearchParams({ login: user.login });
  const byForm = await rest(node, "POST", "/session/server", { token: key, body: form });
  expect(byForm.status).toBe(201);
});

test.each([
  ["nothing", {}],
  ["two names", { userId: "1", login: "ann" }],
  ["a null", { login: null }],
])("%s names nobody", async (_what, input) => {
  expect(await refusal(input)).toEqual([
    "INVALID",
    "Exactly one of userId, login and externalId is required",
  ]);
});

describe("of users whose e-mail address and external user id are known", () => {
  beforeAll(() => newUser(node, { email: "known@example.com", external_user_id: "765" }));

  test.each([
    ["an unknown id", { userId: "999999" }],
    ["an id that is none", { userId: "12; DROP" }],
    ["an unknown login", { login: "nobody" }],
    ["an e-mail address as a login", { login: "known@example.com" }],
    ["an external user id as an external id", { externalId: "765" }],
  ])("%s is NOT_FOUND", async (_what, input) => {
    expect(await refusal(input)).toEqual(["NOT_FOUND", "There is no such user"]);
  });
});

test("a user of another application is NOT_FOUND", async () => {
  const stranger = await newUser(other);
  expect((await refusal({ userId: String(stranger.id) }))[0]).toBe("NOT_FOUND");
  expect((await refusal({ login: stranger.login }))[0]).toBe("NOT_FOUND");
});

test("a guest is not vouched for", async () => {
  const guest = await newGuest(node);
  expect((await refusal({ userId: String(guest.id) }))[0]).toBe("INVALID");
  expect((await refusal({ login: guest.login }))[0]).toBe("INVALID");
});

test("a blocked user stays out, and comes back", async () => {
  const user = await newUser(node);
  const { token } = (await created({ login: user.login })).session;
  await blockUser(node, user);
  expect((await rest(node, "GET", "/session", { token })).status).toBe(401);
  expect(await refusal({ login: user.login })).toEqual(["FORBIDDEN", "This user is blocked"]);
  await unblockUser(node, user);
  await created({ login: user.login });
});

describe("with serverSessionsCreateUsers", () => {
  beforeEach(() => letCreate(true));

  test("the first session creates the user without a password, and later ones change nothing", async () => {
    const login = newLogin();
    await node.sql("UPDATE applications SET sign_up_open = false WHERE id = $1", [
      node.application.id,
    ]);
    const first = await created({ login, fullName: "Ann", tags: ["a", "b"] });
    await node.sql("UPDATE applications SET sign_up_open = true WHERE id = $1", [
      node.application.id,
    ]);
    expect(first.session.user).toEqual({
      ...{ login, fullName: "Ann", externalId: null },
      tags: ["a", "b"],
    });
    const [row] = await node.sql("SELECT password_hash FROM users WHERE id = $1", [first.user.id]);
    expect(row).toEqual({ password_hash: null });
    const again = await created({ login: login.toUpperCase(), fullName: "Other", tags: [] });
    expect(again.user.id).toBe(first.user.id);
    expect(again.session.user).toMatchObject({ fullName: "Ann", tags: ["a", "b"] });
  });

  test("an external id creates a user with it", async () => {
    const { session } = await created({ externalId: "crm-77" });
    expect(session.user).toMatchObject({ login: null, externalId: "crm-77" });
  });

  test("an id creates nobody", async () => {
    expect((await refusal({ userId: "999999" }))[0]).toBe("NOT_FOUND");
  });

  test.each([
    ["login", { login: "not allowed!" }],
    ["login", { login: "a".repeat(71) }],
    ["externalId", { externalId: "x".repeat(256) }],
    ["fullName", { login: "long-name", fullName: "x".repeat(256) }],
    ["tags", { login: "many-tags", tags: ["1", "2", "3", "4", "5", "6"] }],
  ])("a wrong %s is INVALID on the field", async (field, input) => {
    const { errors } = await create(input);
    expect(errors?.[0].extensions).toMatchObject({
      code: "INVALID",
      fields: { [field]: [expect.any(String)] },
    });
  });

  test("many first sessions at once are of one user", async () => {
    const login = newLogin();
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await created({ login })).user.id),
    );
    expect(new Set(ids).size).toBe(1);
    const [row] = await node.sql("SELECT count(*)::int AS count FROM users WHERE login = $1", [
      login,
    ]);
    expect(row).toEqual({ count: 1 });
  });
});

describe("a name belongs to the user of its first session", () => {
  beforeEach(() => letCreate(true));
  afterEach(() => letReach(false));

  const letReach = (isOn: boolean) =>
    node.sql("UPDATE applications SET server_sessions_reach_signed_up_users = $2 WHERE id = $1", [
      node.application.id,
      isOn,
    ]);
  const rename = async (token: string, user: object) => {
    const { id } = (await rest(node, "GET", "/session", { token })).body.session.user;
    expect((await rest(node, "PUT", `/users/${id}`, { token, body: { user } })).status).toBe(200);
  };
  const idOf = async (input: object) => (await created(input)).user.id;
  const taken = [
    "INVALID",
    expect.stringContaining("whom the backend's sessions have not created"),
  ];

  test("also once the user has another login, and the next user the former one", async () => {
    const login = newLogin();
    const first = await created({ login });
    await rename(first.session.token, { login: `${login}-later` });
    await newUser(node, { login });
    expect(await idOf({ login: login.toUpperCase() })).toBe(first.user.id);
    expect(await refusal({ login: `${login}-later` })).toEqual(taken);
  });

  test.each([
    "login",
    "externalId",
  ] as const)("a user does not get another's sessions by the other's %s", async (kind) => {
    const column = kind === "login" ? "login" : "external_id";
    const victim = newLogin();
    const thief = await created({ login: newLogin() });
    await rename(thief.session.token, { [column]: victim });
    expect(await refusal({ [kind]: victim })).toEqual(taken);
    const other = newLogin();
    await newUser(node, { [column]: other });
    expect(await refusal({ [kind]: other })).toEqual(taken);
  });

  test("a user who signed up is reached by id, by name with the setting, and from then on", async () => {
    const { id, login } = await newUser(node);
    expect(await refusal({ login })).toEqual(taken);
    expect(await idOf({ userId: String(id) })).toBe(String(id));
    expect(await refusal({ login })).toEqual(taken);
    await letReach(true);
    expect(await idOf({ login })).toBe(String(id));
    await letReach(false);
    expect(await idOf({ login })).toBe(String(id));
  });

  test("a user whom a session of an earlier version created is found", async () => {
    const login = newLogin();
    const first = await idOf({ login });
    await node.sql("DELETE FROM identities WHERE user_id = $1", [first]);
    const ids = await Promise.all(Array.from({ length: 5 }, () => idOf({ login })));
    expect(new Set(ids)).toEqual(new Set([first]));
    expect(await node.sql("SELECT subject FROM identities WHERE user_id = $1", [first])).toEqual([
      { subject: `login:${login}` },
    ]);
  });

  test("a user of a provider is not taken for one", async () => {
    const login = newLogin();
    const id = await idOf({ login });
    await node.sql("UPDATE identities SET provider = 'facebook' WHERE user_id = $1", [id]);
    expect(await refusal({ login })).toEqual(taken);
  });

  test("one who is deleted is created again", async () => {
    const login = newLogin();
    const first = await created({ login });
    const { token } = first.session;
    expect((await rest(node, "DELETE", `/users/${first.user.id}`, { token })).status).toBe(200);
    expect(await idOf({ login })).not.toBe(first.user.id);
  });

  test("it stays so once sessions no longer create users", async () => {
    const login = newLogin();
    const first = await created({ login });
    await rename(first.session.token, { login: `${login}-later` });
    await letCreate(false);
    expect(await idOf({ login })).toBe(first.user.id);
  });
});

test("without a key and a JWT it is UNAUTHENTICATED, also with a session", async () => {
  const user = await newUser(node);
  for (const credential of [undefined, user.token, await ownerToken(node)]) {
    const { errors } = await graphql(node, CREATE, { input: { login: user.login } }, credential);
    expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
  }
});

describe("of the audit log", () => {
  const entries = () =>
    node.sql<Record<string, unknown>>(
      "SELECT * FROM audit_entries WHERE action = 'createSessionForUser' ORDER BY id",
    );
  const newEntries = async (run: () => Promise<unknown>) => {
    const before = (await entries()).length;
    await run();
    return (await entries()).slice(before);
  };

  test.each([
    "userId",
    "login",
  ] as const)("a key that reaches a user who signed up, by %s, leaves one entry, without the name", async (kind) => {
    const user = await newUser(node);
    const name = kind === "login" ? user.login : String(user.id);
    const found = await newEntries(async () => {
      const { session } = await created({ [kind]: name });
      expect((await created({ [kind]: name })).session.id).not.toBe(session.id);
      await created({ userId: String(user.id) });
    });
    expect(found).toEqual([
      expect.objectContaining({
        application_id: node.application.id,
        api_key_name: key.slice(0, 20),
        outcome: "succeeded",
        targets: [
          { name: "applicationId", id: String(node.application.id) },
          { name: "userId", id: String(user.id) },
        ],
        fields: [],
      }),
    ]);
  });

  test("sessions of a user whom they created leave no entry, and what a key may not do does", async () => {
    await letCreate(true);
    const login = newLogin();
    const none = await newEntries(async () => {
      const { user } = await created({ login });
      await created({ login });
      await created({ userId: user.id });
    });
    expect(none).toEqual([]);
    const push = await newApiKey(node, ["push"]);
    const refused = await newEntries(() => create({ login }, push));
    expect(refused).toEqual([
      expect.objectContaining({ outcome: "failed", error_code: "FORBIDDEN" }),
    ]);
  });
});

test("members see by which key a session was created, and users do not", async () => {
  const user = await newUser(node);
  const { token } = (await created({ login: user.login })).session;
  const owner = await ownerToken(node);
  const [row] = await node.sql<{ id: number; name: string }>(
    "SELECT id, name FROM api_keys WHERE name = $1",
    [key.slice(0, 20)],
  );
  const LIST = `query ($app: ID!, $user: ID!) { application(id: $app) {
    sessions(userId: $user) { nodes { origin apiKey { id name } } } } }`;
  const variables = { app: String(node.application.id), user: String(user.id) };
  const { data } = await graphql(node, LIST, variables, owner);
  expect(data.application.sessions.nodes).toEqual([
    { origin: "API_KEY", apiKey: { id: String(row?.id), name: row?.name } },
    { origin: "CLIENT", apiKey: null },
  ]);
  const own = await graphql(node, "{ sessions { nodes { origin apiKey { id } } } }", {}, token);
  expect(own.data.sessions.nodes).toEqual(
    expect.arrayContaining([
      { origin: "API_KEY", apiKey: null },
      { origin: "CLIENT", apiKey: null },
    ]),
  );
});

test("a socket takes no notice of the header, and no key as a token", async () => {
  const user = await newUser(node);
  const socket = await openSocket(node);
  const { errors } = await socket.run(CREATE, { input: { login: user.login } });
  expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
  await socket.close();
});

test("the limits of sessions and sign-ins of the application count, and not those of the address", async () => {
  const limited = await startNode({
    RATE_SESSIONS_PER_IP: "1",
    RATE_SIGN_INS_PER_IP: "1",
    RATE_SESSIONS_PER_APPLICATION: "4",
  });
  try {
    const secret = await newApiKey(limited, ["sessions"]);
    await limited.sql("UPDATE applications SET server_sessions_create_users = true");
    const codes: Array<string | undefined> = [];
    for (let count = 0; count < 6; count += 1) {
      const { errors } = await graphql(limited, CREATE, { input: { login: "ann" } }, secret);
      codes.push(errors?.[0].extensions.code);
    }
    expect(codes.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(codes.slice(4)).toEqual(["LIMITED", "LIMITED"]);
  } finally {
    await limited.stop();
  }
});
