import { openSocket } from "../../../tools/graphql/graphql-socket";
import { auth, bind, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import type { RawClient } from "../../support/chat/raw-client";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { type RestResponse, rest, signedParameters } from "../../support/rest-client";

/**
 * Rate limits over all protocols. A trusted proxy lets every test use its own address. The clock is stopped,
 * and advances by a minute between tests.
 */

const LIMITS = {
  RATE_REQUESTS_PER_IP: "20",
  RATE_SESSIONS_PER_IP: "5",
  RATE_SIGN_INS_PER_IP: "4",
  RATE_SIGN_UPS_PER_IP: "3",
  RATE_MESSAGES_PER_USER: "6",
  RATE_CHAT_SIGN_INS_PER_USER: "5",
};
const clock = new MovingClock();
let node: TestNode;
let token: string;
const user = { login: "limited", email: "limited@mail.example", password: "correct horse" };
let userId: number;

beforeAll(async () => {
  clock.hold(true);
  node = await startNode(
    // A single node counts by the test's clock; Redis uses its own.
    { REDIS_URL: "", CHAT_DOMAIN: DOMAIN, TRUST_PROXY: "127.0.0.1", ...LIMITS },
    { clock },
  );
  token = (await rest(node, "POST", "/session", { body: signedParameters(node, clock.now()) })).body
    .session.token;
  userId = (await rest(node, "POST", "/users", { token, body: { user } })).body.user.id;
});
afterAll(() => node.stop());
beforeEach(() => clock.advance(MINUTE));

let hosts = 0;
/** An unused address. */
const newAddress = () => `198.51.100.${++hosts}`;
const from = (ip: string) => ({ "X-Forwarded-For": ip });

/** The answer of GraphQL over HTTP. */
async function ask(ip: string, query: string, variables: object = {}, own = token) {
  const response = await fetch(node.graphqlUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Svc-Token": own, ...from(ip) },
    body: JSON.stringify({ query, variables }),
  });
  const { status, headers } = response;
  return { status, retryAfter: headers.get("retry-after"), body: (await response.json()) as Body };
}
interface Body {
  data?: Record<string, unknown> | null;
  errors?: Array<{ message: string; extensions: { code: string; retryAfter?: number } }>;
}

const TOO_MANY = "Too many requests; try again in 60 s";
const refusal = ({ status, headers, body }: RestResponse) => [
  status,
  headers.get("retry-after"),
  body,
];
const LIMITED_REST = [429, "60", { errors: { base: [TOO_MANY] } }];
const LIMITED = { code: "LIMITED", retryAfter: 60 };

const LOGIN = "mutation ($i: LoginInput!) { login(input: $i) { user { id } } }";
const SIGN_UP = "mutation ($i: CreateUserInput!) { createUser(input: $i) { user { id } } }";
const CREATE = "mutation ($i: CreateSessionInput!) { createSession(input: $i) { session { id } } }";
const WHO = "{ currentSession { id } }";

let names = 0;
const newcomer = () => ({ login: `newcomer-${++names}`, password: "correct horse" });
const camel = (parameters: ReturnType<typeof signedParameters>) => ({
  applicationId: parameters.application_id,
  authKey: parameters.auth_key,
  nonce: parameters.nonce,
  timestamp: parameters.timestamp,
  signature: parameters.signature,
});
const request = () => signedParameters(node, clock.now());

type Route = [method: string, path: string, body: () => object | undefined];
const CLASSES: Array<
  [what: string, times: number, route: Route, document: string, input: () => object]
> = [
  ["requests", 20, ["GET", "/session", () => undefined], WHO, () => ({})],
  ["sessions", 5, ["POST", "/session", request], CREATE, () => ({ i: camel(request()) })],
  ["sign-ins", 4, ["POST", "/login", () => user], LOGIN, () => ({ i: { ...user, email: null } })],
  [
    "sign-ups",
    3,
    ["POST", "/users", () => ({ user: newcomer() })],
    SIGN_UP,
    () => ({ i: newcomer() }),
  ],
];

