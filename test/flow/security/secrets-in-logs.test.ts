import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openLog } from "../../../src/core/log";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { auth, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  type RestResponse,
  rest,
  signedParameters,
} from "../../support/rest-client";

/**
 * Logs, errors and metrics contain no secrets: runs valid and invalid requests of every kind at the most
 * verbose level, and then searches every line for every secret used.
 */

const PASSWORD = "a password to be kept";
const WRONG = "a guess to be kept";
const EMAIL = "kept.secret@mail.example";
const STRANGER = "nobody.known@mail.example";
const TURN_SECRET = "turn-secret-to-be-kept";
const BOGUS = "bogus-token-that-somebody-else-may-own-12345";

const lines: string[] = [];
const errors: string[] = [];
const secrets = new Map<string, string>([
  ["password", PASSWORD],
  ["wrong password", WRONG],
  ["e-mail", EMAIL],
  ["unknown e-mail", STRANGER],
  ["unknown token", BOGUS],
  ["TURN secret", TURN_SECRET],
]);
let node: TestNode;
let metrics: string;

/** Checks the status of an answer, and keeps the body and headers of errors. */
async function expectStatus(answer: Promise<RestResponse>, status: number): Promise<RestResponse> {
  const received = await answer;
  expect(received.status).toBe(status);
  if (status >= 400) errors.push(received.text, JSON.stringify([...received.headers]));
  return received;
}

