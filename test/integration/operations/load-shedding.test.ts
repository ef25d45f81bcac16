import { eventually } from "../../../scripts/services/binaries";
import { graphql } from "../../../tools/graphql/graphql-http";
import {
  connectSocket,
  type GraphqlSocket,
  openSocket,
} from "../../../tools/graphql/graphql-socket";
import { connectRaw, OPEN, signInRaw } from "../../support/chat/chat";
import type { RawClient } from "../../support/chat/raw-client";
import { startNode, type TestNode } from "../../support/node";
import { blockThreadPool } from "../../support/operations/thread-pool";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** Load shedding of a node: what it rejects and how, what it still serves, and how it recovers. */

let node: TestNode;
let user: TestUser;
let sample: (delayMs: number) => void;
beforeAll(async () => {
  const sampleDelay = (onSample: typeof sample) => {
    sample = onSample;
    return () => undefined;
  };
  const environment = { OVERLOAD_DELAY_MS: "100", CORS_ORIGINS: "https://app.example" };
  node = await startNode(environment, { sampleDelay });
  user = await newUser(node);
});
afterAll(() => node.stop());
afterEach(() => recover());

const ORIGIN = { Origin: "https://app.example" };
const MESSAGE = "The server is overloaded";

/** Sheds every anonymous arrival and no request with a token. */
function overload(): void {
  recover();
  for (let count = 0; count < 6; count += 1) sample(500);
}

/** Sheds everything. */
function overloadFully(): void {
  for (let count = 0; count < 12; count += 1) sample(10_000);
}

function recover(): void {
  for (let count = 0; count < 60; count += 1) sample(0);
}

function expectShed(answer: { status: number; headers: Headers }): void {
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(answer.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(answer.headers.get("access-control-expose-headers")).toContain("Retry-After");
}

const post = (token?: string) =>
  fetch(node.graphqlUrl, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...ORIGIN,
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ query: "{ __typename }" }),
  });

test("requests without a token are rejected first, in the format of their protocol", async () => {
  overload();
  const anonymous = await rest(node, "POST", "/session", { body: {}, headers: ORIGIN });
  expectShed(anonymous);
  expect(anonymous.body).toEqual({ errors: { base: [MESSAGE] } });
  const unknownPath = await rest(node, "GET", "/no/such/path", { headers: ORIGIN });
  expectShed(unknownPath);

  const query = await post();
  expectShed(query);
  expect(await query.json()).toEqual({
    errors: [
      { message: MESSAGE, extensions: { code: "UNAVAILABLE", retryAfter: expect.any(Number) } },
    ],
  });

  expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(200);
  expect((await post(user.token)).status).toBe(200);
});

test("under more load requests with a token are rejected too, but never probes and preflight requests", async () => {
  overloadFully();
  expectShed(await rest(node, "GET", "/session", { token: user.token, headers: ORIGIN }));
  expectShed(await post(user.token));
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    expect((await rest(node, "GET", path)).status).toBe(200);
  }
  const preflight = await fetch(node.graphqlUrl, {
    method: "OPTIONS",
    headers: { ...ORIGIN, "Access-Control-Request-Method": "POST" },
  });
  expect(preflight.status).toBe(204);
  const { text } = await rest(node, "GET", "/metrics");
  expect(text).toMatch(/signalbox_load_shed_total\{class="with_token"\} [1-9]/);
});

describe("new and open sockets", () => {
  let socket: GraphqlSocket;
  let stream: RawClient;
  beforeAll(async () => {
    socket = await openSocket(node, user.token);
    stream = await signInRaw(
      node.chatUrl,
      `${user.id}-${node.application.id}`,
      "phone",
      user.token,
    );
  });
  afterAll(async () => {
    await socket.close();
    stream.socket.terminate();
  });

  it("rejects a new WebSocket with 503, and a new chat stream", async () => {
    overload();
    const rejected = connectSocket(node, { origin: ORIGIN.Origin });
    await expect(rejected).rejects.toThrow("Unexpected server response: 503");
    const late = await connectRaw(node.chatUrl, { origin: ORIGIN.Origin });
    late.send(OPEN);
    const { frames } = await late.rest();
    expect(frames.join("")).toContain("<resource-constraint");
  });

  it("serves open sockets and streams under any load", async () => {
    overloadFully();
    expect(await socket.run("{ currentSession { userId } }")).toEqual({
      data: { currentSession: { userId: String(user.id) } },
    });
    stream.send('<iq id="p" type="get" xmlns="jabber:client"><ping xmlns="urn:xmpp:ping"/></iq>');
    expect(await stream.next()).toContain('id="p"');
  });
});

test("acknowledged writes are kept, and all requests are served after recovery", async () => {
  const { data } = await graphql(
    node,
    'mutation ($id: ID!) { updateUser(input: { id: $id, fullName: "Kept" }) { user { id } } }',
    { id: user.id },
    user.token,
  );
  expect(data).toBeTruthy();
  overloadFully();
  expectShed(await rest(node, "GET", "/session", { token: user.token, headers: ORIGIN }));
  recover();
  const { status, body } = await rest(node, "GET", `/users/${user.id}`, { token: user.token });
  expect([status, body.user.full_name]).toEqual([200, "Kept"]);
  expect((await post()).status).toBe(200);
});

test("in-flight requests beyond the limit are rejected without a connection reset", async () => {
  const small = await startNode({ OVERLOAD_REQUESTS: "2" });
  try {
    const someone = await newUser(small);
    const read = () => rest(small, "GET", "/session", { token: someone.token });
    const body = { login: "nobody", password: "wrong password" };
    const release = blockThreadPool();
    const attempts = Array.from({ length: 40 }, () =>
      rest(small, "POST", "/login", { token: someone.token, body }),
    );
    // Attempts that arrive together are all accepted; the next request finds them in flight.
    await eventually(async () => expect((await read()).status).toBe(503)).finally(release);
    for (const { status } of await Promise.all(attempts)) expect([401, 503]).toContain(status);
    await eventually(async () => expect((await read()).status).toBe(200));
  } finally {
    await small.stop();
  }
});
