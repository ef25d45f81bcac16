import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { hashToken } from "../../../src/core/random";
import { restSchema } from "../../../src/transports/graphql/schema";
import { readDocuments, readRestFiles } from "../../../src/transports/rest/documents";
import { graphql } from "../../../tools/graphql/graphql-http";
import { connectSocket } from "../../../tools/graphql/graphql-socket";
import { addCall, addLiveCall } from "../../support/calls/calls";
import { addConference } from "../../support/conferences/stored-conference";
import { isExhaustive, oneOf, SAMPLED } from "../../support/exhaustive";
import { HTTP_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { addFailedJob } from "../../support/operations/failed-jobs";
import { addEvent } from "../../support/push/push";
import { addSubscription } from "../../support/push/push-devices";
import { applicationToken, newUser, rest, signedParameters } from "../../support/rest-client";
import { ROUTES } from "../../support/security/permission-routes";
import { type Participants, PERMISSION_ROWS } from "../../support/security/permission-rows";
import { newApiKey } from "../../support/sessions/api-keys";
import { addMember, ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/**
 * Applications are isolated: every operation requests the first application's objects with tokens of the
 * second. Unless the run is exhaustive, each one goes through one protocol.
 */

const schema = restSchema();
const operations = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  .flatMap((type) => Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`))
  .sort();
const routes = readDocuments(readRestFiles(join(__dirname, "../../../schema/rest")), schema);

/** Values that only the first application has, by field. */
const random = () => randomBytes(9).toString("hex");
const secret: Record<string, string> = {
  email: `${random()}@example.com`,
  full_name: `Name ${random()}`,
  external_id: random(),
  external_user_id: random(),
  facebook_id: random(),
  twitter_id: random(),
  phone: random(),
  website: `https://${random()}.example.com`,
  custom_data: random(),
  avatar: random(),
};
const tags = [random(), random()];

let node: TestNode;
let fixture: Participants;
/** Values that no answer may contain. */
let hidden: string[];
/** The first application's rows after the last request, which nothing but a request changes. */
let rows: string[];
const tokens: Record<string, string> = {};
let count = 0;

beforeAll(async () => {
  node = await startNode({}, WITHOUT_POLLING);
  const foreignNode = await secondApplication(node);
  const a = await newUser(node, { ...secret, tag_list: tags });
  const b = await newUser(node);
  const login = `login-${random()}`;
  await node.sql("UPDATE users SET login = $1, login_key = $1 WHERE id = $2", [login, a.id]);
  // A second subscription, in addition to the one that the operations request.
  const device = { udid: random(), token: random() };
  await addSubscription(node, a, device);
  hidden = [...Object.values(secret), ...tags, login, a.token, b.token, b.login];
  hidden.push(...Object.values(device), node.application.authSecret, node.application.accountKey);
  hidden.push("First account", "First application", ownerCredentials(node).email);
  // The second application knows the id and the auth_key of the first, but no secret.
  const { authSecret, accountKey } = foreignNode.application;
  const known = { ...node.application, authSecret, accountKey };
  fixture = {
    node: { ...node, application: known },
    foreignNode,
    a: { ...a, login },
    b,
    foreign: await newUser(foreignNode),
    get unique() {
      return ++count;
    },
    ...(await addMember(node)),
    invitationSecret: () => "no invitation of anybody",
    resetToken: () => "no link of anybody",
    owner: { email: "nobody@example.com", password: "not the password" },
    spareApplicationId: String(node.application.id),
    subscriptionId: await addSubscription(node, a),
    eventId: await addEvent(node, a),
    callRecordId: await addCall(node, a),
    liveCallRecordId: await addLiveCall(node, a, b),
    failedJobId: await addFailedJob(node),
    apiKeyId: await apiKeyIdOf(node),
    // Whoever knows the secret of a link may use it.
    conference: { ...(await addConference(node, a)), secret: "no secret" },
    signed: forged,
  };
  tokens["a user"] = fixture.foreign.token;
  tokens["the application"] = await applicationToken(foreignNode);
  tokens["the owner"] = await ownerToken(foreignNode);
  tokens["an API key"] = await newApiKey(foreignNode, ["sessions", "users", "push"]);
  await activityWritten();
  rows = await dump();
  expect(rows.length).toBeGreaterThan(10);
});
afterAll(() => node.stop());

/** The id of a new API key. */
async function apiKeyIdOf(at: TestNode): Promise<string> {
  const hash = hashToken(await newApiKey(at, ["push"]));
  const [key] = await at.sql<{ id: number }>("SELECT id FROM api_keys WHERE key_hash = $1", [hash]);
  return String(key?.id);
}

/** A request for the first application, signed with the second one's secret. */
function forged(): Record<string, string | number> {
  return signedParameters(fixture.node);
}

/** Columns that are written some seconds after a request, also of the own application. */
const ACTIVITY_COLUMNS = "'{last_activity_at,last_request_at,expires_at}'::text[]";

const OF_CONFERENCE = "t.conference_id IN (SELECT id FROM conferences WHERE application_id = $1)";

/** The condition that selects an application's rows of each table. */
const OWNED: Record<string, string> = {
  applications: "t.id = $1",
  users: "t.application_id = $1",
  sessions: "t.application_id = $1",
  nonces: "t.application_id = $1",
  api_keys: "t.application_id = $1",
  consumed_jwts: "t.application_id = $1",
  identities: "t.application_id = $1",
  user_tags: "t.application_id = $1",
  push_subscriptions: "t.application_id = $1",
  push_credentials: "t.application_id = $1",
  push_events: "t.application_id = $1",
  calls: "t.application_id = $1",
  audit_entries: "t.account_id = (SELECT account_id FROM applications WHERE id = $1)",
  accounts: "t.id = (SELECT account_id FROM applications WHERE id = $1)",
  account_members: "t.account_id = (SELECT account_id FROM applications WHERE id = $1)",
  account_invitations: "t.account_id = (SELECT account_id FROM applications WHERE id = $1)",
  account_sessions: `t.member_id IN (SELECT m.id FROM account_members m
    JOIN applications a ON a.account_id = m.account_id WHERE a.id = $1)`,
  password_resets: "t.user_id IN (SELECT id FROM users WHERE application_id = $1)",
  push_deliveries: "t.event_id IN (SELECT id FROM push_events WHERE application_id = $1)",
  call_participants: "t.call_id IN (SELECT id FROM calls WHERE application_id = $1)",
  call_signals: "t.call_id IN (SELECT id FROM calls WHERE application_id = $1)",
  conferences: "t.application_id = $1",
  conference_users: OF_CONFERENCE,
  conference_links: OF_CONFERENCE,
  conference_guests: OF_CONFERENCE,
  conference_members: OF_CONFERENCE,
  // A row for each node, of no application.
  conference_nodes: "false AND $1::bigint IS NULL",
  nodes: "false AND $1::bigint IS NULL",
  statistics_nodes: "false AND $1::bigint IS NULL",
  // Written behind, and refused requests that name the application count as its errors. flow/accounts/statistics
  // tests that the requests of other applications do not count.
  application_statistics: "false AND $1::bigint IS NULL",
  application_sockets: "false AND $1::bigint IS NULL",
};

const EVERY_ROW = Object.entries(OWNED)
  .map(
    ([table, condition]) => `SELECT '${table}' AS name,
      (to_jsonb(t) - ${ACTIVITY_COLUMNS})::text AS row FROM ${table} t WHERE ${condition}`,
  )
  .join(" UNION ALL ");

/** Every row of the first application, as text. */
async function dump(): Promise<string[]> {
  const rows = await node.sql<{ name: string; row: string }>(`${EVERY_ROW} ORDER BY 1, 2`, [
    node.application.id,
  ]);
  return rows.map(({ name, row }) => `${name} ${row}`);
}

/** Waits until the delayed write of the sign-up's activity is in the rows. */
async function activityWritten(): Promise<void> {
  for (;;) {
    const unwritten = await node.sql(
      `SELECT id FROM sessions WHERE application_id = $1 AND user_id IS NULL
        AND last_activity_at = created_at`,
      [node.application.id],
    );
    if (unwritten.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs a request; its answer contains no hidden value, and the first application's rows stay unchanged. */
async function expectIsolation(ask: () => Promise<unknown>): Promise<void> {
  const before = rows;
  const answer = JSON.stringify(await ask());
  expect(hidden.filter((value) => answer.includes(value))).toEqual([]);
  rows = await dump();
  expect(rows).toEqual(before);
}

test("every table is dumped", async () => {
  const tables = await node.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_prisma%' ORDER BY 1`,
  );
  expect(tables.map(({ name }) => name)).toEqual(Object.keys(OWNED).sort());
});

test("every operation of the schema is tested", () => {
  expect(Object.keys(PERMISSION_ROWS).sort()).toEqual(operations);
});

const callers = ["a user", "the application", "the owner", "an API key"];
/** Operations that end the caller's session come last, so that the others have a live one. */
const last = (operation: string) =>
  PERMISSION_ROWS[operation]?.closesSessionOf === "anybody" ? 1 : 0;
const ordered = operations
  .filter((operation) => !PERMISSION_ROWS[operation]?.restOnly)
  .sort((one, other) => last(one) - last(other));

/** The token of a caller; a new one if an operation has ended it. */
async function tokenOf(caller: string): Promise<string> {
  const token = tokens[caller] ?? "";
  if (caller === "an API key") return token;
  if (caller === "the owner") {
    if (!(await graphql(node, "{ account { id } }", {}, token)).errors) return token;
    tokens[caller] = await ownerToken(fixture.foreignNode);
    return tokens[caller];
  }
  const { status, body } = await rest(fixture.foreignNode, "GET", "/session", { token });
  const whole = caller === "the application" || body?.session?.user_id === fixture.foreign.id;
  if (status === 200 && whole) return token;
  const user = await newUser(fixture.foreignNode);
  fixture = Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(fixture), foreign: { value: user, enumerable: true } },
  ) as Participants;
  tokens["a user"] = user.token;
  tokens["the application"] = await applicationToken(fixture.foreignNode);
  return tokens[caller] ?? "";
}

const WEB_SOCKET = "GraphQL by WebSocket";

/** The protocols through which a caller runs an operation: all, or one of them. */
function protocolsFor(operation: string, caller: string): string[] {
  // A socket takes no API key.
  if (caller === "an API key") {
    return operation.startsWith("Subscription.") ? [] : ["GraphQL by POST"];
  }
  const all = [...Object.keys(HTTP_PROTOCOLS), WEB_SOCKET].filter(
    (name) => name !== "GraphQL by GET" || operation.startsWith("Query."),
  );
  if (isExhaustive) return all;
  return [operation.startsWith("Subscription.") ? WEB_SOCKET : oneOf(all)];
}

describe.each(callers)("%s of another application gets nothing", (caller) => {
  const protocols = new Map(
    ordered.map((operation) => [operation, protocolsFor(operation, caller)]),
  );
  test.each(ordered)(`by %s${SAMPLED}`, async (operation) => {
    const row = PERMISSION_ROWS[operation];
    if (!row) throw new Error(`${operation} has no row`);
    const names = protocols.get(operation) ?? [];
    for (const name of names) {
      const send = HTTP_PROTOCOLS[name];
      if (!send) continue;
      const token = await tokenOf(caller);
      await expectIsolation(() =>
        send(fixture.foreignNode, row.document, row.variables(fixture), token),
      );
    }
    if (!names.includes(WEB_SOCKET)) return;
    const token = await tokenOf(caller);
    const socket = await connectSocket(node);
    socket.send({ type: "connection_init", payload: { token } });
    expect(await socket.next()).toEqual({ type: "connection_ack" });
    await expectIsolation(async () => {
      const payload = { query: row.document, variables: row.variables(fixture) };
      socket.send({ id: "o", type: "subscribe", payload });
      if (operation.startsWith("Subscription.")) {
        socket.send({ type: "ping" });
        await socket.next();
      } else if (row.closesSessionOf) {
        await Promise.race([socket.next(), socket.closed]);
      } else {
        await socket.next();
      }
      return socket.received;
    });
    await socket.close();
  });

  test.each(
    routes.map(({ name, method }): [string, string] => [name, method]),
  )("by REST %s", async (name, method) => {
    const route = ROUTES[name];
    if (!route) throw new Error(`${name} has no row`);
    const token = await tokenOf(caller);
    const options = { token, headers: route.headers?.(fixture), body: route.body?.(fixture) };
    await expectIsolation(
      async () => (await rest(node, method, route.path(fixture), options)).text,
    );
  });

  test.each([
    "email",
    "full_name",
    "external_id",
    "facebook_id",
    "twitter_id",
    "phone",
    "login",
    "user_tags",
  ])("by a user list filtered by %s", async (field) => {
    const value = { login: fixture.a.login, user_tags: tags[0] }[field] ?? secret[field] ?? "";
    for (const operator of ["eq", "in", "start_with"]) {
      // The answer does not repeat the requested value either.
      const text = operator === "start_with" ? value.slice(0, 8) : value;
      const name = operator === "in" ? `${field}[in][]` : `${field}[${operator}]`;
      const path = `/users/v2?${new URLSearchParams({ [name]: text })}`;
      const token = await tokenOf(caller);
      await expectIsolation(async () => {
        const { status, body } = await rest(fixture.foreignNode, "GET", path, { token });
        if (caller === "a user") expect([status, body.total_entries]).toEqual([200, 0]);
        else expect(status).toBe(403);
        return body;
      });
    }
  });

  test.each(["login", "email"])("by a user with this %s", async (key) => {
    const value = key === "login" ? fixture.a.login : secret.email;
    const query = `query ($value: String!) { user(by: { ${key}: $value }) { id } }`;
    const token = await tokenOf(caller);
    await expectIsolation(async () => {
      const answer = await graphql(fixture.foreignNode, query, { value }, token);
      expect(answer.data?.user ?? null).toBeNull();
      return answer;
    });
  });
});

test.each([
  ["exportUser", "ApplicationUserInput", "export", {}],
  ["blockUser", "BlockUserInput", "user { id login }", { reason: "Spam" }],
  ["unblockUser", "ApplicationUserInput", "user { id login }", {}],
  ["endUserSessions", "ApplicationUserInput", "endedCount", {}],
])("%s with an own application does not find another application's user", async (...row) => {
  const [name, type, field, more] = row;
  const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${field} } }`;
  const token = await tokenOf("the owner");
  const applicationId = String(fixture.foreignNode.application.id);
  for (const { id } of [fixture.a, fixture.b]) {
    await expectIsolation(async () => {
      const input = { applicationId, userId: String(id), ...more };
      const answer = await graphql(node, query, { input }, token);
      expect(answer.errors?.[0].extensions.code).toBe("NOT_FOUND");
      return answer;
    });
  }
});

test("the lists of an own application contain no users of another", async () => {
  const query = `query ($id: ID!, $search: String) { application(id: $id) {
    users(search: $search) { totalCount nodes { id login email } }
    sessions { nodes { id userId } } } }`;
  const own = String(fixture.foreignNode.application.id);
  const token = await tokenOf("the owner");
  const mine = await node.sql<{ id: number }>("SELECT id FROM users WHERE application_id = $1", [
    fixture.foreignNode.application.id,
  ]);
  const ids = mine.map(({ id }) => String(id));
  for (const search of [null, fixture.a.login.slice(0, 8), secret.email?.slice(0, 8)]) {
    await expectIsolation(async () => {
      const answer = await graphql(node, query, { id: own, search }, token);
      const { application } = answer.data;
      const { totalCount, nodes } = application.users;
      expect(totalCount).toBe(search === null ? ids.length : 0);
      for (const each of nodes) expect(ids).toContain(each.id);
      for (const { userId } of application.sessions.nodes) {
        if (userId !== null) expect(ids).toContain(String(userId));
      }
      return answer;
    });
  }
});

test("the hidden values are visible to their own application", async () => {
  const { token, id } = fixture.a;
  const { text } = await rest(node, "GET", `/users/${id}`, { token });
  const values = [...Object.values(secret), ...tags, fixture.a.login];
  expect(values.filter((value) => !text.includes(value))).toEqual([]);
  const query = `query ($id: ID!) { account { name accountKey } currentMember { email }
    application(id: $id) { name authSecret users { nodes { login email } } } }`;
  const variables = { id: String(node.application.id) };
  const account = JSON.stringify(await graphql(node, query, variables, await ownerToken(node)));
  const { authSecret, accountKey } = node.application;
  const owned = [
    "First account",
    "First application",
    ownerCredentials(node).email,
    authSecret,
    accountKey,
  ];
  owned.push(fixture.a.login, secret.email ?? "");
  expect(owned.filter((value) => !account.includes(value))).toEqual([]);
});
