import { createHmac, randomInt } from "node:crypto";
import { credentialHeader } from "../../tools/graphql/graphql-http";
import { eventually } from "./moving-clock";
import type { TestNode } from "./node";

/** A REST response. */
export interface RestResponse {
  status: number;
  headers: Headers;
  /** The parsed JSON, or null for an empty body. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  body: any;
  text: string;
}

/** Calls the REST API, with a token or an API key. An object is sent as JSON, URLSearchParams as a form. */
export async function rest(
  node: Pick<TestNode, "baseUrl">,
  method: string,
  path: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<RestResponse> {
  const { token, body, headers = {} } = options;
  const raw = typeof body === "string" || body instanceof URLSearchParams;
  const response = await fetch(`${node.baseUrl}${path}`, {
    method,
    headers: {
      ...credentialHeader(token),
      ...(body !== undefined && !raw ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") ?? false;
  const parsed = json && text !== "" ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, body: parsed, text };
}

/** What is needed of a node to sign users in. */
export type SignInNode = Pick<TestNode, "baseUrl" | "application">;

let nonces = randomInt(1_000_000);

/** Parameters of POST /session with a signature over the four mandatory ones. */
export function signedParameters(
  { application }: Pick<SignInNode, "application">,
  now = Date.now(),
): Record<string, string | number> {
  const parameters = {
    application_id: application.id,
    auth_key: application.authKey,
    nonce: ++nonces,
    timestamp: Math.floor(now / 1000),
  };
  const line = Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const signature = createHmac("sha1", application.authSecret).update(line).digest("hex");
  return { ...parameters, signature };
}

/** The token of a new application session. */
export async function applicationToken(node: SignInNode, now?: number): Promise<string> {
  const answer = await rest(node, "POST", "/session", { body: signedParameters(node, now) });
  if (answer.status !== 201) throw new Error(`POST /session answered ${answer.text}`);
  return answer.body.session.token;
}

/** A signed-in user. */
export interface TestUser {
  id: number;
  login: string;
  password: string;
  token: string;
  sessionId: number;
}

let logins = 0;

/** Creates a user and signs in. */
export async function newUser(
  node: SignInNode,
  fields: Record<string, unknown> = {},
): Promise<TestUser> {
  const login = `user-${process.pid}-${++logins}`;
  const password = "correct horse";
  const body = { user: { login, password, ...fields } };
  const token = await applicationToken(node);
  const created = await rest(node, "POST", "/users", { token, body });
  if (created.status !== 201) throw new Error(`POST /users answered ${created.text}`);
  return {
    id: created.body.user.id,
    ...(await signIn(node, { login, password, ...fields } as never)),
  };
}

/**
 * Waits until the last request of every user of the node's application is stored, which happens some seconds
 * after the request.
 */
export async function waitForActivity(node: TestNode): Promise<void> {
  const unwritten = () =>
    node.sql<{ left: number }>(
      "SELECT count(*) AS left FROM users WHERE application_id = $1 AND last_request_at IS NULL",
      [node.application.id],
    );
  await eventually(unwritten, ([row]) => row?.left === 0);
}

/**
 * Creates a guest, whose token is also the password for the chat endpoint. It is cheap, as no password is
 * hashed, so every test can have its own users.
 */
export async function newGuest(node: TestNode): Promise<TestUser> {
  const body = { ...signedParameters(node), user: { guest: 1 } };
  const answer = await rest(node, "POST", "/session", { body });
  if (answer.status !== 201) throw new Error(`POST /session answered ${answer.text}`);
  const { token, id: sessionId, user } = answer.body.session;
  return { id: user.id, login: user.login, password: token, token, sessionId };
}

/** Signs a user in with a new session. */
export async function signIn(
  node: SignInNode,
  { login, password }: { login: string; password: string },
): Promise<Omit<TestUser, "id">> {
  const body = { ...signedParameters(node), user: { login, password } };
  const answer = await rest(node, "POST", "/session", { body });
  if (answer.status !== 201) throw new Error(`POST /session answered ${answer.text}`);
  const { token, id } = answer.body.session;
  return { login, password, token, sessionId: id };
}
