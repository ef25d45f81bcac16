import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashToken, newToken } from "../../../src/core/random";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { graphql } from "../../../tools/graphql/graphql-http";
import { connectSocket } from "../../../tools/graphql/graphql-socket";
import { auth, connectRaw, DOMAIN, OPEN, TRANSPORTS } from "../../support/chat/chat";
import { LegacyClient } from "../../support/conferences/legacy-client";
import { overPolling, overWebSocket } from "../../support/conferences/legacy-transports";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { addConference, guestToken } from "../../support/conferences/stored-conference";
import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { testCertificate } from "../../support/operations/certificates";
import { FREE_CHAT_PORTS } from "../../support/ports";
import { applicationToken, rest, signedParameters } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/**
 * An ended token is no attack: however often the clients of one address present theirs, nobody there is locked out,
 * neither the users of the tokens nor their colleagues. test/integration/security/permissions.test.ts shows the same
 * for every operation.
 */

const PASSWORD = "correct horse";
const SIGN_IN_SECRET = "the sign-in secret";
/** Limits that a few attempts exceed. */
const LIMITS = {
  RATE_REQUESTS_PER_IP: "6000",
  RATE_REQUESTS_PER_APPLICATION: "60000",
  RATE_SESSIONS_PER_IP: "5",
  RATE_SIGN_INS_PER_IP: "5",
  RATE_SIGN_UPS_PER_IP: "5",
  RATE_RESETS_PER_IP: "5",
  FAILED_SIGN_INS_BEFORE_DELAY: "1",
  FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME: "2",
  FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "3",
};
/** More attempts than any of these limits allows. */
const PHONES = 2;
const RECONNECTIONS = 3;

const counted = jest.spyOn(ApplicationCounters.prototype, "count");
const clock = new MovingClock();
let folder: string;
let node: TestNode;
beforeAll(async () => {
  clock.hold(true);
  folder = mkdtempSync(join(tmpdir(), "signalbox-ended-"));
  const { cert, key } = (await testCertificate()).current;
  const files = { TLS_CERT_FILE: join(folder, "cert.pem"), TLS_KEY_FILE: join(folder, "key.pem") };
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key);
  const environment = {
    // Without Redis the node counts with the test's clock; Redis uses its own.
    REDIS_URL: "",
    ...FREE_CHAT_PORTS,
    ...files,
    CHAT_DOMAIN: DOMAIN,
    CHAT_SIGN_IN_SECRET: SIGN_IN_SECRET,
    ...LIMITS,
  };
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  node = await startNode(environment, { ...WITHOUT_POLLING, clock, openEngine });
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});
/** Whether a user's password has the form of a token, as the user's row knows it. */
type Form = "no" | "unknown" | "yes";

interface Person {
  id: number;
  login: string;
  password: string;
  /** Of a session that has ended. */
  token: string;
}

/** The phones of an office with their users, by the form of the users' passwords, and a colleague. */
const phones: Record<Form, Person[]> = { no: [], unknown: [], yes: [] };
let colleague: Person;
/** Ended tokens of other kinds. */
const ended = { guest: "", member: "" };
beforeAll(async () => {
  for (const form of ["no", "unknown", "yes"] as const) {
    for (let count = 0; count < PHONES; count += 1) phones[form].push(await newPerson(form));
  }
  colleague = await newPerson("no");
  const conference = await addConference(node, colleague);
  ended.guest = await guestToken(node, conference);
  expect(codeOf(await graphql(node, currentSession, {}, ended.guest))).toBe("FORBIDDEN");
  await node.sql("DELETE FROM conference_guests WHERE token_hash = $1", [hashToken(ended.guest)]);
  ended.member = await ownerToken(node, -1);
});
// Rates count for a minute, failures for an hour, and sessions end two hours after their last use.
beforeEach(async () => {
  clock.advance(HOUR + MINUTE);
  await node.sql("UPDATE users SET password_has_token_form = NULL WHERE id = ANY($1)", [
    phones.unknown.map(({ id }) => id),
  ]);
});

let people = 0;

/** A user with an ended session. */
async function newPerson(form: Form): Promise<Person> {
  // One at a time: each costs a sign-up, and sessions, of the address.
  clock.advance(MINUTE);
  const login = `person-${++people}`;
  const password =
    form === "yes" ? createHash("sha256").update(login).digest("base64url") : PASSWORD;
  const user = { login, password };
  const application = await applicationToken(node, clock.now());
  const { body } = await rest(node, "POST", "/users", { token: application, body: { user } });
  const signIn = { ...signedParameters(node, clock.now()), user };
  const { token } = (await rest(node, "POST", "/session", { body: signIn })).body.session;
  await rest(node, "DELETE", "/session", { token });
  return { id: body.user.id, login, password, token };
}

/** Signs in over chat. @returns the name of the last element */
async function chat(url: string | undefined, { id }: { id: number }, secret: string) {
  const client = await connectRaw(url ?? "");
  for (const frame of [OPEN, auth(`${id}-${node.application.id}`, secret)]) client.send(frame);
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return /<(success|not-authorized|temporary-auth-failure)/.exec(answer)?.[1] ?? answer;
}

/** Signs in through an attached chat server. */
async function attached({ id }: { id: number }, secret: string, ip: string | null) {
  const { status, body } = await rest(node, "POST", "/chat/sign-in", {
    headers: { Authorization: `Bearer ${SIGN_IN_SECRET}` },
    body: { user: `${id}-${node.application.id}`, password: secret, ip },
  });
  return status === 200 ? body.allowed : status;
}