describe.each(CLASSES)("%s", (what, times, [method, path, body], document, input) => {
  test(`over REST: ${times} a minute, and 429 with Retry-After`, async () => {
    const headers = from(newAddress());
    const call = () => rest(node, method, path, { token, headers, body: body() });
    for (let count = 0; count < times; count += 1) expect((await call()).status).toBeLessThan(300);
    expect(refusal(await call())).toEqual(LIMITED_REST);
    clock.advance(MINUTE - 1);
    expect((await call()).headers.get("retry-after")).toBe("1");
    clock.advance(1);
    expect((await call()).status).toBeLessThan(300);
  });

  test(`over GraphQL: ${times} a minute, and 429 with Retry-After`, async () => {
    const ip = newAddress();
    for (let count = 0; count < times; count += 1) {
      expect((await ask(ip, document, input())).body.errors).toBeUndefined();
    }
    const refused = await ask(ip, document, input());
    // A request that is refused on arrival has no data.
    const data = refused.body.data ?? null;
    expect([refused.status, refused.retryAfter, data]).toEqual([429, "60", null]);
    expect(refused.body.errors?.map(({ message, extensions }) => [message, extensions])).toEqual([
      [TOO_MANY, LIMITED],
    ]);
  });

  test(`over the WebSocket: ${times} a minute`, async () => {
    const socket = await openSocket(node, token, { headers: from(newAddress()) });
    // The handshake and the connection_init are requests too.
    const left = what === "requests" ? times - 2 : times;
    for (let count = 0; count < left; count += 1) {
      expect((await socket.run(document, input() as Record<string, unknown>)).errors).toBe(
        undefined,
      );
    }
    const { errors } = await socket.run(document, input() as Record<string, unknown>);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([LIMITED]);
    await socket.close();
  });

  test("an exhausted address does not affect others, over all protocols", async () => {
    const ip = newAddress();
    for (let count = 0; count < times; count += 1) await ask(ip, document, input());
    const call = (headers: Record<string, string>) =>
      rest(node, method, path, { token, headers, body: body() });
    expect(refusal(await call(from(ip)))).toEqual(LIMITED_REST);
    expect((await call(from(newAddress()))).status).toBeLessThan(300);
  });
});

/** The server's answer to a chat client that signs in with a password. */
async function chat(ip: string, secret: string, id = userId): Promise<string> {
  const client = await connectRaw(node.chatUrl, { headers: from(ip) });
  client.send(OPEN);
  client.send(auth(`${id}-${node.application.id}`, secret));
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return answer;
}

test("a chat client's sign-ins count with the others, and get a temporary failure", async () => {
  const ip = newAddress();
  const body = { ...user, email: undefined };
  for (let count = 0; count < 2; count += 1) {
    expect(await chat(ip, user.password)).toContain("<success");
    const answer = await rest(node, "POST", "/login", { token, headers: from(ip), body });
    expect(answer.status).toBe(200);
  }
  expect(await chat(ip, user.password)).toContain("<temporary-auth-failure");
});

/** A session of the user. */
async function userToken(ip: string): Promise<string> {
  const body = signedParameters(node, clock.now());
  const own = (await rest(node, "POST", "/session", { body, headers: from(ip) })).body.session
    .token;
  await rest(node, "POST", "/login", { token: own, headers: from(ip), body: user });
  return own;
}

test("a user's chat sign-ins are limited per minute, for all methods and addresses", async () => {
  const own = await userToken(newAddress());
  for (let count = 0; count < 4; count += 1) {
    expect(await chat(newAddress(), own)).toContain("<success");
  }
  expect(await chat(newAddress(), user.password)).toContain("<success");
  expect(await chat(newAddress(), own)).toContain("<temporary-auth-failure");
  expect(await chat(newAddress(), user.password)).toContain("<temporary-auth-failure");
  clock.advance(MINUTE);
  expect(await chat(newAddress(), own)).toContain("<success");
});

