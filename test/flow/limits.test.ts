import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { openMetrics } from "../../src/core/metrics";
import { Engine } from "../../src/graphql/engine";
import { buildSignalboxSchema } from "../../src/graphql/schema";
import { applicationToken, graphql, newUser, type TestUser } from "../support/client";
import { OPEN_DOORS } from "../support/graphql-doors";
import { openSocket } from "../support/graphql-socket";
import { usedHeap } from "../support/heap";
import { startNode, type TestNode } from "../support/node";

let node: TestNode;
/** A node that takes long documents. */
let lenient: TestNode;
let user: TestUser;

beforeAll(async () => {
  node = await startNode({ GRAPHQL_SOCKET_OPERATIONS: "20" });
  lenient = await startNode({ GRAPHQL_MAX_TOKENS: "100000" });
  user = await newUser(node);
}, 60_000);
afterAll(async () => {
  await node.stop();
  await lenient.stop();
});

const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(" ");
const nested = (levels: number) => `${"{a".repeat(levels)}${"}".repeat(levels)}`;
const bomb = (levels: number, width = 2) =>
  `{...f0} ${times(levels, (i) => `fragment f${i} on Query {${`...f${i + 1} `.repeat(width)}}`)}` +
  ` fragment f${levels} on Query {__typename}`;
const ring = (levels: number) =>
  `{...f0} ${times(levels, (i) => `fragment f${i} on Query {...f${(i + 1) % levels}}`)}`;
const ofType = (levels: number) => `${"{ofType".repeat(levels)}{name}${"}".repeat(levels)}`;
const ofFields = (levels: number) =>
  `{__schema{types${"{fields{type".repeat(levels)}{name}${"}}".repeat(levels)}}}`;
const hidden = (fields: string) => `{currentSession{user{${fields}}}}`;

const TOO_LARGE = "TOO_LARGE";
const REFUSED: Array<[what: string, query: string, code: string, message: RegExp]> = [
  ["levels beyond the limit", nested(16), TOO_LARGE, /depth limit of 15/],
  ["six hundred levels", nested(600), TOO_LARGE, /depth limit of 15/],
  ["a thousand levels", nested(1_000), TOO_LARGE, /more than 2000 tokens/],
  ["levels in fragments", `{a{...f}} fragment f on X ${nested(15)}`, TOO_LARGE, /depth limit/],
  [
    "levels in inline fragments",
    `{...on Query{a{...on X${nested(15)}}}}`,
    TOO_LARGE,
    /depth limit/,
  ],
  ["aliases", `{${times(31, (i) => `a${i}:__typename`)}}`, TOO_LARGE, /Aliases limit of 30/],
  [
    "aliases in a fragment that comes again and again",
    `{${times(8, (i) => `a${i}:currentSession{user{...f}}`)}} fragment f on User {b:id c:id d:id}`,
    TOO_LARGE,
    /Aliases limit of 30/,
  ],
  [
    "directives",
    `{${"__typename @skip(if:false) ".repeat(51)}}`,
    TOO_LARGE,
    /Directives limit of 50/,
  ],
  ["tokens", `{${"a ".repeat(2_000)}}`, TOO_LARGE, /more than 2000 tokens/],
  [
    "ten thousand overlapping fields",
    `{${"a ".repeat(3_900)}}`,
    TOO_LARGE,
    /more than 2000 tokens/,
  ],
  ["overlapping fields", `{${"__typename ".repeat(1_500)}}`, TOO_LARGE, /overlap/],
  ["overlapping objects", `{${"currentSession{id}".repeat(490)}}`, TOO_LARGE, /overlap/],
  ["cost", hidden("id ".repeat(1_900)), TOO_LARGE, /overlap|Cost limit/],
  [
    "a cost of many levels",
    `{a{b{c{d{e{f{g{h{i{${"j ".repeat(400)}}}}}}}}}}}`,
    TOO_LARGE,
    /Cost limit/,
  ],
  ["a fragment bomb", bomb(100), TOO_LARGE, /limit/],
  ["a wide fragment bomb", bomb(8, 20), TOO_LARGE, /limit/],
  ["a fragment of itself", "{...f} fragment f on Query {...f}", "MALFORMED", /Cannot spread/],
  ["fragments in a ring", ring(100), "MALFORMED", /Cannot spread/],
  [
    "fragments in a ring, twice each",
    `{...a} fragment a on Query {...b ...b} fragment b on Query {...a ...a}`,
    "MALFORMED",
    /Cannot spread/,
  ],
  ["introspection that goes round", ofFields(5), "MALFORMED", /introspection depth/],
  [
    "introspection that goes round in fragments",
    `{__schema{types{...a}}} fragment a on __Type {fields{type{...b}}} fragment b on __Type
      {fields{type{...c}}} fragment c on __Type {fields{type{...d}}} fragment d on __Type
      {fields{type{fields{name}}}}`,
    "MALFORMED",
    /introspection depth/,
  ],
  ["types of types", `{__type(name:"User")${ofType(20)}}`, TOO_LARGE, /depth limit/],
  [
    "no document",
    "",
    "MALFORMED",
    /Unexpected <EOF>|must contain|POST body missing|GET query missing/,
  ],
  ["half a document", "{", "MALFORMED", /Syntax Error/],
  ["two operations", "query a {__typename} query b {__typename}", "MALFORMED", /Say which/],
  ["a second anonymous operation", "{__typename} {__typename}", "MALFORMED", /anonymous|Say which/],
  ["an unknown field", "{ nothing }", "MALFORMED", /Cannot query field/],
  ["a type definition", "type X { a: String }", "MALFORMED", /executable|definition/i],
];

