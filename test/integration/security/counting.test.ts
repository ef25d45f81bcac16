import { once } from "node:events";
import { getIntrospectionQuery } from "graphql";
import { WebSocket } from "ws";
import { REFUSED_WEIGHT } from "../../../src/transports/graphql/engine/operation-weight";
import { connectSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { auth, bind, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { applicationToken, rest } from "../../support/rest-client";

/**
 * Every request counts for its address when it arrives, and by its weight afterwards: a flood of any kind
 * gets a 429 exactly beyond the limit, while the probes continue to answer.
 */

/** A multiple of REFUSED_WEIGHT. An introspection query fits beside {@link USED}. */
const LIMIT = 200;
/** What each address has used before a flood, by four requests. */
const USED = 120;
/** As many requests as the rest of the limit allows, and some that are refused. */
const FLOOD = LIMIT - USED + 20;
const clock = new MovingClock();
let node: TestNode;
let token: string;
beforeAll(async () => {
  clock.hold(true);
  node = await startNode(
    // A single node counts by the test's clock; Redis uses its own.
    {
      REDIS_URL: "",
      CHAT_DOMAIN: DOMAIN,
      TRUST_PROXY: "127.0.0.1",
      RATE_REQUESTS_PER_IP: String(LIMIT),
    },
    { ...WITHOUT_POLLING, clock },
  );
  token = await applicationToken(node, clock.now());
});
afterAll(() => node.stop());
beforeEach(() => clock.advance(MINUTE));

let hosts = 0;
/** An unused address. */
const newAddress = () => `198.51.100.${++hosts}`;

type Ask = (ip: string) => Promise<Response>;

const get =
  (path: string, headers: Record<string, string> = {}): Ask =>
  (ip) =>
    fetch(`${node.baseUrl}${path}`, { headers: { "X-Forwarded-For": ip, ...headers } });
const post =
  (path: string, body: string, type = "application/json"): Ask =>
  (ip) =>
    fetch(`${node.baseUrl}${path}`, {
      method: "POST",
      headers: { "X-Forwarded-For": ip, "Content-Type": type },
      body,
    });
const query = (text: string, variables?: object): Ask =>
  post("/graphql", JSON.stringify({ query: text, variables }));

const aliases = (count: number, field: string) =>
  `{${Array.from({ length: count }, (_, index) => `a${index}:${field}`).join(" ")}}`;
const schemaOf = (depth: number): string =>
  depth === 0 ? "name" : `name fields { type { ${schemaOf(depth - 1)} } }`;

/** A request, its status within the limit, and the number of requests that it counts as. */
const KINDS: Array<[kind: string, ask: Ask, status: number, weight: number]> = [
  ["`__typename`", query("{ __typename }"), 200, 1],
  ["one field", query("{ currentSession { id } }"), 200, 1],
  ["aliases", query(aliases(12, "currentSession { id }")), 200, 12],
  ["aliases of `__typename`", query(aliases(30, "__typename")), 200, 30],
  ["introspection", query(getIntrospectionQuery()), 200, 77],
  ["aliases of `__type`", query(aliases(28, `__type(name: "User") { ${schemaOf(1)} }`)), 200, 28],
  ["invalid documents", query("{ nothing }"), 400, REFUSED_WEIGHT],
  ["documents that do not parse", query("{ nothing"), 400, REFUSED_WEIGHT],
  ["documents that are too large", query(aliases(31, "__typename")), 400, REFUSED_WEIGHT],
  [
    "variables of the wrong type",
    query("query ($id: ID!) { user(by: { id: $id }) { id } }", { id: {} }),
    400,
    REFUSED_WEIGHT,
  ],
  ["no document", post("/graphql", "{}"), 400, REFUSED_WEIGHT],
  ["invalid JSON to /graphql", post("/graphql", "{"), 400, REFUSED_WEIGHT],
  ["REST without a token", get("/session"), 401, 1],
  ["REST with an invalid body", post("/users", "{"), 400, 1],
  ["REST with an unknown token", get("/users", { "Svc-Token": "no".repeat(20) }), 401, 1],
  ["unknown paths", get("/nothing/here"), 404, 1],
  ["paths that do not decode", get("/%zz"), 400, 1],
  ["pages", get("/password/reset?token=none"), 410, 1],
  ["forms", post("/password/reset", "token=none", "application/x-www-form-urlencoded"), 410, 1],
  ["openapi.json", get("/openapi.json"), 200, 1],
  ["the landing page", get("/", { Accept: "text/html" }), 200, 1],
  ["its path, from other clients", get("/"), 404, 1],
  ["the REST reference", get("/docs"), 200, 1],
  ["the REST reference's files", get("/docs/assets/page.js"), 200, 1],
  ["schema.graphql", get("/schema.graphql"), 200, 1],
  ["GraphiQL", get("/graphql", { Accept: "text/html" }), 200, 1],
  ["GraphiQL's files", get("/graphql/assets/page.js"), 200, 1],
];

describe("a flood of", () => {
  test.each(KINDS)("%s gets a 429 beyond the limit", async (_kind, ask, status, weight) => {
    const ip = newAddress();
    const count = new Map<number, number>();
    for (let used = 0; used < USED; used += 30) await query(aliases(30, "__typename"))(ip);
    for (let sent = 0; sent < FLOOD; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(ip)));
      for (const answer of answers) {
        await answer.arrayBuffer();
        count.set(answer.status, (count.get(answer.status) ?? 0) + 1);
      }
    }
    const fit = Math.floor((LIMIT - USED) / weight);
    expect(Object.fromEntries(count)).toEqual({ [status]: fit, 429: FLOOD - fit });
    for (const path of ["/healthz", "/readyz"]) expect((await get(path)(ip)).status).toBe(200);
    // For a program on this machine, not for a client behind the proxy.
    expect((await fetch(`${node.baseUrl}/metrics`)).status).toBe(200);
    clock.advance(MINUTE);
    expect((await ask(ip)).status).toBe(status);
  });

  test("preflights counts but is not refused, so that pages can read later refusals", async () => {
    const ip = newAddress();
    const headers = {
      "X-Forwarded-For": ip,
      Origin: "https://page.example",
      "Access-Control-Request-Method": "POST",
    };
    for (let sent = 0; sent < LIMIT + 10; sent += 1) {
      const answer = await fetch(`${node.baseUrl}/users`, { method: "OPTIONS", headers });
      expect(answer.status).toBe(204);
    }
    const answer = await get("/session", { Origin: "https://page.example" })(ip);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toContain("Retry-After");
  });
});