async function ask(query: string, variables: object, token: string): Promise<void> {
  const response = await fetch(node.graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  if (text.includes('"errors"')) errors.push(text);
}

function request(user?: object) {
  const parameters = signedParameters(node);
  secrets.set(`signature ${secrets.size}`, String(parameters.signature));
  return user ? { ...parameters, user } : parameters;
}

const LOGIN = "mutation ($i: LoginInput!) { login(input: $i) { user { id } } }";
const SIGN_UP = "mutation ($i: CreateUserInput!) { createUser(input: $i) { user { id } } }";

/** Signs in over every protocol, with valid and invalid credentials. */
async function signIns(application: string, user: string, id: number): Promise<void> {
  for (const password of [PASSWORD, WRONG]) {
    const status = password === PASSWORD ? 201 : 401;
    const answer = await expectStatus(
      rest(node, "POST", "/session", { body: request({ email: EMAIL, password }) }),
      status,
    );
    if (status === 201) secrets.set("session token", answer.body.session.token);
    await ask(LOGIN, { i: { email: EMAIL, password } }, application);
    await ask(LOGIN, { i: { email: STRANGER, password } }, application);
    const socket = await openSocket(node, application);
    const { errors: refused } = await socket.run(LOGIN, { i: { email: EMAIL, password } });
    if (refused) errors.push(JSON.stringify(refused));
    await socket.close();
  }
  for (const secret of [PASSWORD, WRONG, user, BOGUS]) {
    const client = await connectRaw(node.chatUrl);
    for (const frame of [OPEN, auth(`${id}-${node.application.id}`, secret)]) client.send(frame);
    for (let count = 0; count < 2; count += 1) await client.next();
    errors.push(await client.next());
    client.socket.terminate();
  }
}

/** Requests that are refused and contain a secret. */
async function refusals(application: string, id: number): Promise<void> {
  const { accountKey } = node.application;
  const headers = (key: string) => ({ "Svc-Account-Key": key });
  await expectStatus(rest(node, "GET", "/account_settings", { headers: headers(accountKey) }), 200);
  await expectStatus(
    rest(node, "GET", "/account_settings", { headers: headers(`${accountKey}x`) }),
    401,
  );
  await expectStatus(rest(node, "GET", "/session", { token: BOGUS }), 401);
  const forged = { ...request(), signature: "f".repeat(40) };
  await expectStatus(rest(node, "POST", "/session", { body: forged }), 422);
  await expectStatus(
    rest(node, "POST", "/session", {
      body: { ...request(), auth_key: node.application.authSecret },
    }),
    422,
  );
  const taken = { user: { email: EMAIL, password: PASSWORD } };
  await expectStatus(rest(node, "POST", "/users", { token: application, body: taken }), 422);
  await expectStatus(
    rest(node, "POST", "/users", { token: application, body: `{"password":"${WRONG}` }),
    400,
  );
  await ask(SIGN_UP, { i: { email: EMAIL, password: { is: WRONG } } }, application);
  await ask(SIGN_UP, { i: { password: WRONG, login: [EMAIL] } }, application);
  await ask(`{ currentSession { ${"x".repeat(10)} } }`, {}, BOGUS);
  const socket = await openSocket(node).catch(() => null);
  await socket?.close();
  const bad = await openSocket(node, BOGUS).catch((error: Error) => error);
  if (bad instanceof Error) errors.push(bad.message);
  else errors.push((await bad.closed).reason);
  await expectStatus(
    rest(node, "PUT", `/users/${id}`, { token: application, body: { user: { email: EMAIL } } }),
    403,
  );
}

/** Internal errors: the database fails unexpectedly, and then is unavailable. */
async function internalErrors(application: string): Promise<void> {
  const user = { email: STRANGER, password: PASSWORD };
  await node.sql("ALTER TABLE users ADD CONSTRAINT never CHECK (id < 0) NOT VALID");
  await expectStatus(rest(node, "POST", "/users", { token: application, body: { user } }), 500);
  await ask(SIGN_UP, { i: user }, application);
  await node.sql("ALTER TABLE users RENAME COLUMN email_key TO elsewhere");
  await expectStatus(rest(node, "POST", "/session", { body: request(user) }), 500);
  await ask(LOGIN, { i: user }, application);
  await node.app.store.close();
  await expectStatus(rest(node, "POST", "/session", { body: request(user) }), 503);
}

beforeAll(async () => {
  const log = openLog("trace", { write: (line) => void lines.push(line) });
  node = await startNode({ CHAT_DOMAIN: DOMAIN, LOG_LEVEL: "trace", TURN_SECRET }, { log });
  const { authSecret, accountKey } = node.application;
  secrets.set("auth_secret", authSecret).set("account key", accountKey);
  const folder = node.environment.DATA_DIR ?? "";
  const key =
    node.environment.SECRET_KEY ?? readFileSync(join(folder, "secret.key"), "utf8").trim();
  secrets.set("SECRET_KEY", key);

  const application = await applicationToken(node);
  secrets.set("application token", application);
  const body = { user: { email: EMAIL, password: PASSWORD } };
  const created = await expectStatus(
    rest(node, "POST", "/users", { token: application, body }),
    201,
  );
  const { id } = created.body.user;
  const session = await rest(node, "POST", "/session", { body: request(body.user) });
  const user = session.body.session.token;
  secrets.set("user token", user);
  const { data } = await graphql(node, "{ iceServers { credential } }", {}, user);
  secrets.set("TURN password", data.iceServers[0].credential);
  await refusals(application, id);
  await signIns(application, user, id);
  await rest(node, "POST", "/login", { token: application, body: body.user });
  const query = `/users/by_email?email=${encodeURIComponent(EMAIL)}&token=${user}`;
  await rest(node, "GET", query, { token: user });
  await internalErrors(application);
  metrics = (await rest(node, "GET", "/metrics")).text;
});
afterAll(() => node.stop());

test("something was logged, refused and measured", () => {
  expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThan(10);
  expect(lines.filter((line) => line.includes('"failed"')).length).toBeGreaterThan(2);
  expect(errors.length).toBeGreaterThan(15);
  expect(metrics).toContain("# TYPE");
  for (const secret of secrets.values()) expect(secret.length).toBeGreaterThan(8);
});

/** Texts that contain a secret: plain, URL-encoded or in Base64. */
function found(texts: string[]): string[] {
  return texts.flatMap((text) =>
    [...secrets].flatMap(([name, secret]) => {
      const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
      return forms.some((form) => text.includes(form)) ? [`${name}: ${text.slice(0, 2_000)}`] : [];
    }),
  );
}

test("no line of the log contains a secret", () => expect(found(lines)).toEqual([]));
test("no error contains a secret", () => expect(found(errors)).toEqual([]));
test("no metric contains a secret", () => expect(found([metrics])).toEqual([]));