describe("a chat client's messages", () => {
  const name = () => `${userId}-${node.application.id}`;
  const message = (id: string) =>
    `<message to="${name()}@${DOMAIN}" type="chat" id="${id}"><body>x</body></message>`;
  async function stream(ip: string, resource: string): Promise<RawClient> {
    const client = await connectRaw(node.chatUrl, { headers: from(ip) });
    for (const frame of [OPEN, auth(name(), user.password), OPEN, bind(resource)])
      client.send(frame);
    for (let count = 0; count < 6; count += 1) await client.next();
    return client;
  }
  const refused =
    /<error type="wait"><resource-constraint .*>Too many requests; try again in 60 s</;

  test("count for the user, over all streams and addresses", async () => {
    const [one, two] = [await stream(newAddress(), "one"), await stream(newAddress(), "two")];
    for (let count = 0; count < 3; count += 1) {
      for (const client of [one, two]) {
        client.send(message(`m${count}`));
        // Both streams receive it, because they belong to the user.
        for (const each of [one, two]) expect(await each.next()).toContain(`id="m${count}"`);
      }
    }
    for (const client of [one, two]) {
      client.send(message("late"));
      expect(await client.next()).toMatch(refused);
    }
    clock.advance(MINUTE);
    one.send(message("again"));
    expect(await one.next()).not.toMatch(refused);
    for (const client of [one, two]) client.socket.terminate();
  });

  test("count for their address", async () => {
    const ip = newAddress();
    const client = await stream(ip, "one");
    for (let count = 0; count < 19; count += 1) await ask(ip, WHO);
    client.send(message("within"));
    expect(await client.next()).toContain('id="within"');
    client.send(message("late"));
    expect(await client.next()).toMatch(refused);
    expect((await ask(ip, WHO)).status).toBe(429);
    client.socket.terminate();
  });
});

test("N aliases count as N", async () => {
  const ip = newAddress();
  const many = (count: number) =>
    `{ ${Array.from({ length: count }, (_, index) => `a${index}: currentSession { id }`)} }`;
  expect((await ask(ip, many(19))).body.errors).toBeUndefined();
  const refused = await ask(ip, many(3));
  expect(refused.body.errors?.map(({ extensions }) => extensions)).toContainEqual(LIMITED);
  expect(refused.retryAfter).toBe("60");
});

describe("the address of a client", () => {
  test("is the rightmost untrusted one of X-Forwarded-For", async () => {
    const ip = newAddress();
    const call = (text: string) =>
      rest(node, "POST", "/login", { token, headers: { "X-Forwarded-For": text }, body: user });
    for (let count = 0; count < 4; count += 1) await call(`203.0.113.${count}, ${ip}`);
    expect((await call(`203.0.113.9, ${ip}, 127.0.0.1`)).status).toBe(429);
  });

  test("is the /64 network of an IPv6 client", async () => {
    const call = (ip: string) =>
      rest(node, "POST", "/login", { token, headers: from(ip), body: user });
    for (let count = 1; count <= 4; count += 1) await call(`2001:db8:0:7::${count}`);
    expect((await call("2001:db8:0:7:ffff:1:2:3")).status).toBe(429);
    expect((await call("2001:db8:0:8::1")).status).not.toBe(429);
  });

  test("cannot be chosen by the client if no proxy is trusted", async () => {
    const open = await startNode({ RATE_SESSIONS_PER_IP: "2" });
    try {
      const call = () =>
        rest(open, "POST", "/session", {
          body: signedParameters(open),
          headers: from(newAddress()),
        });
      expect([(await call()).status, (await call()).status, (await call()).status]).toEqual([
        201, 201, 429,
      ]);
    } finally {
      await open.stop();
    }
  });
});

test("an application has its own limit, which only its signed requests consume", async () => {
  const own = await startNode({ REDIS_URL: "", RATE_SESSIONS_PER_APPLICATION: "2" }, { clock });
  try {
    const call = (fields = {}) =>
      rest(own, "POST", "/session", { body: { ...signedParameters(own, clock.now()), ...fields } });
    for (let count = 0; count < 5; count += 1) {
      expect((await call({ signature: "0".repeat(40) })).status).toBe(422);
    }
    expect([(await call()).status, (await call()).status]).toEqual([201, 201]);
    expect(refusal(await call())).toEqual(LIMITED_REST);
  } finally {
    await own.stop();
  }
});