describe("a refusal", () => {
  const exhausted = async () => {
    const ip = newAddress();
    for (let sent = 0; sent < LIMIT; sent += 1) await get("/nothing")(ip);
    return ip;
  };
  const MESSAGE = "Too many requests; try again in 60 s";

  test("over REST has the error body, Retry-After and the usual headers", async () => {
    const ip = await exhausted();
    const answer = await get("/session", { "Svc-Token": token })(ip);
    expect(await answer.json()).toEqual({ errors: { base: [MESSAGE] } });
    const { headers } = answer;
    expect([headers.get("retry-after"), headers.get("access-control-allow-origin")]).toEqual([
      "60",
      "*",
    ]);
    expect(headers.get("x-request-id")).toBeTruthy();
  });

  test("over GraphQL has GraphQL's form, with retryAfter", async () => {
    const answer = await query("{ __typename }")(await exhausted());
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toEqual({
      errors: [{ message: MESSAGE, extensions: { code: "LIMITED", retryAfter: 60 } }],
    });
  });

  test("of a page is a page, which other origins cannot read", async () => {
    const answer = await get("/password/reset?token=none")(await exhausted());
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    expect(await answer.text()).toContain(MESSAGE);
  });
});

describe("the WebSocket", () => {
  const headers = (ip: string) => ({ headers: { "X-Forwarded-For": ip } });

  test("counts all handshakes, and refuses them with 429", async () => {
    const ip = newAddress();
    const handshake = (path: string) =>
      new Promise<number | undefined>((resolve) => {
        const url = `${node.baseUrl.replace(/^http/, "ws")}${path}`;
        const socket = new WebSocket(url, "graphql-transport-ws", headers(ip));
        socket.on("unexpected-response", (_request, response) => {
          response.resume();
          resolve(response.statusCode);
        });
        socket.on("open", () => {
          resolve(101);
          socket.terminate();
        });
        socket.on("error", () => undefined);
      });
    for (let sent = 0; sent < LIMIT; sent += 2) {
      expect([await handshake("/graphql"), await handshake("/nothing")]).toEqual([101, 404]);
    }
    expect([await handshake("/graphql"), await handshake("/nothing")]).toEqual([429, 429]);
    expect((await get("/session")(ip)).status).toBe(429);
  });

  test("counts each message once, and operations by their weight", async () => {
    const ip = newAddress();
    const socket = await openSocket(node, token, headers(ip));
    // The handshake and the connection_init are two.
    for (let sent = 2; sent < LIMIT - 20; sent += 2) {
      expect((await socket.run("{ currentSession { id } }")).errors).toBeUndefined();
      socket.send({ type: "pong" });
    }
    expect((await socket.run(aliases(10, "__typename"))).errors).toBeUndefined();
    expect((await socket.run("{ nothing }")).errors?.[0].extensions.code).toBe("MALFORMED");
    const { errors } = await socket.run("{ __typename }");
    expect(errors?.map(({ extensions }) => extensions)).toEqual([
      { code: "LIMITED", retryAfter: 60 },
    ]);
    clock.advance(MINUTE);
    expect((await socket.run("{ __typename }")).errors).toBeUndefined();
    await socket.close();
  });

  test("refuses operations, answers pings, and closes with 1013 if the flood continues", async () => {
    const ip = newAddress();
    const socket = await openSocket(node, token, headers(ip));
    for (let sent = 2; sent < LIMIT; sent += 1) socket.send({ type: "ping" });
    socket.send({ type: "ping", payload: { last: true } });
    expect((await socket.run("{ __typename }")).errors?.[0].extensions.code).toBe("LIMITED");
    const pongs = socket.received.filter(({ type }) => type === "pong");
    expect([pongs.length, pongs.at(-1)?.payload]).toEqual([LIMIT - 1, { last: true }]);
    for (let sent = 0; sent < 30; sent += 1) socket.send({ type: "ping" });
    expect((await socket.closed).code).toBe(1013);
  });

  test("counts ping frames and unsolicited pongs", async () => {
    const ip = newAddress();
    const socket = await connectSocket(node, headers(ip));
    for (let sent = 0; sent < LIMIT; sent += 2) {
      // One at a time: ws closes a connection that sends 60 pings without reading the answers.
      const answered = once(socket.socket, "pong");
      socket.socket.ping();
      socket.socket.pong();
      await answered;
    }
    for (let sent = 0; sent < 30; sent += 1) socket.socket.ping();
    expect((await socket.closed).code).toBe(1013);
    expect((await get("/session")(ip)).status).toBe(429);
  });
});