/** What is longer is refused before anybody reads it; see "sizes". */
const ADDRESS_MAX = 8_000;
const fits = (door: string, query: string) =>
  door !== "GET" || new URLSearchParams({ query }).toString().length < ADDRESS_MAX;

describe.each(Object.entries(OPEN_DOORS))("refused by %s", (name, door) => {
  test.each(
    REFUSED.filter(([, query]) => fits(name, query)),
  )("%s", async (_what, query, code, message) => {
    const { data, errors } = await door(node, query);
    expect(data ?? null).toBeNull();
    expect(errors?.[0]).toEqual({
      message: expect.stringMatching(message),
      extensions: { code },
      ...(errors?.[0].locations ? { locations: expect.any(Array) } : {}),
    });
    expect(JSON.stringify(errors)).not.toMatch(/node_modules|\bat \w+ \(|\.js:/);
  });

  test("and what stays within the limits is not", async () => {
    const allowed = [
      `{${times(30, (i) => `a${i}:__typename`)}}`,
      `{${"__typename @skip(if:false) ".repeat(50)}}`,
      "{__schema{types{name fields{name type{name ofType{name ofType{name}}}}}}}",
      bomb(7),
    ];
    for (const query of allowed) {
      // The third time it runs compiled.
      for (let turn = 0; turn < 3; turn += 1) {
        const { data, errors } = await door(node, query);
        expect([errors, Object.keys(data ?? {}).length > 0]).toEqual([undefined, true]);
      }
    }
  });
});

describe("others are answered meanwhile", () => {
  const attacks = REFUSED.filter(([, query]) => query.length > 500).map(([, query]) => query);

  test("while hostile documents are refused", async () => {
    const socket = await openSocket(node, user.token);
    const hostile = attacks.flatMap((query) => [graphql(node, query), graphql(lenient, query)]);
    const honest = Promise.all([
      ...Array.from({ length: 10 }, () => graphql(node, "{currentSession{id}}", {}, user.token)),
      ...Array.from({ length: 10 }, () => socket.run("{currentSession{id}}")),
    ]);
    for (const { errors, data } of await honest) {
      expect([errors, data]).toEqual([
        undefined,
        { currentSession: { id: String(user.sessionId) } },
      ]);
    }
    for (const { errors } of await Promise.all(hostile)) {
      expect(["TOO_LARGE", "MALFORMED"]).toContain(errors?.[0].extensions.code);
    }
    await socket.close();
  });

  test("ten thousand overlapping fields, where so many tokens are allowed", async () => {
    for (const field of ["__typename", "currentSession{id}", "a:currentSession{b:id c:id}"]) {
      const { errors } = await graphql(lenient, `{${`${field} `.repeat(10_000)}}`);
      expect(errors?.[0].extensions.code).toBe("TOO_LARGE");
    }
  });
});

describe("sizes", () => {
  const big = { v: "x".repeat(300_000) };
  const query = "query ($v: String!) {accountSettings(accountKey: $v) {accountKey}}";

  test("variables beyond the limit of a body are refused by POST", async () => {
    const answer = await graphql(node, query, big);
    expect([answer.status, answer.errors]).toEqual([
      413,
      [{ message: "The request body is too large", extensions: { code: "TOO_LARGE" } }],
    ]);
  });

  test("and by GET", async () => {
    const parameters = new URLSearchParams({
      query,
      variables: JSON.stringify({ v: "x".repeat(9_000) }),
    });
    const response = await fetch(`${node.graphqlUrl}?${parameters}`, {
      headers: { "Apollo-Require-Preflight": "1" },
    });
    expect([response.status, await response.json()]).toEqual([
      413,
      { errors: [{ message: "The address is too long", extensions: { code: "TOO_LARGE" } }] },
    ]);
  });

  test("and close a WebSocket", async () => {
    const socket = await openSocket(node);
    socket.send({ id: "1", type: "subscribe", payload: { query, variables: big } });
    expect((await socket.closed).code).toBe(1009);
  });

  test("operations under way on one socket are bounded, and those there go on", async () => {
    const socket = await openSocket(node, user.token);
    const signals: Array<() => unknown[]> = [];
    for (let index = 0; index < 19; index += 1) {
      signals.push(await socket.listen(`s${index}`, user.id));
    }
    socket.send({
      id: "s19",
      type: "subscribe",
      payload: { query: "subscription{callSignals{id}}" },
    });
    socket.send({
      id: "s20",
      type: "subscribe",
      payload: { query: "subscription{callSignals{id}}" },
    });
    const error = await new Promise((resolve) => {
      socket.socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        if (message.id === "s20") resolve(message);
      });
    });
    expect(error).toEqual({
      id: "s20",
      type: "error",
      payload: [
        {
          message: "A socket runs 20 operations at once at most",
          extensions: { code: "LIMITED", retryAfter: 1 },
        },
      ],
    });
    const send = "mutation ($i: SendSignalInput!) { sendSignal(input: $i) { id } }";
    const i = { to: { userId: user.id }, signalType: "hangUp", sessionId: "bounded" };
    await graphql(node, send, { i }, user.token);
    socket.send({ id: "s19", type: "complete" });
    await socket.run("{__typename}");
    expect(signals.map((read) => read().length)).toEqual(signals.map(() => 1));
    await socket.close();
  });

  test("documents that are kept are bounded", async () => {
    const limits = readConfig({ GRAPHQL_CACHE: "10" });
    const engine = new Engine(buildSignalboxSchema(), limits, openLog("silent"), openMetrics());
    const text = (index: number) => `{a${index}:__typename}`;
    const first = engine.prepare(text(0));
    for (let index = 1; index < 10; index += 1) engine.prepare(text(index));
    expect(engine.prepare(text(0))).toBe(first);
    for (let index = 10; index < 20; index += 1) engine.prepare(text(index));
    expect(engine.prepare(text(0))).not.toBe(first);
  });

  test("many documents that are unique leave the heap as it was", async () => {
    const token = await applicationToken(node);
    let count = 0;
    const round = async () => {
      for (let turn = 0; turn < 40; turn += 1) {
        await Promise.all(
          Array.from({ length: 20 }, () =>
            graphql(
              node,
              `{a${++count}:currentSession{${"id ".repeat(10)} # ${"x".repeat(2_000)}\n}}`,
              {},
              token,
            ),
          ),
        );
      }
    };
    await round();
    const before = usedHeap();
    await round();
    await round();
    expect(usedHeap() - before).toBeLessThan(30_000_000);
  }, 120_000);
});