/** Signs in with the user's password where one is counted, and expects success. */
async function signInEverywhere({ id, login, password }: Person): Promise<void> {
  const token = await applicationToken(node, clock.now());
  const body = { login, password };
  expect((await rest(node, "POST", "/login", { token, body })).status).toBe(200);
  expect(await chat(node.chatUrls.ws, { id }, password)).toBe("success");
  expect(await attached({ id }, password, null)).toBe(true);
}

/** The ways to present a token as a chat client, which could be a password: the answer to a wrong secret. */
const CHAT: Array<[way: string, refused: unknown, present: (person: Person) => Promise<unknown>]> =
  [
    ...TRANSPORTS.map((name): (typeof CHAT)[number] => [
      `a chat client by ${name}`,
      "not-authorized",
      (each) => chat(node.chatUrls[name], each, each.token),
    ]),
    ["an attached chat server", false, (each) => attached(each, each.token, "127.0.0.1")],
    ["one that reports no address", false, (each) => attached(each, each.token, null)],
  ];

test("every transport of chat is tested", () => {
  expect(Object.keys(node.chatUrls).sort()).toEqual([...TRANSPORTS].sort());
});

describe.each(CHAT)("%s", (_way, refused, present) => {
  test.each<Form>([
    "no",
    "unknown",
    "yes",
  ])("locks nobody out by ended tokens of users whose password has that form: %s", async (form) => {
    const [first] = phones[form] as [Person];
    const answers: unknown[] = [];
    for (let count = 0; count < RECONNECTIONS; count += 1) {
      for (const phone of phones[form]) answers.push(await present(phone));
    }
    expect(answers).toEqual(Array(PHONES * RECONNECTIONS).fill(refused));
    await signInEverywhere(colleague);
    clock.advance(MINUTE);
    await signInEverywhere(first);
  });

  test("locks nobody out by the tokens of users who do not exist any more", async () => {
    for (let count = 0; count < PHONES * RECONNECTIONS; count += 1) {
      const gone = { ...colleague, id: 900_000 + count, token: newToken() };
      expect(await present(gone)).toBe(refused);
    }
    await signInEverywhere(colleague);
  });
});

const currentSession = "{ currentSession { userId } }";
const codeOf = ({ errors }: { errors?: Array<{ extensions: { code: string } }> }) =>
  errors?.[0]?.extensions.code;
const socketWith = async (token: string) => {
  const socket = await connectSocket(node);
  socket.send({ type: "connection_init", payload: { token } });
  return (await socket.closed).code;
};
const janus = (open: typeof overWebSocket, url: () => string) => async (token: string) => {
  const client = await LegacyClient.connect(open, url(), token);
  const answer = await client.send({ janus: "create" });
  client.drop();
  return answer.error?.code;
};
const bearer = async (token: string) => {
  const response = await fetch(node.graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: "{ account { id } currentSession { userId } }" }),
  });
  return codeOf((await response.json()) as object);
};

/** The other ways to present a token: the answer to an ended one. */
const OTHERS: Array<[way: string, refused: unknown, present: (token: string) => Promise<unknown>]> =
  [
    ["REST", 401, async (token) => (await rest(node, "GET", "/session", { token })).status],
    [
      "GraphQL over HTTP",
      "UNAUTHENTICATED",
      async (token) => codeOf(await graphql(node, currentSession, {}, token)),
    ],
    ["GraphQL over HTTP, as Bearer", "UNAUTHENTICATED", bearer],
    ["GraphQL over WebSocket", 4401, socketWith],
    [
      "a conference client by WebSocket",
      403,
      janus(overWebSocket, () => node.app.conferenceUrls.ws ?? ""),
    ],
    ["a conference client by long polling", 403, janus(overPolling, () => node.baseUrl)],
  ];

test.each(OTHERS)("%s locks nobody out by ended tokens", async (_way, refused, present) => {
  for (let count = 0; count < PHONES * RECONNECTIONS; count += 1) {
    for (const token of [colleague.token, ended.guest, ended.member]) {
      expect(await present(token)).toBe(refused);
    }
  }
  await signInEverywhere(colleague);
});

test("what is hashed though it counts as no failure has a bound of its own, for each address", async () => {
  const [derived] = phones.yes as [Person];
  const [settled] = phones.no as [Person];
  const ip = "198.51.100.7";
  const guesses = Array.from({ length: 60 }, () => attached(derived, newToken(), ip));
  const answers = await Promise.all(guesses);
  // Ten times RATE_SIGN_INS_PER_IP.
  expect(answers.filter((answer) => answer === false)).toHaveLength(50);
  expect(answers.filter((answer) => answer === 429)).toHaveLength(10);
  expect(await attached(derived, derived.password, ip)).toBe(429);
  // Everything else at the address is as before, and so is the user elsewhere.
  expect(await attached(settled, settled.token, ip)).toBe(false);
  expect(await attached(colleague, colleague.password, ip)).toBe(true);
  await signInEverywhere(derived);
  clock.advance(MINUTE);
  expect(await attached(derived, derived.password, ip)).toBe(true);
});

test("over REST and GraphQL, a wrong password of that form is a failure as any other", async () => {
  const query = "mutation ($i: LoginInput!) { login(input: $i) { user { id } } }";
  const token = await applicationToken(node, clock.now());
  const ask = async (login: string, password: string) => {
    const over = await rest(node, "POST", "/login", { token, body: { login, password } });
    const { errors } = await graphql(node, query, { i: { login, password } }, token);
    return [over.status, errors?.[0].extensions.code];
  };
  const [settled] = phones.no as [Person];
  expect(await ask(settled.login, newToken())).toEqual([401, "LIMITED"]);
  clock.advance(HOUR + MINUTE);
});

test("an ended token is no failed sign-in in the statistics of its application", () => {
  const failed = counted.mock.calls.filter(([, what]) => what === "failedSignIns");
  // The last test's wrong password alone.
  expect(failed).toHaveLength(1);
});
