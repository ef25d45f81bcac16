import { createHash } from "node:crypto";
import { getOperationAST, parse } from "graphql";
import { openLog } from "../../../src/core/log";
import { openSocket, type SocketResult } from "../../../tools/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken } from "../../support/rest-client";

/**
 * The engine, Apollo Server, graphql-ws and Fastify interpret every request in the same way, like graphql-js.
 * Mutations only run by POST and WebSocket, and only if the request selects them.
 */

let node: TestNode;
let token: string;
/** Log lines above `info`, which clients must not cause. */
const complaints: string[] = [];

beforeAll(async () => {
  const log = openLog("warn", { write: (line) => void complaints.push(line) });
  node = await startNode({ LOG_LEVEL: "warn" }, { log });
  token = await applicationToken(node);
}, 60_000);
afterAll(() => node.stop());
afterEach(() => expect(complaints.splice(0)).toEqual([]));

type Body = Record<string, unknown>;
type Ask = (body: Body) => Promise<SocketResult & { status?: number }>;

const headers = () => ({
  "Content-Type": "application/json",
  "Apollo-Require-Preflight": "1",
  "Svc-Token": token,
});

async function answerOf(response: Response) {
  return { status: response.status, ...((await response.json()) as SocketResult) };
}

function parametersOf(body: Body): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    parameters.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return parameters;
}

const byGet: Ask = async (body) =>
  answerOf(await fetch(`${node.graphqlUrl}?${parametersOf(body)}`, { headers: headers() }));
const byPost: Ask = async (body) =>
  answerOf(
    await fetch(node.graphqlUrl, {
      method: "POST",
      headers: headers(),
      body: JSON.stringify(body),
    }),
  );
const bySocket: Ask = async (payload) => {
  const socket = await openSocket(node, token);
  socket.send({ id: "1", type: "subscribe", payload });
  const { type, payload: answer } = await socket.next();
  await socket.close();
  return type === "error" ? { errors: answer } : answer;
};
const WAYS: Array<[name: string, ask: Ask]> = [
  ["GET", byGet],
  ["POST", byPost],
  ["WebSocket", bySocket],
];

/** A mutation with a visible effect: it creates a user with this login. */
const creates = (login: string) =>
  `createUser(input: { login: "${login}", password: "password-1" }) { user { login } }`;

let logins = 0;

/** Whether a user with the login was created. */
async function isMade(login: string): Promise<boolean> {
  const rows = await node.sql("SELECT 1 FROM users WHERE login = $1", [login]);
  return rows.length > 0;
}

/** Documents by description; each takes the login that its mutation creates. */
const DOCUMENTS: Record<string, (login: string) => string> = {
  "a query": () => "{ __typename }",
  "a query with a name": () => "query a { __typename }",
  "a mutation": (login) => `mutation { ${creates(login)} }`,
  "a mutation with a name": (login) => `mutation a { ${creates(login)} }`,
  "a mutation with the name of a keyword": (login) => `mutation query { ${creates(login)} }`,
  "a query and a mutation": (login) => `query a { __typename } mutation b { ${creates(login)} }`,
  "two mutations": (login) => `mutation a { ${creates(login)} } mutation b { ${creates(login)} }`,
};
const NAMES: unknown[] = [
  undefined,
  null,
  "",
  "a",
  "b",
  "query",
  "A",
  " ",
  " a",
  "a\n",
  "__proto__",
];

