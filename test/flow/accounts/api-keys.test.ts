import { API_KEYS_MAX } from "../../../src/domain/api-keys/api-keys";
import { graphql } from "../../../tools/graphql/graphql-http";
import { connectSocket } from "../../../tools/graphql/graphql-socket";
import { eventually, HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** API keys of an application: who creates and sees them, what they open, and what ends them. */

const CREATE = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key apiKey { id name scopes expiresAt createdBy createdAt }
  }
}`;
const REVOKE =
  "mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { revokedApiKeyId } }";
const LIST = `query ($id: ID!) {
  application(id: $id) { apiKeys { id name scopes expiresAt createdBy createdAt } } }`;
const READ = "query ($id: ID!) { user(by: { id: $id }) { id login blockReason } }";
const UNKNOWN = "The API key is not valid: it is unknown, expired or revoked";

const clock = new MovingClock();
let node: TestNode;
let other: TestNode;
let developer: string;
let user: TestUser;
let names = 0;

beforeAll(async () => {
  node = await startNode({}, { clock });
  other = await secondApplication(node);
  developer = await memberToken(node, "developer", 100);
  user = await newUser(node);
});
afterAll(() => node.stop());

function create(changes: object = {}, token = developer, of = node) {
  const applicationId = String(of.application.id);
  const input = { applicationId, name: `backend ${++names}`, scopes: ["USERS"], ...changes };
  return graphql(node, CREATE, { input }, token);
}
async function created(changes: object = {}) {
  const { data, errors } = await create(changes);
  expect(errors).toBeUndefined();
  return data.createApiKey as { key: string; apiKey: { id: string; name: string } };
}
const read = (key: string, at = node) => graphql(at, READ, { id: String(user.id) }, key);
const codeOf = async (answer: Promise<{ errors?: Array<{ extensions: { code: string } }> }>) =>
  (await answer).errors?.[0]?.extensions.code ?? "OK";

test("a key is shown once, works at once, and is stored as a hash", async () => {
  const { key, apiKey } = await created({ name: "shop", scopes: ["USERS", "PUSH", "USERS"] });
  expect(key).toMatch(/^sbk_[A-Za-z0-9_-]{43}$/);
  expect(apiKey).toEqual({
    id: expect.any(String),
    name: "shop",
    scopes: ["USERS", "PUSH"],
    expiresAt: null,
    createdBy: `developer-of-${node.application.id}@members.example`,
    createdAt: expect.any(String),
  });
  expect((await read(key)).data.user).toEqual({
    ...{ id: String(user.id), login: user.login },
    blockReason: null,
  });
  const rows = await node.sql("SELECT * FROM api_keys");
  expect(JSON.stringify(rows)).not.toContain(key.slice(4));
  const support = await memberToken(node, "support");
  const { data } = await graphql(node, LIST, { id: String(node.application.id) }, support);
  expect(data.application.apiKeys).toEqual([apiKey]);
});

test.each([
  ["name", { name: "" }, "must not be empty"],
  ["name", { name: " " }, "must not be empty"],
  ["name", { name: "x".repeat(65) }, "is too long (maximum is 64 characters)"],
  ["scopes", { scopes: [] }, "must not be empty"],
  ["expiresAt", { expiresAt: "2020-01-01T00:00:00Z" }, "must be in the future"],
])("a wrong %s is INVALID", async (field, changes, problem) => {
  const { errors } = await create(changes);
  expect(errors?.[0].extensions).toMatchObject({ code: "INVALID", fields: { [field]: [problem] } });
});

test("a name of 64 characters outside of the BMP is allowed, once", async () => {
  const name = "😀".repeat(64);
  await created({ name });
  const { errors } = await create({ name });
  expect(errors?.[0].extensions).toMatchObject({
    code: "INVALID",
    fields: { name: ["has already been taken"] },
  });
});

test("members of other accounts and support members create and revoke none", async () => {
  const foreigner = await ownerToken(other);
  expect(await codeOf(create({}, foreigner))).toBe("NOT_FOUND");
  expect(await codeOf(create({}, developer, other))).toBe("NOT_FOUND");
  expect(await codeOf(create({}, await memberToken(node, "support")))).toBe("FORBIDDEN");
  const { apiKey, key } = await created();
  const input = { id: apiKey.id };
  expect(await codeOf(graphql(node, REVOKE, { input }, foreigner))).toBe("NOT_FOUND");
  expect(await codeOf(graphql(node, REVOKE, { input: { id: "no id" } }, developer))).toBe(
    "NOT_FOUND",
  );
  expect(await codeOf(read(key))).toBe("OK");
  // Nor does a key, whatever its scopes.
  const all = await created({ scopes: ["SESSIONS", "USERS", "PUSH"] });
  expect(await codeOf(create({}, all.key))).toBe("FORBIDDEN");
  expect(await codeOf(graphql(node, REVOKE, { input }, all.key))).toBe("FORBIDDEN");
  expect(await codeOf(graphql(node, LIST, { id: String(node.application.id) }, all.key))).toBe(
    "FORBIDDEN",
  );
});

test("an application has a maximum of keys, also when they are created at once", async () => {
  const full = { ...node, application: { ...node.application } };
  const { data } = await graphql(
    node,
    `mutation { createApplication(input: { name: "Full" }) { application { id } } }`,
    {},
    developer,
  );
  full.application.id = Number(data.createApplication.application.id);
  await node.sql(
    `INSERT INTO api_keys (application_id, name, key_hash, scopes, created_by)
      SELECT $1, 'key ' || n, sha256(convert_to('full ' || n, 'UTF8')), '{push}', min(m.id)
        FROM generate_series(1, $2) n, account_members m
        WHERE m.account_id = (SELECT account_id FROM applications WHERE id = $1) GROUP BY n`,
    [full.application.id, API_KEYS_MAX - 2],
  );
  const codes = await Promise.all(
    Array.from({ length: 6 }, () => codeOf(create({}, developer, full))),
  );
  expect(codes.sort()).toEqual(["INVALID", "INVALID", "INVALID", "INVALID", "OK", "OK"]);
});

test("a key opens what its scopes say, and tells which is missing", async () => {
  const { key } = await created({ scopes: ["PUSH"] });
  const { errors } = await read(key);
  expect(errors?.[0]).toMatchObject({
    message: "This API key may not do that: the scope users is needed",
    extensions: { code: "FORBIDDEN" },
  });
  const { errors: session } = await graphql(node, "{ currentSession { id } }", {}, key);
  expect(session?.[0]).toMatchObject({
    message: expect.stringMatching(/^An API key may not do that/),
    extensions: { code: "FORBIDDEN" },
  });
});

test("a key with the scope of users creates, lists, changes, blocks, exports and deletes them", async () => {
  const { key } = await created();
  const run = async (query: string, variables: object = {}) => {
    const { data, errors } = await graphql(node, query, { ...variables }, key);
    expect(errors).toBeUndefined();
    return data;
  };
  const { createUser } = await run(
    `mutation { createUser(input: { login: "by-key", password: "correct horse" }) { user { id } } }`,
  );
  const { id } = createUser.user;
  const LOGIN = `{ users(filter: { login: { eq: "by-key" } }) { nodes { id } } }`;
  expect((await run(LOGIN)).users.nodes).toEqual([{ id }]);
  await run(
    'mutation ($id: ID!) { updateUser(input: { id: $id, fullName: "New" }) { user { id } } }',
    {
      id,
    },
  );
  // It may name its application.
  const ref = { input: { userId: id, applicationId: String(node.application.id) } };
  await run(
    `mutation ($input: BlockUserInput!) { blockUser(input: $input) { user { blockedAt } } }`,
    ref,
  );
  await run(
    `mutation ($input: ApplicationUserInput!) { unblockUser(input: $input) { user { id } } }`,
    ref,
  );
  const exported = await run(
    `mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }`,
    ref,
  );
  expect(exported.exportUser.export.user).toMatchObject({ fullName: "New" });
  await run("mutation ($id: ID!) { deleteUser(input: { id: $id }) { deletedUserId } }", { id });
});

test("a new password or e-mail also needs the scope of sessions, since the user signs in by it", async () => {
  const victim = await newUser(node);
  const update =
    "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { email } } }";
  const run = (key: string, changes: object) =>
    graphql(node, update, { input: { id: String(victim.id), ...changes } }, key);
  const { key } = await created({ scopes: ["USERS", "PUSH"] });
  const changes = [
    { password: "chosen by the key" },
    { email: "key@example.com" },
    { email: null },
    { fullName: "Both", email: "key@example.com", password: "chosen by the key" },
  ];
  for (const change of changes) {
    const { errors } = await run(key, change);
    expect(errors?.[0]).toMatchObject({
      message: "This API key may not do that: the scope sessions is needed",
      extensions: { code: "FORBIDDEN" },
    });
  }
  const { token, password, login } = victim;
  const signIn = (secret: string) =>
    rest(node, "POST", "/login", { token, body: { login, password: secret } });
  expect((await signIn(password)).status).toBe(200);
  expect((await run(key, { fullName: "New", password: null })).errors).toBeUndefined();
  const both = await created({ scopes: ["SESSIONS", "USERS"] });
  const { data } = await run(both.key, { email: "key@example.com", password: "chosen by the key" });
  expect(data.updateUser.user).toEqual({ email: "key@example.com" });
});

test("a key lists all users where users may not", async () => {
  const { key } = await created();
  const list = "{ users(first: 1) { nodes { id } } }";
  const { v1_list_disabled: disabled } = (
    await node.sql<{ v1_list_disabled: boolean }>(
      "SELECT v1_list_disabled FROM applications WHERE id = $1",
      [node.application.id],
    )
  )[0] as { v1_list_disabled: boolean };
  expect(disabled).toBe(true);
  expect(await codeOf(graphql(node, list, {}, user.token))).toBe("FORBIDDEN");
  const { data } = await graphql(node, list, {}, key);
  expect(data.users.nodes).toHaveLength(1);
});

test("a key acts for its application alone, also within the account", async () => {
  const { data } = await graphql(
    node,
    `mutation { createApplication(input: { name: "Sister" }) { application { id authKey authSecret } } }`,
    {},
    developer,
  );
  const { id, ...keys } = data.createApplication.application;
  const sister = { ...node, application: { ...node.application, ...keys, id: Number(id) } };
  const stranger = await newUser(sister);
  const { key } = await created();
  const query = "query ($id: ID!, $app: ID) { user(by: { id: $id }, applicationId: $app) { id } }";
  const inOwn = await graphql(node, query, { id: String(stranger.id) }, key);
  expect(inOwn.data).toEqual({ user: null });
  expect(await codeOf(graphql(node, query, { id: String(stranger.id), app: id }, key))).toBe(
    "NOT_FOUND",
  );
  const input = { id: String(stranger.id), fullName: "Taken over" };
  const update =
    "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }";
  expect(await codeOf(graphql(node, update, { input }, key))).toBe("NOT_FOUND");
});

test("a key leaves entries in the audit log, under its name", async () => {
  const { key, apiKey } = await created({ scopes: ["USERS"] });
  await graphql(
    node,
    'mutation ($id: ID!) { updateUser(input: { id: $id, fullName: "A" }) { user { id } } }',
    { id: String(user.id) },
    key,
  );
  const end =
    "mutation ($input: ApplicationUserInput!) { endUserSessions(input: $input) { endedCount } }";
  const input = { applicationId: String(node.application.id), userId: String(user.id) };
  await graphql(node, end, { input }, key);
  const log = `{ account { auditEntries(first: 4) {
    nodes { action outcome errorCode applicationId email role apiKey { id name } } } } }`;
  const { data } = await graphql(node, log, {}, developer);
  const [refused, changed, made] = data.account.auditEntries.nodes;
  const by = {
    applicationId: String(node.application.id),
    email: `developer-of-${node.application.id}@members.example`,
    role: "DEVELOPER",
    apiKey: { id: apiKey.id, name: apiKey.name },
  };
  expect(refused).toEqual({
    ...by,
    ...{ action: "endUserSessions", outcome: "FAILED", errorCode: "FORBIDDEN" },
  });
  expect(changed).toEqual({
    ...by,
    ...{ action: "updateUser", outcome: "SUCCEEDED", errorCode: null },
  });
  expect(made).toMatchObject({ action: "createApiKey", apiKey: null });
});

describe("the header", () => {
  let key: string;
  beforeAll(async () => {
    key = (await created()).key;
  });
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(node.graphqlUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ query: READ, variables: { id: String(user.id) } }),
    });
    const { errors } = (await response.json()) as {
      errors?: Array<{ message: string; extensions: { code: string } }>;
    };
    return [response.status, errors?.[0]?.extensions.code, errors?.[0]?.message];
  };

  test.each([
    ["of another form", "sbk_short"],
    ["unknown", `sbk_${"x".repeat(43)}`],
    ["with another last character", null],
    ["sent twice", "twice"],
    ["that is a session's token", "token"],
    ["that is very long", "sbk_".padEnd(8_000, "x")],
  ])("a key %s is UNAUTHENTICATED", async (what, given) => {
    const last = key.endsWith("A") ? "B" : "A";
    const changed = `${key.slice(0, -1)}${last}`;
    const values: Record<string, string> = { twice: `${key}, ${key}`, token: user.token };
    const value = given === null ? changed : (values[given] ?? given);
    expect([what, ...(await ask({ "Svc-Api-Key": value }))]).toEqual([
      what,
      200,
      "UNAUTHENTICATED",
      UNKNOWN,
    ]);
  });

  test("an empty one counts as none", async () => {
    expect((await ask({ "Svc-Api-Key": "" }))[2]).toMatch(/^Required session does not exist/);
    expect(await ask({ "Svc-Api-Key": "", "Svc-Token": user.token })).toEqual([
      ...[200, undefined, undefined],
    ]);
  });

  test("a key as a token is an unknown token, over every protocol", async () => {
    for (const headers of [{ "Svc-Token": key }, { Authorization: `Bearer ${key}` }]) {
      expect((await ask(headers as never))[2]).toMatch(/^Required session does not exist/);
    }
    expect((await rest(node, "GET", "/session", { headers: { "Svc-Token": key } })).status).toBe(
      401,
    );
    const socket = await connectSocket(node);
    socket.send({ type: "connection_init", payload: { token: key } });
    expect((await socket.closed).code).toBe(4401);
  });

  test("a token beside it is refused, with GraphQL and with REST", async () => {
    const problem = "A request has either a token or an API key (Svc-Api-Key), not both";
    const both = { "Svc-Api-Key": key, "Svc-Token": user.token };
    expect(await ask(both)).toEqual([400, "MALFORMED", problem]);
    const bearer = { "Svc-Api-Key": key, Authorization: `Bearer ${user.token}` };
    expect(await ask(bearer)).toEqual([400, "MALFORMED", problem]);
    const answer = await rest(node, "GET", "/session", { headers: both });
    expect([answer.status, answer.body]).toEqual([400, { errors: { base: [problem] } }]);
  });

  test("no web page of another origin may send it", async () => {
    const response = await fetch(node.graphqlUrl, {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "svc-api-key",
      },
    });
    const allowed = response.headers.get("access-control-allow-headers") ?? "";
    expect(allowed).toContain("Svc-Token");
    expect(allowed.toLowerCase()).not.toContain("svc-api-key");
  });

  test("REST has POST /session/server for it, and refuses it elsewhere", async () => {
    const answer = await rest(node, "GET", `/users/${user.id}`, { token: key });
    expect([answer.status, answer.body.errors.base[0]]).toEqual([
      403,
      expect.stringMatching(/^An API key may not do that/),
    ]);
  });

  test("it counts for the application, and not for the address", async () => {
    const limited = await startNode({
      RATE_SIGN_UPS_PER_IP: "1",
      RATE_SIGN_UPS_PER_APPLICATION: "3",
    });
    try {
      const token = await memberToken(limited, "developer");
      const applicationId = String(limited.application.id);
      const input = { applicationId, name: "one", scopes: ["USERS"] };
      const { data } = await graphql(limited, CREATE, { input }, token);
      const codes: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        const mutation = `mutation { createUser(input: { login: "u${count}", password: "correct horse" }) { user { id } } }`;
        codes.push(await codeOf(graphql(limited, mutation, {}, data.createApiKey.key)));
      }
      expect(codes).toEqual(["OK", "OK", "OK", "LIMITED"]);
    } finally {
      await limited.stop();
    }
  });
});

test("new passwords and e-mails by a key count for the application, and not for the address", async () => {
  const limited = await startNode({
    ...{ RATE_SIGN_INS_PER_IP: "1", RATE_RESETS_PER_IP: "1" },
    ...{ RATE_SIGN_INS_PER_APPLICATION: "3", RATE_RESETS_PER_APPLICATION: "3" },
  });
  try {
    const token = await memberToken(limited, "developer");
    const input = {
      applicationId: String(limited.application.id),
      name: "one",
      scopes: ["USERS", "SESSIONS"],
    };
    const { data } = await graphql(limited, CREATE, { input }, token);
    const update =
      "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }";
    const change = (id: number, changes: object) =>
      codeOf(
        graphql(limited, update, { input: { id: String(id), ...changes } }, data.createApiKey.key),
      );
    const ids: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      const [row] = await limited.sql<{ id: number }>(
        "INSERT INTO users (application_id, login, email, email_key, updated_at) VALUES ($1, $2, $3, $3, now()) RETURNING id",
        [limited.application.id, `of-key-${count}`, `of-key-${count}@example.com`],
      );
      ids.push(Number(row?.id));
    }
    const passwords: string[] = [];
    const emails: string[] = [];
    for (const id of ids) {
      passwords.push(await change(id, { password: "chosen by the key" }));
      emails.push(await change(id, { email: `new-${id}@example.com` }));
    }
    expect(passwords).toEqual(["OK", "OK", "OK", "LIMITED"]);
    expect(emails).toEqual(["OK", "OK", "OK", "LIMITED"]);
  } finally {
    await limited.stop();
  }
});

test("a key expires by the clock", async () => {
  const expiresAt = new Date(clock.now() + HOUR).toISOString();
  const { key } = await created({ expiresAt });
  expect(await codeOf(read(key))).toBe("OK");
  clock.advance(HOUR);
  expect((await read(key)).errors?.[0].message).toBe(UNKNOWN);
});

test("a revoked key ends at once", async () => {
  const { key, apiKey } = await created();
  expect(await codeOf(read(key))).toBe("OK");
  const { data } = await graphql(node, REVOKE, { input: { id: apiKey.id } }, developer);
  expect(data.revokeApiKey.revokedApiKeyId).toBe(apiKey.id);
  expect((await read(key)).errors?.[0].message).toBe(UNKNOWN);
  expect(await codeOf(graphql(node, REVOKE, { input: { id: apiKey.id } }, developer))).toBe(
    "NOT_FOUND",
  );
});

const SESSION = `mutation ($input: CreateSessionForUserInput!) {
  createSessionForUser(input: $input) { session { token } } }`;
const END = `mutation ($input: RevokeApiKeyInput!) {
  revokeApiKey(input: $input) { revokedApiKeyId endedSessionCount } }`;

describe("the sessions of a revoked key", () => {
  const sessionBy = async (key: string, at = node) => {
    const input = { userId: String(user.id) };
    const { data } = await graphql(at, SESSION, { input }, key);
    return data.createSessionForUser.session.token as string;
  };
  const statusOf = async (token: string) => (await rest(node, "GET", "/session", { token })).status;
  const revoke = (id: string, endSessions?: boolean) =>
    graphql(node, END, { input: { id, endSessions } }, developer);

  test("stay valid, and are listed as its own", async () => {
    const { key, apiKey } = await created({ scopes: ["SESSIONS"] });
    const token = await sessionBy(key);
    const { data } = await revoke(apiKey.id);
    expect(data.revokeApiKey).toEqual({ revokedApiKeyId: apiKey.id, endedSessionCount: null });
    expect(await statusOf(token)).toBe(200);
    const list = `query ($app: ID!, $user: ID!) { application(id: $app) {
      sessions(userId: $user, first: 1) { nodes { origin apiKey { id name } } } } }`;
    const variables = { app: String(node.application.id), user: String(user.id) };
    const listed = await graphql(node, list, variables, developer);
    expect(listed.data.application.sessions.nodes).toEqual([
      { origin: "API_KEY", apiKey: { id: apiKey.id, name: null } },
    ]);
    // Whoever has second thoughts ends them later.
    const foreigner = await memberToken(other, "owner", 100);
    const input = { id: apiKey.id, endSessions: true };
    expect(await codeOf(graphql(node, END, { input }, foreigner))).toBe("NOT_FOUND");
    expect(await statusOf(token)).toBe(200);
    expect((await revoke(apiKey.id, true)).data.revokeApiKey.endedSessionCount).toBe(1);
    expect(await statusOf(token)).toBe(401);
    expect(await codeOf(revoke(apiKey.id, true))).toBe("NOT_FOUND");
  });

  test("end with it, with their sockets, and no others", async () => {
    const { key, apiKey } = await created({ scopes: ["SESSIONS"] });
    const { key: another } = await created({ scopes: ["SESSIONS"] });
    const tokens = [await sessionBy(key), await sessionBy(key)];
    const kept = await sessionBy(another);
    const socket = await connectSocket(node);
    socket.send({ type: "connection_init", payload: { token: tokens[0] } });
    expect(await socket.next()).toMatchObject({ type: "connection_ack" });
    const { data } = await revoke(apiKey.id, true);
    expect(data.revokeApiKey).toEqual({ revokedApiKeyId: apiKey.id, endedSessionCount: 2 });
    expect((await socket.closed).code).toBe(4401);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect(await statusOf(kept)).toBe(200);
    expect(await statusOf(user.token)).toBe(200);
  });

  test("end by the thousand", async () => {
    const { apiKey } = await created({ scopes: ["SESSIONS"] });
    await node.sql(
      `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at,
          last_activity_at, updated_at, origin, api_key_id)
        SELECT $1, $2, sha256(convert_to('of a key ' || n, 'UTF8')), 0, 0, now() + interval '1 year',
          now(), now(), 'api_key', $3 FROM generate_series(1, 2500) n`,
      [node.application.id, user.id, apiKey.id],
    );
    const { data } = await revoke(apiKey.id, true);
    expect(data.revokeApiKey.endedSessionCount).toBe(2_500);
  });

  test("are none that began before and were stored after it", async () => {
    const { key, apiKey } = await created({ scopes: ["SESSIONS"] });
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () =>
        graphql(node, SESSION, { input: { userId: String(user.id) } }, key),
      ),
      revoke(apiKey.id, true),
    ]);
    const tokens = answers.flatMap(({ data }) => data?.createSessionForUser?.session.token ?? []);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    const [row] = await node.sql(
      "SELECT count(*)::int AS count FROM sessions WHERE api_key_id = $1",
      [apiKey.id],
    );
    expect(row).toEqual({ count: 0 });
  });
});

test("the last use of a key is listed, and refused uses are none", async () => {
  const { key, apiKey } = await created();
  const lastUse = async () => {
    const id = String(node.application.id);
    const list = "query ($id: ID!) { application(id: $id) { apiKeys { id lastUsedAt } } }";
    const { data } = await graphql(node, list, { id }, developer);
    const keys: Array<{ id: string; lastUsedAt: string | null }> = data.application.apiKeys;
    return keys.find((each) => each.id === apiKey.id)?.lastUsedAt;
  };
  expect(await lastUse()).toBeNull();
  await read(key);
  const at = Math.floor(clock.now() / 1000) * 1000;
  const stored = async () => {
    const [row] = await node.sql<{ last_used_at: Date | null }>(
      "SELECT last_used_at FROM api_keys WHERE id = $1",
      [apiKey.id],
    );
    return row?.last_used_at?.getTime() ?? null;
  };
  await eventually(stored, (time) => time !== null);
  expect(new Date((await lastUse()) ?? 0).getTime()).toBeGreaterThanOrEqual(at);
  await node.sql("UPDATE api_keys SET expires_at = to_timestamp(0) WHERE id = $1", [apiKey.id]);
  clock.advance(HOUR);
  expect((await read(key)).errors?.[0].message).toBe(UNKNOWN);
  // The next key's use is written together with what is waiting.
  const next = await created();
  await read(next.key);
  await eventually(
    () =>
      node.sql("SELECT 1 FROM api_keys WHERE id = $1 AND last_used_at IS NOT NULL", [
        next.apiKey.id,
      ]),
    (rows) => rows.length > 0,
  );
  expect(await stored()).toBeLessThan(clock.now() - HOUR / 2);
});

describeServices("on two nodes", () => {
  test("a key that one node revokes is refused by the other at once", async () => {
    const one = await startNode();
    const two = await startNode({}, {}, one);
    try {
      const token = await memberToken(one, "developer");
      const reader = await newUser(one);
      const input = {
        applicationId: String(one.application.id),
        name: "one",
        scopes: ["USERS"],
      };
      const { data } = await graphql(one, CREATE, { input }, token);
      const { key, apiKey } = data.createApiKey;
      const ask = (at: TestNode) => codeOf(graphql(at, READ, { id: String(reader.id) }, key));
      expect([await ask(one), await ask(two)]).toEqual(["OK", "OK"]);
      await graphql(one, REVOKE, { input: { id: apiKey.id } }, token);
      expect([await ask(two), await ask(one)]).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED"]);
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});
