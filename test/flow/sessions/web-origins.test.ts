import { join } from "node:path";
import { signInStream, trackStream } from "../../../src/domain/sessions/stream-sign-in";
import { accessTable, restSchema, signalboxSchema } from "../../../src/transports/graphql/schema";
import { readDocuments, readRestFiles } from "../../../src/transports/rest/documents";
import { credentialHeader, graphql } from "../../../tools/graphql/graphql-http";
import { connectSocket, type GraphqlSocket } from "../../../tools/graphql/graphql-socket";
import { openTestModules } from "../../support/auth-modules";
import { auth, bind, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import type { RawClient } from "../../support/chat/raw-client";
import { addConference, guestToken } from "../../support/conferences/stored-conference";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";
import { ROUTES } from "../../support/security/permission-routes";
import { type Participants, PERMISSION_ROWS } from "../../support/security/permission-rows";
import { newApiKey } from "../../support/sessions/api-keys";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** The web origins of an application apply to all protocols, and to open connections. */

const GOOD = "https://app.example";
const EVIL = "https://evil.example";
const REFUSED = "This origin may not use this application";
const UPDATE = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { webOrigins } } }`;

let node: TestNode;
let owner: string;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN });
  owner = await ownerToken(node);
  user = await newUser(node);
});
afterAll(() => node.stop());

async function allow(webOrigins: string[], of = node): Promise<void> {
  const input = { applicationId: String(of.application.id), webOrigins };
  const { errors } = await graphql(of, UPDATE, { input }, owner);
  expect(errors).toBeUndefined();
}

/** @returns the secret of a link to a new conference of the user */
async function conferenceSecret(): Promise<string> {
  const CREATE = `mutation ($input: CreateConferenceInput!) {
    createConference(input: $input) { conference { id } } }`;
  const LINK = `mutation ($input: CreateConferenceLinkInput!) {
    createConferenceLink(input: $input) { secret } }`;
  const created = await graphql(node, CREATE, { input: { name: "Origins" } }, user.token);
  const conferenceId = created.data.createConference.conference.id;
  const link = await graphql(node, LINK, { input: { conferenceId } }, user.token);
  return link.data.createConferenceLink.secret;
}

/** Makes a request from an origin, or without one. @returns the answer in short */
type Ask = (origin: string | undefined, of: TestNode) => Promise<string>;
const headersOf = (origin: string | undefined): Record<string, string> =>
  origin === undefined ? {} : { Origin: origin };

const overRest =
  (method: string, path: string, body?: () => object): Ask =>
  async (origin, of) => {
    const headers = headersOf(origin);
    const token = path.startsWith("/session/") || body ? undefined : user.token;
    const { status, body: answer } = await rest(of, method, path, {
      token,
      headers,
      body: body?.(),
    });
    return status < 300 ? "OK" : `${status} ${answer.errors.base}`;
  };

async function graphqlAnswer(response: Response): Promise<string> {
  const { errors } = (await response.json()) as {
    errors?: Array<{ message: string; extensions: { code: string } }>;
  };
  return errors ? `${errors[0]?.extensions.code} ${errors[0]?.message}` : "OK";
}

async function overSocket(token: string, origin: string | undefined, of: TestNode) {
  const socket = await connectSocket(of, origin === undefined ? {} : { origin });
  socket.send({ type: "connection_init", payload: { token } });
  return socket;
}

/** Pipelines a sign-in. @returns the client, and all it received until the end or the bind */
async function overChat(secret: string, origin: string | undefined, of: TestNode) {
  const client = await connectRaw(of.chatUrl, origin === undefined ? {} : { origin });
  const name = `${user.id}-${of.application.id}`;
  for (const frame of [OPEN, auth(name, secret), OPEN, bind()]) client.send(frame);
  let output = "";
  try {
    while (!output.includes("<jid>")) output += await client.next();
  } catch {
    return { client, output, closed: true };
  }
  return { client, output, closed: false };
}

const chatAnswer =
  (secret: () => string): Ask =>
  async (origin, of) => {
    const { client, output, closed } = await overChat(secret(), origin, of);
    client.socket.terminate();
    if (!closed) return "OK";
    const [, failure] = /<failure [^>]*><([a-z-]+)/.exec(output) ?? [];
    const [, error] = /<stream:error[^>]*><([a-z-]+)/.exec(output) ?? [];
    return `${failure} ${error} ${output.includes(REFUSED) ? REFUSED : output}`;
  };

const PROTOCOLS: Array<[protocol: string, ask: Ask, refused: string]> = [
  ["REST", overRest("GET", "/session"), `403 ${REFUSED}`],
  [
    "REST POST /session",
    overRest("POST", "/session", () => signedParameters(node)),
    `403 ${REFUSED}`,
  ],
  [
    "REST POST /session/web",
    overRest("POST", "/session/web", () => signedParameters(node)),
    `403 ${REFUSED}`,
  ],
  [
    "GraphQL by POST",
    async (origin, of) =>
      graphqlAnswer(
        await fetch(of.graphqlUrl, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            "Svc-Token": user.token,
            ...headersOf(origin),
          },
          body: JSON.stringify({ query: "{ currentSession { id } }" }),
        }),
      ),
    `FORBIDDEN ${REFUSED}`,
  ],
  [
    "GraphQL by GET",
    async (origin, of) =>
      graphqlAnswer(
        await fetch(`${of.graphqlUrl}?query=${encodeURIComponent("{ currentSession { id } }")}`, {
          headers: {
            "Apollo-Require-Preflight": "1",
            "Svc-Token": user.token,
            ...headersOf(origin),
          },
        }),
      ),
    `FORBIDDEN ${REFUSED}`,
  ],
  [
    "a GraphQL socket",
    async (origin, of) => {
      const socket = await overSocket(user.token, origin, of);
      const answer = await Promise.race([socket.next().catch(() => null), socket.closed]);
      if (answer && "type" in answer && answer.type === "connection_ack") {
        await socket.close();
        return "OK";
      }
      const { code, reason } = await socket.closed;
      return `${code} ${reason}`;
    },
    `4403 ${REFUSED}`,
  ],
  [
    "a GraphQL socket without a token",
    async (origin, of) => {
      const socket = await connectSocket(of, origin === undefined ? {} : { origin });
      socket.send({ type: "connection_init" });
      const { application_id, auth_key, ...more } = signedParameters(of);
      const input = { ...more, applicationId: application_id, authKey: auth_key };
      const query =
        "mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { id } } }";
      await socket.next();
      const { errors } = await socket.run(query, { input });
      await socket.close();
      return errors ? `${errors[0].extensions.code} ${errors[0].message}` : "OK";
    },
    `FORBIDDEN ${REFUSED}`,
  ],
  [
    "a chat client with a password",
    chatAnswer(() => user.password),
    `not-authorized policy-violation ${REFUSED}`,
  ],
  [
    "a chat client with a token",
    chatAnswer(() => user.token),
    `not-authorized policy-violation ${REFUSED}`,
  ],
];

describe("a list of web origins", () => {
  beforeAll(() => allow([GOOD, "http://127.0.0.1:8080"]));
  afterAll(() => allow([]));

  test.each(PROTOCOLS)("restricts %s", async (_protocol, ask, refused) => {
    const answers = [];
    for (const origin of [
      EVIL,
      "null",
      "https://app.example.evil.example",
      "http://app.example",
      "https://app.example:8443",
      `${GOOD}/`,
      GOOD,
      "http://127.0.0.1:8080",
      undefined,
    ]) {
      answers.push(await ask(origin, node));
    }
    expect(answers).toEqual([...Array(6).fill(refused), "OK", "OK", "OK"]);
  });

  test("creates nothing and reveals no user data if it refuses", async () => {
    const count = async () => (await node.sql("SELECT id FROM sessions")).length;
    const before = await count();
    const { login, password } = user;
    const body = { ...signedParameters(node), user: { login, password } };
    const headers = { Origin: EVIL };
    const answer = await rest(node, "POST", "/session", { headers, body });
    expect([answer.status, answer.body]).toEqual([403, { errors: { base: [REFUSED] } }]);
    expect(await count()).toBe(before);
  });

  test("does not reveal itself to a page with a wrong password", async () => {
    const { client, output } = await overChat("wrong horse", EVIL, node);
    client.socket.terminate();
    expect(output).toContain("<not-authorized/></failure>");
    expect(output).not.toContain(REFUSED);
  });

  test("does not restrict other applications or owners", async () => {
    const foreignNode = await secondApplication(node);
    const { token } = await newUser(foreignNode);
    const headers = { Origin: EVIL };
    expect((await rest(foreignNode, "GET", "/session", { token, headers })).status).toBe(200);
    const socket = await connectSocket(node, { origin: EVIL });
    socket.send({ type: "connection_init", payload: { token: owner } });
    expect(await socket.next()).toEqual({ type: "connection_ack" });
    expect((await socket.run("{ account { name } }")).errors).toBeUndefined();
    await socket.close();
  });
});

describe("every operation refuses a page that is not on the list", () => {
  const access = accessTable(signalboxSchema());
  /** Operations without a session, which do not belong to an application. */
  const OPEN_TO_ALL = [
    "Query.accountSettings",
    "Mutation.acceptInvitation",
    "Mutation.resetPassword",
    "Mutation.signInMember",
  ];
  let fixture: Participants;
  let apiKey: string;
  beforeAll(async () => {
    apiKey = await newApiKey(node, ["sessions"]);
    const foreignNode = await secondApplication(node);
    await node.sql("UPDATE applications SET v1_list_disabled = false");
    let unique = 0;
    fixture = {
      node,
      foreignNode,
      a: user,
      b: await newUser(node),
      foreign: await newUser(foreignNode),
      owner: ownerCredentials(node),
      spareApplicationId: "1",
      memberId: "1",
      apiKeyId: "1",
      invitationId: "1",
      invitationSecret: () => "no invitation",
      resetToken: () => "no link",
      subscriptionId: 1,
      eventId: 1,
      callRecordId: 1,
      liveCallRecordId: 1,
      failedJobId: "00000000-0000-4000-8000-000000000000",
      conference: { id: "1", membershipId: "1.1.1", linkId: "1", secret: await conferenceSecret() },
      signed: () => signedParameters(node),
      get unique() {
        return ++unique;
      },
    };
    await allow([GOOD]);
  });
  afterAll(() => allow([]));

  const operations = [...access].filter(
    ([name, { client }]) =>
      client !== null && !OPEN_TO_ALL.includes(name) && !name.startsWith("Subscription."),
  );
  test.each(operations)("%s", async (name) => {
    const row = PERMISSION_ROWS[name];
    if (!row) throw new Error(`${name} has no row`);
    const response = await fetch(node.graphqlUrl, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...credentialHeader(name === "Mutation.createSessionForUser" ? apiKey : user.token),
        Origin: EVIL,
      },
      body: JSON.stringify({ query: row.document, variables: row.variables(fixture) }),
    });
    expect(await graphqlAnswer(response)).toBe(`FORBIDDEN ${REFUSED}`);
  });

  const routes = readDocuments(readRestFiles(join(__dirname, "../../../schema/rest")), restSchema())
    .filter(({ name }) => name !== "GetAccountSettings")
    .map(({ name, method }): [string, string] => [name, method]);
  test.each(routes)("REST %s", async (name, method) => {
    const route = ROUTES[name];
    if (!route) throw new Error(`${name} has no row`);
    const { status, body } = await rest(node, method, route.path(fixture), {
      token: name === "CreateServerSession" ? apiKey : user.token,
      headers: { ...route.headers?.(fixture), Origin: EVIL },
      body: route.body?.(fixture),
    });
    expect([status, body]).toEqual([403, { errors: { base: [REFUSED] } }]);
  });
});

describe("a list that changes", () => {
  const PING = '<iq xmlns="jabber:client" type="get" id="p"><ping xmlns="urn:xmpp:ping"/></iq>';

  interface Opened {
    socket: GraphqlSocket;
    byToken: RawClient;
    byPassword: RawClient;
  }

  async function open(origin: string | undefined, of: TestNode): Promise<Opened> {
    const socket = await overSocket(user.token, origin, of);
    expect(await socket.next()).toEqual({ type: "connection_ack" });
    await socket.listen("s", user.id);
    return {
      socket,
      byToken: (await overChat(user.token, origin, of)).client,
      byPassword: (await overChat(user.password, origin, of)).client,
    };
  }

  async function expectRefused({ socket, byToken, byPassword }: Opened): Promise<void> {
    expect(await socket.closed).toEqual({ code: 4403, reason: REFUSED });
    for (const stream of [byToken, byPassword]) {
      const output = (await stream.rest()).frames.join("");
      expect(output).toContain("<policy-violation");
      expect(output).toContain(REFUSED);
    }
  }

  async function expectAlive({ socket, byToken, byPassword }: Opened): Promise<void> {
    expect((await socket.run("{ currentSession { id } }")).errors).toBeUndefined();
    for (const stream of [byToken, byPassword]) {
      stream.send(PING);
      let answer = "";
      while (!answer.includes('id="p"')) answer = await stream.next();
      stream.socket.terminate();
    }
    await socket.close();
  }

  test("closes only the connections of pages that it no longer allows", async () => {
    const [evil, good, none] = [
      await open(EVIL, node),
      await open(GOOD, node),
      await open(undefined, node),
    ];
    const foreignNode = await secondApplication(node);
    const other = await overSocket((await newUser(foreignNode)).token, EVIL, node);
    expect(await other.next()).toEqual({ type: "connection_ack" });
    await allow([GOOD]);
    await expectRefused(evil);
    await expectAlive(good);
    await expectAlive(none);
    expect((await other.run("{ currentSession { id } }")).errors).toBeUndefined();
    await other.close();
    await allow([]);
    await expectAlive(await open(EVIL, node));
  });

  test("restricts a renewed socket", async () => {
    const socket = await overSocket(user.token, EVIL, node);
    await socket.next();
    const body = {
      ...signedParameters(node),
      user: { login: user.login, password: user.password },
    };
    const fresh = (await rest(node, "POST", "/session", { body })).body.session.token;
    const query =
      "mutation ($token: String!) { renewSocket(input: { token: $token }) { session { id } } }";
    expect((await socket.run(query, { token: fresh })).errors).toBeUndefined();
    await allow([GOOD]);
    expect(await socket.closed).toEqual({ code: 4403, reason: REFUSED });
    await allow([]);
  });

  test("restricts the socket of a guest by link", async () => {
    const token = await guestToken(node, await addConference(node, user));
    const [evil, good] = [await overSocket(token, EVIL, node), await overSocket(token, GOOD, node)];
    for (const socket of [evil, good])
      expect(await socket.next()).toEqual({ type: "connection_ack" });
    await allow([GOOD]);
    expect(await evil.closed).toEqual({ code: 4403, reason: REFUSED });
    expect((await good.run("{ apiVersion: __typename }")).errors).toBeUndefined();
    await good.close();
    await allow([]);
  });

  test("applies to a stream that is signing in, and if its event was lost", async () => {
    const modules = await openTestModules({ store: node.app.store });
    const { sessions, platform } = modules;
    try {
      const applicationId = node.application.id;
      const attempt = { applicationId, userId: user.id, ip: "127.0.0.1", origin: EVIL };
      const admissions = [];
      for (const secret of [user.password, user.token]) {
        admissions.push(await signInStream(sessions, { ...attempt, secret }));
      }
      for (const admission of admissions) await admission.confirm();
      const refused = new Promise<void>((resolve) => {
        const stream = { ...attempt, sessionId: user.sessionId, close: () => undefined };
        trackStream(sessions, { ...stream, refuse: resolve });
      });
      await allow([GOOD]);
      // The bus publishes an empty message when it is available again.
      await platform.bus.publish("session-events", "");
      await refused;
      for (const admission of admissions) {
        await expect(admission.confirm()).rejects.toMatchObject({ code: "FORBIDDEN" });
      }
    } finally {
      await allow([]);
      await modules.close();
    }
  });

  // Two nodes require PostgreSQL and Redis.
  if (!hasServices) return;

  test("applies to requests, sockets and streams on another node", async () => {
    const two = await startNode({}, {}, node);
    try {
      const [evil, good] = [await open(EVIL, two), await open(GOOD, two)];
      await allow([GOOD]);
      await expectRefused(evil);
      await expectAlive(good);
      for (const [, ask, refused] of PROTOCOLS) {
        const answer = await eventually(
          () => ask(EVIL, two),
          (output) => output !== "OK",
        );
        expect(answer).toBe(refused);
        expect(await ask(GOOD, two)).toBe("OK");
      }
      await allow([]);
      for (const [, ask] of PROTOCOLS) {
        await eventually(
          () => ask(EVIL, two),
          (output) => output === "OK",
        );
      }
    } finally {
      await two.stop();
    }
  });
});