describe("operationName", () => {
  const cases = Object.entries(DOCUMENTS).flatMap(([what, document]) =>
    WAYS.map(([way, ask]) => [what, way, document, ask] as const),
  );
  test.each(cases)("in %s by %s", async (_what, way, document, ask) => {
    for (const name of NAMES) {
      // Null cannot be expressed in a URL.
      if (way === "GET" && name === null) continue;
      const login = `reader-${++logins}`;
      const query = document(login);
      const meant = getOperationAST(parse(query), (name as string) || undefined);
      const runs = meant?.operation === "query" || (meant !== null && way !== "GET");
      const expected = [[way, name], runs, runs && meant?.operation === "mutation"];
      const { status, data, errors } = await ask({ query, operationName: name });
      expect([[way, name], data !== undefined && !errors, await isMade(login)]).toEqual(expected);
      if (runs) continue;
      expect(errors?.[0].extensions.code).toBe("MALFORMED");
      if (status !== undefined) expect(status).toBe(meant ? 405 : 400);
    }
  });

  test.each([
    "",
    undefined,
    "a",
  ])("%j by GET does not run a mutation that was prepared by POST", async (name) => {
    const login = `reader-${++logins}`;
    const query = `mutation a { ${creates(login)} }`;
    for (const operationName of ["a", undefined, ""]) await byPost({ query, operationName });
    const before = await node.sql("DELETE FROM users WHERE login = $1 RETURNING id", [login]);
    expect(before).toHaveLength(1);
    const { status, errors } = await byGet({ query, operationName: name });
    expect([status, errors?.[0].extensions.code]).toEqual([405, "MALFORMED"]);
    expect(await isMade(login)).toBe(false);
  });
});

/** Sends a raw request. */
async function send(method: string, search: string, body?: string, more: object = {}) {
  const response = await fetch(`${node.graphqlUrl}${search}`, {
    method,
    headers: { ...headers(), ...more },
    body,
  });
  const text = await response.text();
  // Unknown routes respond in the REST format.
  const answer = text === "" || response.status === 404 ? {} : (JSON.parse(text) as SocketResult);
  return { status: response.status, code: answer.errors?.[0]?.extensions.code, data: answer.data };
}

describe("one parameter in both query and body", () => {
  const both = (login: string) => {
    const mutation = `mutation { ${creates(login)} }`;
    const query = "{ __typename }";
    return { mutation, query, inQuery: (text: string) => `?query=${encodeURIComponent(text)}` };
  };
  const READ = { data: { __typename: "Query" } };
  const REFUSED = { code: "MALFORMED" };

  test("POST only reads the body", async () => {
    const login = `reader-${++logins}`;
    const { mutation, query, inQuery } = both(login);
    const body = (text: unknown) => JSON.stringify({ query: text });
    expect(await send("POST", inQuery(mutation), body(query))).toMatchObject(READ);
    for (const none of [undefined, null, ""]) {
      expect(await send("POST", inQuery(mutation), body(none))).toMatchObject(REFUSED);
    }
    for (const text of ["", "{}", "[]", `[${body(mutation)}]`]) {
      expect(await send("POST", inQuery(mutation), text)).toMatchObject(REFUSED);
    }
    expect(await isMade(login)).toBe(false);
  });

  test.each(["GET", "HEAD"])("%s never runs a mutation", async (method) => {
    const login = `reader-${++logins}`;
    const { mutation, query, inQuery } = both(login);
    const searches = [
      inQuery(mutation),
      `${inQuery(mutation)}&query=${encodeURIComponent(query)}`,
      `${inQuery(query)}&query=${encodeURIComponent(mutation)}`,
      `${inQuery(query)}&operationName=a&operationName=`,
      `${inQuery(mutation)}&operationName=`,
      `${inQuery(mutation)}&operationName=%00`,
      `?query[]=${encodeURIComponent(mutation)}`,
      `?Query=${encodeURIComponent(mutation)}`,
      `?query=${encodeURIComponent(query)}#&query=${encodeURIComponent(mutation)}`,
      "",
      "?",
    ];
    for (const search of searches) {
      const { status, data } = await send(method, search);
      expect([search, status < 500, data?.createUser]).toEqual([search, true, undefined]);
    }
    expect(await isMade(login)).toBe(false);
  });

  test.each(["PUT", "PATCH", "DELETE", "QUERY"])("%s is not supported", async (method) => {
    const login = `reader-${++logins}`;
    const { mutation, inQuery } = both(login);
    const { status } = await send(method, inQuery(mutation), JSON.stringify({ query: mutation }));
    expect(status).toBe(404);
    expect(await isMade(login)).toBe(false);
  });

  test("a persisted mutation only runs by POST", async () => {
    const login = `reader-${++logins}`;
    const { mutation } = both(login);
    const sha256Hash = createHash("sha256").update(mutation).digest("hex");
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const search = `?${parametersOf({ query: mutation, extensions })}`;
    expect(await send("GET", search)).toMatchObject({ status: 405 });
    await send("POST", "", JSON.stringify({ query: `${mutation} #`, extensions }));
    expect(await isMade(login)).toBe(false);
    await send("POST", "", JSON.stringify({ query: mutation, extensions }));
    await node.sql("DELETE FROM users WHERE login = $1", [login]);
    for (const operationName of [undefined, ""]) {
      const hashed = `?${parametersOf({ operationName, extensions })}`;
      expect(await send("GET", hashed)).toMatchObject({ status: 405, code: "MALFORMED" });
    }
    expect(await isMade(login)).toBe(false);
  });

  const ODD: unknown[] = [{}, [[]], 5, true, { toString: 1, valueOf: 1 }, { toString: null }];
  test.each(ODD.map((hash) => [hash]))("the invalid hash %j is ignored", async (sha256Hash) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    for (const query of [undefined, "{ __typename }"]) {
      const body = JSON.stringify({ query, extensions });
      expect(await send("POST", "", body)).toMatchObject(REFUSED);
      expect(await send("GET", `?${parametersOf({ query, extensions })}`)).toMatchObject(REFUSED);
    }
  });
});