test("each message of a chat client counts for its address", async () => {
  const ip = newAddress();
  const headers = { "X-Forwarded-For": ip };
  const user = { login: "chatting", password: "correct horse" };
  const { body } = await rest(node, "POST", "/users", { token, headers, body: { user } });
  const name = `${body.user.id}-${node.application.id}`;
  const client = await connectRaw(node.chatUrl, { headers });
  for (const frame of [OPEN, auth(name, user.password), OPEN, bind("one")]) client.send(frame);
  for (let frames = 0; frames < 6; frames += 1) await client.next();
  let answer = "";
  for (let sent = 0; sent < LIMIT; sent += 1) {
    client.send(`<message to="${name}@${DOMAIN}" type="chat" id="m"><body>x</body></message>`);
    answer = await client.next();
  }
  expect(answer).toMatch(/<resource-constraint .*>Too many requests; try again in 60 s</);
  expect((await get("/session")(ip)).status).toBe(429);
  client.socket.terminate();
});

test("a plain request counts as one, regardless of its other classes", async () => {
  const ip = newAddress();
  const headers = { "X-Forwarded-For": ip };
  const user = { login: "counted", password: "correct horse" };
  await rest(node, "POST", "/users", { token, headers, body: { user } });
  await rest(node, "POST", "/login", { token, headers, body: user });
  await rest(node, "GET", "/users.json", { token, headers });
  for (let sent = 3; sent < LIMIT; sent += 1) await get("/session", { "Svc-Token": token })(ip);
  expect((await get("/session")(ip)).status).toBe(429);
  const other = newAddress();
  for (let sent = 0; sent < LIMIT; sent += 1) {
    expect((await get("/session", { "Svc-Token": token })(other)).status).toBe(200);
  }
});
