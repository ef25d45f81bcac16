import { createHash } from "node:crypto";
import { openLog } from "../../../src/core/log";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken, rest, signedParameters } from "../../support/rest-client";

/** Cross-site requests, and requests that are not a single operation. */

let node: TestNode;
/** A node that allows a single web origin. */
let narrow: TestNode;
const HOME = "https://app.example.com";

beforeAll(async () => {
  node = await startNode();
  narrow = await startNode({ CORS_ORIGINS: HOME });
});
afterAll(async () => {
  await node.stop();
  await narrow.stop();
});

const JSON_TYPE = { "Content-Type": "application/json" };
const PREFLIGHTED = { "Apollo-Require-Preflight": "1" };

async function send(body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) {
  const response = await fetch(node.graphqlUrl, { method: "POST", headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function get(parameters: Record<string, string>, headers: Record<string, string>) {
  const url = `${node.graphqlUrl}?${new URLSearchParams(parameters)}`;
  const response = await fetch(url, { headers });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const malformed = (message: string | RegExp) => ({
  errors: [
    {
      message: typeof message === "string" ? message : expect.stringMatching(message),
      extensions: { code: "MALFORMED" },
    },
  ],
});

/** A mutation with a visible effect: its nonce can only be used once. */
function traced() {
  const parameters = signedParameters(node);
  const { application_id, auth_key, ...others } = parameters;
  const input = { ...others, applicationId: application_id, authKey: auth_key };
  const query =
    "mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { id } } }";
  return {
    query,
    variables: { input },
    /** Whether the mutation did not run. */
    async unused() {
      return (await rest(node, "POST", "/session", { body: parameters })).status === 201;
    },
  };
}

describe("a cross-site page", () => {
  const SIMPLE: Array<[type: string, encode: (query: string, variables: object) => string]> = [
    ["text/plain", (query, variables) => JSON.stringify({ query, variables })],
    ["text/plain; charset=utf-8", (query, variables) => JSON.stringify({ query, variables })],
    [
      "application/x-www-form-urlencoded",
      (query, variables) =>
        String(new URLSearchParams({ query, variables: JSON.stringify(variables) })),
    ],
    [
      "multipart/form-data; boundary=x",
      (query, variables) =>
        `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query, variables })}\r\n--x--\r\n`,
    ],
  ];
  test.each(SIMPLE)("may not post %s", async (type, encode) => {
    const mutation = traced();
    const body = encode(mutation.query, mutation.variables);
    const answer = await send(body, { "Content-Type": type });
    expect(answer).toEqual({ status: 400, body: malformed(/CSRF|Unsupported Media Type/) });
    expect(await mutation.unused()).toBe(true);
  });

  test("may not post without a type", async () => {
    const mutation = traced();
    const bytes = Buffer.from(JSON.stringify(mutation));
    const answer = await send(bytes, {});
    expect(answer).toEqual({ status: 400, body: malformed(/./) });
    expect(await mutation.unused()).toBe(true);
  });

  const FORGEABLE: Array<[what: string, headers: Record<string, string>]> = [
    ["nothing", {}],
    ["an empty token", { "Svc-Token": "" }],
    ["Basic credentials", { Authorization: `Basic ${btoa("user:password")}` }],
    ["a bearer scheme without a token", { Authorization: "Bearer " }],
    ["a cookie", { Cookie: "token=x" }],
  ];
  test.each(FORGEABLE)("may not use GET with %s", async (_what, headers) => {
    expect(await get({ query: "{__typename}" }, headers)).toEqual({
      status: 400,
      body: malformed(
        /\(CSRF\): send a token .* or use POST with Content-Type: application\/json$/,
      ),
    });
  });

  test.each([
    ["by GET", PREFLIGHTED],
    ["by GET with a JSON type", JSON_TYPE],
  ])("no mutation runs %s", async (_how, headers) => {
    const mutation = traced();
    const { query, variables } = mutation;
    const answer = await get({ query, variables: JSON.stringify(variables) }, headers);
    expect(answer).toEqual({
      status: 405,
      body: malformed(
        "Mutations require POST, with the operation as JSON and Content-Type: application/json",
      ),
    });
    expect(await mutation.unused()).toBe(true);
  });

  test("a method in a header or a parameter overrides nothing", async () => {
    const mutation = traced();
    const { query, variables } = mutation;
    const answer = await get(
      { query, variables: JSON.stringify(variables), _method: "POST" },
      { ...PREFLIGHTED, "X-HTTP-Method-Override": "POST" },
    );
    expect(answer.status).toBe(405);
    expect(await mutation.unused()).toBe(true);
    const token = await applicationToken(node);
    for (const name of ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"]) {
      await rest(node, "GET", "/session?_method=DELETE", { token, headers: { [name]: "DELETE" } });
    }
    expect((await rest(node, "GET", "/session", { token })).status).toBe(200);
  });

  test("gets CORS headers only for the allowed origin", async () => {
    const ask = async (at: TestNode, origin: string, method = "POST") => {
      const response = await fetch(at.graphqlUrl, {
        method,
        headers: { ...JSON_TYPE, Origin: origin, "Access-Control-Request-Method": "POST" },
        body: method === "POST" ? '{"query":"{__typename}"}' : undefined,
      });
      return [
        response.headers.get("access-control-allow-origin"),
        response.headers.get("access-control-allow-credentials"),
      ];
    };
    for (const method of ["POST", "OPTIONS"]) {
      expect(await ask(node, "https://evil.example", method)).toEqual(["*", null]);
      expect(await ask(narrow, HOME, method)).toEqual([HOME, null]);
      expect(await ask(narrow, "https://evil.example", method)).toEqual([null, null]);
    }
  });
});

describe("a query by GET", () => {
  const QUERY = { query: "{ currentSession { id } }" };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  test.each<[how: string, headers: (token: string) => Record<string, string>]>([
    ["Svc-Token", (token) => ({ "Svc-Token": token })],
    ["a bearer token", bearer],
    ["an empty Svc-Token and a bearer token", (token) => ({ "Svc-Token": "", ...bearer(token) })],
  ])("runs with %s", async (_how, headers) => {
    const { status, body } = await get(QUERY, headers(await applicationToken(node)));
    expect([status, body]).toEqual([200, { data: { currentSession: { id: expect.any(String) } } }]);
  });

  test("that is not valid is an unknown session, as by POST", async () => {
    const { body } = await get(QUERY, bearer("x".repeat(43)));
    expect(body.errors[0].extensions.code).toBe("UNAUTHENTICATED");
  });

  test("responses are never stored, whatever the method and outcome", async () => {
    const token = await applicationToken(node);
    const url = `${node.graphqlUrl}?${new URLSearchParams(QUERY)}`;
    const responses = await Promise.all([
      fetch(url, { headers: { "Svc-Token": token } }),
      fetch(url),
      fetch(node.graphqlUrl, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(QUERY) }),
      fetch(node.graphqlUrl, { method: "POST", headers: JSON_TYPE, body: "{" }),
    ]);
    const stored = responses.map(({ headers }) => headers.get("cache-control"));
    expect(stored).toEqual(responses.map(() => "no-store"));
  });

  test("is in no log, at any level", async () => {
    const lines: string[] = [];
    const log = openLog("trace", { write: (line) => void lines.push(line) });
    const logged = await startNode({ LOG_LEVEL: "trace" }, { log });
    try {
      const ask = (query: string, headers: Record<string, string>) =>
        fetch(`${logged.graphqlUrl}?${new URLSearchParams({ query })}`, { headers });
      const token = await applicationToken(logged);
      for (const query of [
        "{ secretInUrl }",
        "{ __typename secretInUrl: __typename }",
        "secretInUrl{",
      ]) {
        await ask(query, {});
        await ask(query, { "Svc-Token": token });
      }
    } finally {
      await logged.stop();
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("secretInUrl"))).toEqual([]);
  });
});

describe("requests that are not a single operation", () => {
  const BODIES: Array<[what: string, body: string, status: number, message: string | RegExp]> = [
    ["a list of operations", '[{"query":"{__typename}"}]', 400, "Operation batching disabled."],
    ["an empty list", "[]", 400, /batching|No operations/i],
    ["null", "null", 400, /POST body missing/],
    ["text", '"{__typename}"', 400, /POST body missing/],
    ["a number", "1", 400, /POST body missing/],
    ["an empty object", "{}", 400, /POST body missing/],
    ["no query", '{"variables":{}}', 400, /must contain a non-empty `query`/],
    ["a query that is not a string", '{"query":{"a":1}}', 400, /must be strings/],
    ["a list of queries", '{"query":["{__typename}"]}', 400, /must be strings/],
    ["variables that are text", '{"query":"{__typename}","variables":"{}"}', 400, /`variables`/],
    ["variables that are a list", '{"query":"{__typename}","variables":[1]}', 400, /`variables`/],
    ["extensions that are text", '{"query":"{__typename}","extensions":"x"}', 400, /`extensions`/],
    [
      "an operationName that is not a string",
      '{"query":"{__typename}","operationName":{}}',
      400,
      /operationName/,
    ],
    [
      "an unknown operationName",
      '{"query":"{__typename}","operationName":"x"}',
      400,
      /no operation of/,
    ],
    ["__proto__ as key", '{"query":"{__typename}","__proto__":{"x":1}}', 400, /not valid JSON/],
    [
      "constructor as key",
      '{"query":"{__typename}","constructor":{"prototype":{}}}',
      400,
      /not valid JSON/,
    ],
    ["incomplete JSON", '{"query":', 400, /not valid JSON/],
    ["nothing", "", 400, /Body cannot be empty/],
  ];
  test.each(BODIES)("%s", async (_what, body, status, message) => {
    expect(await send(body)).toEqual({ status, body: malformed(message) });
  });

  test("deeply nested brackets are harmless", async () => {
    const deep = `{"query":"{__typename}","variables":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
    expect((await send(deep)).status).toBeLessThan(500);
    expect((await graphql(node, "{__typename}")).data).toEqual({ __typename: "Query" });
  });

  test("a subscription over HTTP is refused with a hint", async () => {
    const query = "subscription { callSignals { id } }";
    const body = malformed(
      "Subscriptions are only available over WebSocket (graphql-transport-ws)",
    );
    expect(await send(JSON.stringify({ query }))).toEqual({ status: 400, body });
    const byGet = await get({ query }, PREFLIGHTED);
    expect(byGet).toEqual({ status: 405, body });
  });

  test("a persisted query with a wrong hash is neither run nor stored", async () => {
    const query = "{ __typename }";
    const hash = createHash("sha256").update(query).digest("hex");
    const other = createHash("sha256").update("{ a: __typename }").digest("hex");
    const ask = (sha256Hash: unknown, text?: string, version: unknown = 1) =>
      send(
        JSON.stringify({ query: text, extensions: { persistedQuery: { version, sha256Hash } } }),
      );
    const NOT_FOUND = { status: 200, body: malformed("PersistedQueryNotFound") };
    expect(await ask(other, query)).toEqual({
      status: 400,
      body: malformed("provided sha does not match query"),
    });
    expect(await ask(other)).toEqual(NOT_FOUND);
    expect(await ask(hash)).toEqual(NOT_FOUND);
    expect((await ask(hash, query)).body).toEqual({ data: { __typename: "Query" } });
    expect((await ask(hash)).body).toEqual({ data: { __typename: "Query" } });
    for (const wrong of ["", "__proto__", "x".repeat(10_000), 5, null, {}, [hash]]) {
      const { status, body } = await ask(wrong, "{ b: __typename }");
      expect([status < 500, body.errors?.[0].extensions.code]).toEqual([true, "MALFORMED"]);
    }
    expect((await ask(hash, query, 99)).body.errors[0].extensions.code).toBe("MALFORMED");
  });

  test("persisted queries are limited as well", async () => {
    const query = `${"{a".repeat(16)}${"}".repeat(16)}`;
    const sha256Hash = createHash("sha256").update(query).digest("hex");
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    for (const text of [query, undefined, query]) {
      const { body } = await send(JSON.stringify({ query: text, extensions }));
      expect(["TOO_LARGE", "MALFORMED"]).toContain(body.errors[0].extensions.code);
    }
  });
});