describe("variables", () => {
  const query = "query ($v: Boolean!) { a: __typename @include(if: $v) }";
  const VALUES: Array<[variables: string, code: string | undefined]> = [
    ['{"v":true}', undefined],
    ['{"v":false,"v":true}', undefined],
    ['{"v":true,"w":1}', undefined],
    ['{"v":true,"toString":1,"constructor":{}}', undefined],
    ["{}", "INVALID"],
    ["null", "INVALID"],
    ['{"v":null}', "INVALID"],
    ['{"v":"true"}', "INVALID"],
    ['{"v":1}', "INVALID"],
    ['{"v":[true]}', "INVALID"],
    ['{"v":1e999}', "INVALID"],
    [`{"v":${"9".repeat(400)}}`, "INVALID"],
    [`{"v":${"[".repeat(1_000)}${"]".repeat(1_000)}}`, "INVALID"],
    [`{"v":true,"w":${"[".repeat(1_000)}${"]".repeat(1_000)}}`, "INVALID"],
    ["[]", "MALFORMED"],
    ['["v"]', "MALFORMED"],
    ['"{\\"v\\":true}"', "MALFORMED"],
    ["5", "MALFORMED"],
    ["true", "MALFORMED"],
  ];
  test.each(VALUES)("%s mean the same over every protocol", async (variables, code) => {
    const body = `{"query":${JSON.stringify(query)},"variables":${variables}}`;
    // Interpreted at first, then compiled.
    for (let turn = 0; turn < 5; turn += 1) {
      expect([turn, (await send("POST", "", body)).code]).toEqual([turn, code]);
    }
    // Null cannot be expressed in a URL.
    if (variables !== "null") {
      const search = `?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(variables)}`;
      expect((await send("GET", search)).code).toBe(code);
    }
    const socket = await openSocket(node, token);
    socket.send(`{"id":"1","type":"subscribe","payload":${body}}`);
    if (code === "MALFORMED") {
      // The protocol requires closing the socket on an invalid payload.
      expect((await socket.closed).code).toBe(4400);
      return;
    }
    const { type, payload } = await socket.next();
    expect([type, payload.errors?.[0].extensions.code]).toEqual(["next", code]);
    await socket.close();
  });
});
