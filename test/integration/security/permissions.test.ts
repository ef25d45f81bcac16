import { createHash } from "node:crypto";
import { join } from "node:path";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { RateLimits } from "../../../src/platform/limits/rate-limits";
import { Engine } from "../../../src/transports/graphql/engine/engine";
import { accessTable, restSchema } from "../../../src/transports/graphql/schema";
import {
  type RestDocument,
  readDocuments,
  readRestFiles,
} from "../../../src/transports/rest/documents";
import { graphql } from "../../../tools/graphql/graphql-http";
import { connectSocket, type SocketResult } from "../../../tools/graphql/graphql-socket";
import { auth, bind, connectRaw, OPEN } from "../../support/chat/chat";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { guestToken } from "../../support/conferences/stored-conference";
import { isExhaustive, oneOf, SAMPLED } from "../../support/exhaustive";
import { type GraphqlProtocol, HTTP_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import {
  CALLERS,
  CHANGING_MEMBERS,
  expectedOutcome,
  FOREIGN_KEY,
  hasApiKey,
  KEY_CALLERS,
  LESSER_MEMBERS,
  REST_ERRORS,
  restOutcome,
  UNAUTHENTICATED_CALLERS,
} from "../../support/security/permission-callers";
import { ROUTES } from "../../support/security/permission-routes";
import {
  type ExpectedOutcome,
  type Participants,
  PERMISSION_ROWS,
  type PermissionRow,
} from "../../support/security/permission-rows";
import { addInvitations, addResetLinks, openWorld, type World } from "../../support/security/world";
import { newApiKey } from "../../support/sessions/api-keys";
import { memberToken, ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const schema = restSchema();
const documents = readDocuments(readRestFiles(join(__dirname, "../../../schema/rest")), schema);
const engine = new Engine(schema, readConfig({}), openLog("silent"), openMetrics());

const NO_SESSION = "Required session does not exist";
/** Offset of the node's clock from the system clock, in milliseconds. */
let clockOffset = 0;
const clock = { now: () => Date.now() + clockOffset };

let node: TestNode;
let foreignNode: TestNode;
let world: World;
/** Invalid tokens, by caller. */
const invalidTokens: Record<string, string | undefined> = { "no token": undefined };
let owner: Participants["owner"];

/** What was counted of an address beside requests: operations of a class, and passwords. */
const countedForAddress = [
  jest.spyOn(RateLimits.prototype, "countForAddress"),
  jest.spyOn(RateLimits.prototype, "attemptPassword"),
];
/** Runs a request. @returns its answer, and how much of {@link countedForAddress} it was */
async function counting<T>(request: () => Promise<T>): Promise<[T, number]> {
  for (const each of countedForAddress) each.mockClear();
  const answer = await request();
  return [answer, countedForAddress.reduce((sum, { mock }) => sum + mock.calls.length, 0)];
}

beforeAll(async () => {
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  node = await startNode({}, { ...WITHOUT_POLLING, clock, openEngine });
  foreignNode = await secondApplication(node);
  await node.sql("UPDATE applications SET v1_list_disabled = false");
  owner = ownerCredentials(node);
  invalidTokens["an unknown token"] = "x".repeat(43);
  const { login, password, token, ...user } = await newUser(node);
  world = await openWorld(node, foreignNode, user);

  clockOffset = -(2 * 60 * 60 * 1000 + 1000);
  const body = { ...signedParameters(node, clock.now()), user: { login, password } };
  const old = await rest(node, "POST", "/session", { body });
  expect((await rest(node, "GET", "/session", { token: old.body.session.token })).status).toBe(200);
  invalidTokens["an expired token"] = old.body.session.token;
  clockOffset = 0;

  await rest(node, "DELETE", "/session", { token });
  invalidTokens["a destroyed token"] = token;
  const gone = await world.signedInUser(node);
  await rest(node, "DELETE", `/users/${gone.id}`, { token: gone.token });
  invalidTokens["a deleted user's token"] = gone.token;
  for (const [caller, scope] of Object.entries(KEY_CALLERS)) {
    apiKeys.set(caller, await newApiKey(node, [scope]));
  }
  apiKeys.set(FOREIGN_KEY, await newApiKey(foreignNode, ["sessions", "users", "push"]));
  invalidTokens["an unknown API key"] = `sbk_${"x".repeat(43)}`;
  invalidTokens["an unknown owner's token"] = `acct_${"x".repeat(43)}`;
  invalidTokens["an expired owner's token"] = await ownerToken(node, -1);
  const signedOut = await ownerToken(node);
  await graphql(node, "mutation { signOutMember { signedOut } }", {}, signedOut);
  invalidTokens["a signed-out owner's token"] = signedOut;
  await addResetLinks(node);
  await addInvitations(node);
});
afterAll(() => node.stop());

async function makeFixture(): Promise<Participants> {
  return world.participants({ owner });
}

let fixtureOfQueries: Promise<Participants> | undefined;
/** The objects for an operation. Queries change nothing, so all of them use the same objects. */
function fixtureOf(operation: string): Promise<Participants> {
  if (!operation.startsWith("Query.")) return makeFixture();
  fixtureOfQueries ??= makeFixture();
  return fixtureOfQueries;
}

async function tokenOf(caller: string, fixture: Participants): Promise<string | undefined> {
  if (UNAUTHENTICATED_CALLERS.includes(caller)) return invalidTokens[caller];
  const role = LESSER_MEMBERS[caller];
  if (role !== undefined) return memberToken(node, role);
  const scope = KEY_CALLERS[caller];
  if (scope !== undefined || caller === FOREIGN_KEY) return apiKeys.get(caller);
  switch (caller) {
    case "user A":
      return fixture.a.token;
    case "user B":
      return fixture.b.token;
    case "the account's owner":
      return ownerToken(node);
    case "another account's owner":
      return ownerToken(foreignNode);
    case "a foreign user":
      return fixture.foreign.token;
    case "a guest by link":
      return guestToken(node, fixture.conference);
    case "a signed-out token": {
      const { token } = await world.signedInUser(node);
      await rest(node, "DELETE", "/login", { token });
      return token;
    }
    case "a web token": {
      const token = await applicationToken(node);
      const hash = createHash("sha256").update(token).digest();
      // A new web session, which waits to be bound by a code.
      await node.sql(
        "UPDATE sessions SET web = true, binding_code_hash = token_hash WHERE token_hash = $1",
        [hash],
      );
      return token;
    }
    default:
      return applicationToken(node);
  }
}

/** Whether a caller does what only one caller can do with the same objects: it gets objects of its own. */
const changes = (caller: string, expected: ExpectedOutcome) =>
  expected === "OK" && CHANGING_MEMBERS.includes(caller);

/** Whether it is an invalid token that is refused, rather than the wrong credentials of another caller. */
const isRefused = (caller: string, expected: ExpectedOutcome, token: string | undefined) =>
  expected === "UNAUTHENTICATED" && UNAUTHENTICATED_CALLERS.includes(caller) && token !== undefined;

/** The valid API keys, by caller. */
const apiKeys = new Map<string, string>();

const isSocketOnly = (operation: string) =>
  operation.startsWith("Subscription.") || PERMISSION_ROWS[operation]?.socketOnly === true;

/** The operations of the published schema. REST runs the others too. */
const published = Object.keys(PERMISSION_ROWS).filter((name) => !PERMISSION_ROWS[name]?.restOnly);

/**
 * The operations that are run through every protocol: all of them, or one of each access level. A query also goes
 * through GET.
 */
function throughAllProtocols(): string[] {
  const names = published;
  if (isExhaustive) return names;
  const access = accessTable(schema);
  const levelOf = (name: string) => JSON.stringify(access.get(name));
  return [...new Set(names.map(levelOf))].map((level) => {
    const ofLevel = names.filter((name) => levelOf(name) === level && !isSocketOnly(name));
    const queries = ofLevel.filter((name) => name.startsWith("Query."));
    return oneOf(queries.length > 0 ? queries : ofLevel);
  });
}

const everywhere = throughAllProtocols();

/**
 * The callers of an operation: all of them, or those with a valid token, the one without a token, and one with an invalid
 * token.
 */
function callersOf(operation: string): string[] {
  if (isExhaustive || everywhere.includes(operation)) return CALLERS;
  const tested = ["no token", oneOf(UNAUTHENTICATED_CALLERS.filter((each) => each !== "no token"))];
  return CALLERS.filter(
    (caller) => tested.includes(caller) || !UNAUTHENTICATED_CALLERS.includes(caller),
  );
}

function protocolsOf(operation: string): string[] {
  if (isSocketOnly(operation)) return [];
  const protocols = Object.keys(HTTP_PROTOCOLS);
  if (!everywhere.includes(operation)) return protocols.slice(0, 1);
  return protocols.filter(
    (protocol) => protocol !== "GraphQL by GET" || operation.startsWith("Query."),
  );
}

function outcome({ data, errors }: SocketResult): ExpectedOutcome {
  if (errors) return errors[0].extensions.code;
  // A missing object is null without an error.
  return Object.values(data).includes(null) ? "NOT_FOUND" : "OK";
}

describe("the tables", () => {
  test("contain exactly the operations of the schema", () => {
    expect(Object.keys(PERMISSION_ROWS).sort()).toEqual([...accessTable(schema).keys()].sort());
  });

  test("contain exactly the REST routes", () => {
    expect(Object.keys(ROUTES).sort()).toEqual(documents.map(({ name }) => name).sort());
  });

  test("run the operations that they name", () => {
    const asked = Object.values(PERMISSION_ROWS).map(({ document }) => {
      const { operation, label } = engine.prepare(document);
      const kind = operation.operation;
      return `${kind[0]?.toUpperCase()}${kind.slice(1)}.${label}`;
    });
    expect(asked).toEqual(Object.keys(PERMISSION_ROWS));
    for (const document of documents) {
      const root = `${document.kind === "query" ? "Query" : "Mutation"}.`;
      const label = engine.prepareTrusted(document.text, schema).label;
      expect([document.name, ROUTES[document.name]?.operation]).toEqual([
        document.name,
        root + label,
      ]);
    }
  });
});

const graphqlCases = published.flatMap((operation) =>
  protocolsOf(operation).map((protocol): [string, string] => [operation, protocol]),
);

describe.each(graphqlCases)(`%s through %s${SAMPLED}`, (operation, name) => {
  const row = PERMISSION_ROWS[operation] as PermissionRow;
  const send = HTTP_PROTOCOLS[name] as GraphqlProtocol;
  let fixture: Participants;
  beforeAll(async () => {
    fixture = await fixtureOf(operation);
  });

  test.each(callersOf(operation))("%s", async (caller) => {
    // The header of an API key alone makes one.
    const isToken = name.includes("bearer") && hasApiKey(caller);
    const expected = isToken ? row.nobody : expectedOutcome(row, caller);
    if (changes(caller, expected)) fixture = await fixtureOf(operation);
    const token = await tokenOf(caller, fixture);
    world.count += 1;
    const [answer, counted] = await counting(() =>
      send(node, row.document, row.variables(fixture), token),
    );
    // An ended token is no attack on the others at its address.
    if (isRefused(caller, expected, token)) expect(counted).toBe(0);
    expect([outcome(answer), answer]).toEqual([expected, expect.anything()]);
    if (expected === "UNAUTHENTICATED" && operation !== "Mutation.login") {
      expect(answer.errors?.[0].message).toMatch(/^Required session does not exist|API key/);
    }
  });
});

/** Subscriptions without an initial event. */
const SILENT_SUBSCRIPTIONS = [
  "Subscription.conferenceInvitations",
  "Subscription.callAnswers",
  "Subscription.callChanges",
  "Subscription.pushDeliveries",
];

const socketCases = published.filter(
  (operation) => isSocketOnly(operation) || everywhere.includes(operation),
);

describe.each(socketCases)(`%s through the WebSocket${SAMPLED}`, (operation) => {
  const row = PERMISSION_ROWS[operation] as PermissionRow;
  let fixture: Participants;
  beforeAll(async () => {
    fixture = await fixtureOf(operation);
  });

  test.each(callersOf(operation))("%s", async (caller) => {
    const expected = expectedOutcome(row, caller);
    if (changes(caller, expected)) fixture = await fixtureOf(operation);
    const token = await tokenOf(caller, fixture);
    world.count += 1;
    const socket = await connectSocket(node);
    socket.send({ type: "connection_init", payload: token === undefined ? {} : { token } });
    if ((UNAUTHENTICATED_CALLERS.includes(caller) || hasApiKey(caller)) && token !== undefined) {
      expect(await socket.closed).toEqual({ code: 4401, reason: NO_SESSION });
      expect(socket.received.filter(({ type }) => type !== "connection_ack")).toEqual([]);
      return;
    }
    expect(await socket.next()).toEqual({ type: "connection_ack" });
    if (operation === "Subscription.callSignals" && expected === "OK") {
      const { id } = { "user A": fixture.a, "user B": fixture.b }[caller] ?? fixture.foreign;
      expect((await socket.listen("s", id))()).toEqual([]);
    } else if (SILENT_SUBSCRIPTIONS.includes(operation) && expected === "OK") {
      const payload = { query: row.document, variables: row.variables(fixture) };
      socket.send({ id: "o", type: "subscribe", payload });
      await socket.run("{ __typename }");
      // The subscription is to the caller's own events, so it is accepted and stays silent.
      expect(socket.received.filter(({ id }) => id === "o")).toEqual([]);
    } else if (operation === "Subscription.sessionBound" && expected === "OK") {
      const bound = socket.run(row.document);
      await rest(node, "PATCH", "/session/web", {
        token: fixture.a.token,
        body: { web_token: token },
      });
      expect((await bound).data).toEqual({ sessionBound: { userId: String(fixture.a.id) } });
    } else if (
      expected === "OK" &&
      token !== undefined &&
      (row.closesSessionOf === caller || row.closesSessionOf === "anybody")
    ) {
      const payload = { query: row.document, variables: row.variables(fixture) };
      socket.send({ id: "o", type: "subscribe", payload });
      expect(await socket.closed).toEqual({ code: 4401, reason: NO_SESSION });
      const output = socket.received.map(({ type }) => type);
      expect(output).toEqual(["connection_ack", "next", "complete"]);
      return;
    } else {
      expect(outcome(await socket.run(row.document, row.variables(fixture)))).toBe(expected);
    }
    await socket.close();
  });
});

describe.each(
  documents.map((document): [string, RestDocument] => [document.name, document]),
)(`REST %s${SAMPLED}`, (name, { method }) => {
  let fixture: Participants;
  beforeAll(async () => {
    const { prepare, operation = "" } = ROUTES[name] ?? {};
    fixture = await (prepare ? makeFixture() : fixtureOf(operation));
    await prepare?.(fixture);
  });

  test.each(callersOf(ROUTES[name]?.operation ?? ""))("%s", async (caller) => {
    const route = ROUTES[name];
    const row = PERMISSION_ROWS[route?.operation ?? ""];
    if (!route || !row) throw new Error(`${name} has no row`);
    const token = await tokenOf(caller, fixture);
    world.count += 1;
    const [answer, counted] = await counting(() =>
      rest(node, method, route.path(fixture), {
        token,
        headers: route.headers?.(fixture),
        body: route.body?.(fixture),
      }),
    );
    const expected = restOutcome(row, caller);
    if (isRefused(caller, expected, token)) expect(counted).toBe(0);
    const actual = { status: answer.status, body: answer.body };
    if (expected === "OK") {
      expect(actual).toEqual(route.success(fixture, caller));
      return;
    }
    const { status, text } = REST_ERRORS[expected];
    const isWrongLogin = name === "Login" && caller === "a foreign user";
    const message = isWrongLogin
      ? "Unauthorized: the login or the password is wrong"
      : expect.stringMatching(text);
    expect(actual).toEqual({ status, body: { errors: { base: [message] } } });
  });
});

/** XMPP, which only signs users in and carries signals. */
describe("a chat client", () => {
  type Attempt = Awaited<ReturnType<typeof signInBy>>;
  let fixture: Participants;
  /** Sign-ins of all callers at once, since the answer to a failed one is delayed. */
  const asUserA = new Map<string, Promise<Attempt>>();
  const asThemselves = new Map<string, Promise<Attempt>>();
  beforeAll(async () => {
    fixture = await makeFixture();
    for (const caller of CALLERS) {
      const token = (await tokenOf(caller, fixture)) ?? "none";
      asUserA.set(caller, signInBy(node, fixture.a.id, token));
      const at = caller === "a foreign user" ? foreignNode : node;
      asThemselves.set(caller, signInBy(at, userOf(caller)?.id ?? fixture.b.id, token));
    }
    await Promise.all([...asUserA.values(), ...asThemselves.values()]);
  });

  const userOf = (caller: string): TestUser | undefined =>
    ({ "user A": fixture.a, "user B": fixture.b, "a foreign user": fixture.foreign })[caller];

  /** Signs in by a token; the third frame has the result. */
  async function signInBy(at: TestNode, userId: number, token: string) {
    const client = await connectRaw(node.chatUrl);
    for (const frame of [OPEN, auth(`${userId}-${at.application.id}`, token)]) client.send(frame);
    for (let taken = 0; taken < 2; taken += 1) await client.next();
    return { client, answer: await client.next() };
  }

  test.each(CALLERS)("signs in as user A only with the token of user A: %s", async (caller) => {
    const { client, answer } = (await asUserA.get(caller)) as Attempt;
    if (caller === "user A") expect(answer).toContain("<success");
    else expect(answer).toContain("<not-authorized/></failure>");
    client.socket.terminate();
  });

  test.each(
    CALLERS,
  )("sends user A a signal with the permissions of Mutation.sendSignal: %s", async (caller) => {
    const user = userOf(caller);
    const expected = expectedOutcome(
      PERMISSION_ROWS["Mutation.sendSignal"] as PermissionRow,
      caller,
    );
    const { client, answer } = (await asThemselves.get(caller)) as Attempt;
    const to = `${fixture.a.id}-${node.application.id}@${node.app.addresses.chat_domain}`;
    const signal = `<message xmlns="jabber:client" type="headline" id="m" to="${to}"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier><signalType>hangUp</signalType><sessionID>s</sessionID></extraParams></message>`;
    if (!user) {
      expect(["UNAUTHENTICATED", "FORBIDDEN"]).toContain(expected);
      expect(answer).toContain("<not-authorized/></failure>");
      client.send(signal);
      expect((await client.rest()).frames.join("")).toContain("<not-authorized");
      return;
    }
    expect(answer).toContain("<success");
    for (const frame of [OPEN, bind()]) client.send(frame);
    for (let taken = 0; taken < 3; taken += 1) await client.next();
    client.send(signal);
    client.send('<iq xmlns="jabber:client" type="get" id="p"><ping xmlns="urn:xmpp:ping"/></iq>');
    let output = "";
    while (!output.includes('id="p"')) output += await client.next();
    if (expected === "OK") expect(output).not.toContain('type="error"');
    else
      expect([expected, output]).toEqual(["NOT_FOUND", expect.stringContaining("<item-not-found")]);
    client.socket.terminate();
  });
});
