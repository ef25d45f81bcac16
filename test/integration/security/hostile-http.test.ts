import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { exchange, HEAD, post, TYPE } from "../../support/rest/raw-http";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** Malformed and oversized requests to a whole node: each is rejected, and the node keeps working. */

let node: TestNode;
let user: TestUser;
let port: number;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node);
  port = Number(new URL(node.baseUrl).port);
});
afterAll(() => node.stop());

afterEach(async () => {
  const ready = await rest(node, "GET", "/readyz");
  expect([ready.status, ready.body]).toEqual([200, { status: "ready" }]);
  const { status } = await rest(node, "GET", "/session", { token: user.token });
  expect(status).toBe(200);
});

/** Parses a raw response. */
function read(answer: string): { status: number; body: unknown } {
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: body === "" ? null : JSON.parse(body) };
}

const REST_ERROR = { errors: { base: [expect.stringMatching(/^[A-Z][^\n]{3,80}$/)] } };
const graphqlError = (code: string) => ({
  errors: [{ message: expect.stringMatching(/^[A-Z`][^\n]{3,400}/), extensions: { code } }],
});

describe("malformed requests", () => {
  const CASES: Array<[what: string, bytes: string, status: number, body?: unknown]> = [
    ["an invalid length", post("/login", `${TYPE}Content-Length: x\r\n`, "{}"), 400],
    ["a negative length", post("/login", `${TYPE}Content-Length: -1\r\n`, "{}"), 400],
    ["two lengths", post("/login", `${TYPE}Content-Length: 2\r\nContent-Length: 3\r\n`, "{}"), 400],
    ["a list of lengths", post("/login", `${TYPE}Content-Length: 2, 2\r\n`, "{}"), 400],
    [
      "a length and chunks",
      post("/graphql", `${TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`, "0\r\n\r\n"),
      400,
    ],
    [
      "chunked twice",
      post("/graphql", `${TYPE}Transfer-Encoding: chunked, chunked\r\n`, "0\r\n\r\n"),
      400,
    ],
    [
      "an unknown transfer coding",
      post("/login", `${TYPE}Transfer-Encoding: xchunked\r\n`, "0\r\n\r\n"),
      400,
    ],
    [
      "a chunk size that overflows",
      post("/graphql", `${TYPE}Transfer-Encoding: chunked\r\n`, `${"f".repeat(20)}\r\n`),
      400,
    ],
    ["a header with a blank in its name", `GET / HTTP/1.1\r\n${HEAD}Svc Token: x\r\n\r\n`, 400],
    ["a header with NUL", `GET /session HTTP/1.1\r\n${HEAD}Svc-Token: a\0b\r\n\r\n`, 400],
    ["a folded header", `GET /session HTTP/1.1\r\n${HEAD}Svc-Token: a\r\n b\r\n\r\n`, 400],
    [
      "a bare carriage return in a header",
      `GET /session HTTP/1.1\r\n${HEAD}A: b\rC: d\r\n\r\n`,
      400,
    ],
    ["no host", "GET /session HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["an unknown version", `GET /session HTTP/9.9\r\n${HEAD}\r\n`, 400],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    [
      "a header that is too long",
      `GET /session HTTP/1.1\r\n${HEAD}X: ${"x".repeat(60_000)}\r\n\r\n`,
      431,
    ],
    ["too many headers", `GET /session HTTP/1.1\r\n${HEAD}${"A: b\r\n".repeat(40_000)}\r\n`, 431],
    ["a path that is too long", `GET /${"x".repeat(9_000)} HTTP/1.1\r\n${HEAD}\r\n`, 413],
    ["path traversal", `GET /../../../etc/passwd HTTP/1.1\r\n${HEAD}\r\n`, 404],
    ["encoded path traversal", `GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n${HEAD}\r\n`, 404],
    [
      "path traversal from the assets",
      `GET /graphql/assets/..%2f..%2f..%2fpackage.json HTTP/1.1\r\n${HEAD}\r\n`,
      404,
    ],
    ["a path that does not decode", `GET /users/%ff HTTP/1.1\r\n${HEAD}\r\n`, 400],
    [
      "an absolute URL of another server",
      `GET http://127.0.0.1:1/session HTTP/1.1\r\n${HEAD}\r\n`,
      401,
    ],
    ["CONNECT", `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${HEAD}\r\n`, 0],
    ["TRACE", `TRACE /session HTTP/1.1\r\n${HEAD}\r\n`, 404],
    [
      "an unknown upgrade",
      `GET /session HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n`,
      401,
    ],
  ];
  test.each(CASES)("%s", async (_what, bytes, status) => {
    const answer = await exchange(Buffer.from(bytes, "latin1"), port);
    if (status === 0) {
      expect(answer).toBe("");
      return;
    }
    const got = Number(answer.split(" ")[1]);
    // Headers that are too large are answered by 400 or 431, depending on the layer that detects it.
    expect([
      answer.slice(0, 60),
      status === 431 ? [400, 431].includes(got) : got === status,
    ]).toEqual([expect.anything(), true]);
    expect(read(answer).body).toEqual(REST_ERROR);
    expect(answer).not.toMatch(/node_modules|\.js:|root:/);
  });

  test("a request smuggled behind another is not answered", async () => {
    const inner = `DELETE /session HTTP/1.1\r\nHost: x\r\nSvc-Token: ${user.token}\r\n\r\n`;
    for (const framing of [
      "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
      "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n",
      "Transfer-Encoding:\tx, chunked\r\nContent-Length: 2\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      `Content-Length: 2\r\nContent-Length: ${inner.length}\r\n`,
    ]) {
      const answer = await exchange(
        `POST /login HTTP/1.1\r\nHost: x\r\n${TYPE}${framing}\r\n0\r\n\r\n${inner}`,
        port,
      );
      expect([framing, answer.split("HTTP/1.1 ").length]).toEqual([framing, 2]);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    }
  });
});

describe("bodies that are too large or too deep", () => {
  const MB10 = 10 * 1024 * 1024;
  const ENDPOINTS: Array<[path: string, body: unknown]> = [
    ["/login", { errors: { base: ["The body is too large"] } }],
    ["/users", { errors: { base: ["The body is too large"] } }],
    ["/calls/reject", { errors: { base: ["The body is too large"] } }],
    [
      "/graphql",
      { errors: [{ message: "The request body is too large", extensions: { code: "TOO_LARGE" } }] },
    ],
  ];
  test.each(ENDPOINTS)("ten megabytes to %s", async (path, body) => {
    const answer = await exchange(
      post(path, `${TYPE}Content-Length: ${MB10}\r\n`, " ".repeat(1000)),
      port,
    );
    expect(read(answer)).toEqual({ status: 413, body });
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const chunked = await exchange(
      post(path, `${TYPE}Transfer-Encoding: chunked\r\n`, `${chunk.repeat(5)}0\r\n\r\n`),
      port,
    );
    expect(read(chunked)).toEqual({ status: 413, body });
  });

  test.each(["[", '{"a":', '{"user":{"login":['])("deep nesting with %s", async (open) => {
    const text = open.repeat(Math.floor(200_000 / open.length));
    const body = await rest(node, "POST", "/login", {
      token: user.token,
      body: text,
      headers: { "Content-Type": "application/json" },
    });
    expect([body.status, body.body]).toEqual([
      400,
      { errors: { base: ["The body is not valid JSON"] } },
    ]);
    const response = await fetch(node.graphqlUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: text,
    });
    expect([response.status, await response.json()]).toEqual([400, graphqlError("MALFORMED")]);
  });

  test("balanced deep nesting", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const headers = { "Content-Type": "application/json" };
    const body = `{"login":${deep}}`;
    const answer = await rest(node, "POST", "/login", { token: user.token, body, headers });
    expect([answer.status, answer.body]).toEqual([
      400,
      { errors: { base: ["The body is nested too deeply"] } },
    ]);
    const query =
      "mutation ($u: JSONObject) { rejectCall(input: {recipientId: 1, callId: 1, userInfo: $u}) { callId } }";
    const text = `{"query":${JSON.stringify(query)},"variables":{"u":{"a":${deep}}}}`;
    const response = await fetch(node.graphqlUrl, {
      method: "POST",
      headers: { ...headers, "Svc-Token": user.token },
      body: text,
    });
    const failure = (await response.json()) as { errors: Array<{ extensions: { code: string } }> };
    expect([response.status < 500, failure.errors[0]?.extensions.code]).toEqual([
      true,
      expect.stringMatching(/^(INVALID|MALFORMED|TOO_LARGE)$/),
    ]);
  });

  test("deeply nested objects in userInfo", async () => {
    let userInfo: object = {};
    for (let level = 0; level < 2_000; level += 1) userInfo = { a: userInfo };
    const query =
      "mutation ($u: JSONObject) { rejectCall(input: {recipientId: 1, callId: 1, userInfo: $u}) { callId } }";
    const { errors } = await graphql(node, query, { u: userInfo }, user.token);
    expect(errors?.[0].extensions.code).toBe("INVALID");
    const answer = await rest(node, "POST", "/calls/reject", {
      token: user.token,
      body: { recipientId: user.id, sessionID: "s", userInfo },
    });
    expect(answer.status).toBe(400);
  });
});
