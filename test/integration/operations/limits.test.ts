import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { ANONYMOUS_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { startNode, type TestNode } from "../../support/node";
import { newUser, type TestUser } from "../../support/rest-client";

let node: TestNode;
/** A node that accepts long documents. */
let lenient: TestNode;
let user: TestUser;

beforeAll(async () => {
  node = await startNode();
  lenient = await startNode({ GRAPHQL_MAX_TOKENS: "100000" });
  user = await newUser(node);
});
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
    "aliases in a repeated fragment",
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
  [
    "a fragment that contains itself",
    "{...f} fragment f on Query {...f}",
    "MALFORMED",
    /Cannot spread/,
  ],
  ["fragments in a cycle", ring(100), "MALFORMED", /Cannot spread/],
  [
    "fragments in a cycle, twice each",
    `{...a} fragment a on Query {...b ...b} fragment b on Query {...a ...a}`,
    "MALFORMED",
    /Cannot spread/,
  ],
  ["recursive introspection", ofFields(5), "MALFORMED", /introspection depth/],
  [
    "recursive introspection in fragments",
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
  [
    "two operations",
    "query a {__typename} query b {__typename}",
    "MALFORMED",
    /operationName is required/,
  ],
  [
    "a second anonymous operation",
    "{__typename} {__typename}",
    "MALFORMED",
    /anonymous|operationName is required/,
  ],
  ["an unknown field", "{ nothing }", "MALFORMED", /Cannot query field/],
  ["a type definition", "type X { a: String }", "MALFORMED", /executable|definition/i],
];

/** Maximum length of a URL's query here; longer requests are refused before parsing (sizes.test.ts). */
const ADDRESS_MAX = 8_000;
const fits = (protocol: string, query: string) =>
  protocol !== "GET" || new URLSearchParams({ query }).toString().length < ADDRESS_MAX;

describe.each(Object.entries(ANONYMOUS_PROTOCOLS))("refused by %s", (name, send) => {
  test.each(
    REFUSED.filter(([, query]) => fits(name, query)),
  )("%s", async (_what, query, code, message) => {
    const { data, errors } = await send(node, query);
    expect(data ?? null).toBeNull();
    expect(errors?.[0]).toEqual({
      message: expect.stringMatching(message),
      extensions: { code },
      ...(errors?.[0].locations ? { locations: expect.any(Array) } : {}),
    });
    expect(JSON.stringify(errors)).not.toMatch(/node_modules|\bat \w+ \(|\.js:/);
  });

  test("accepts documents within the limits", async () => {
    const allowed = [
      `{${times(30, (i) => `a${i}:__typename`)}}`,
      `{${"__typename @skip(if:false) ".repeat(50)}}`,
      "{__schema{types{name fields{name type{name ofType{name ofType{name}}}}}}}",
      bomb(7),
    ];
    for (const query of allowed) {
      // The third run is compiled.
      for (let turn = 0; turn < 3; turn += 1) {
        const { data, errors } = await send(node, query);
        expect([errors, Object.keys(data ?? {}).length > 0]).toEqual([undefined, true]);
      }
    }
  });
});

describe("other requests are answered", () => {
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

  test("while ten thousand overlapping fields are refused under a high token limit", async () => {
    for (const field of ["__typename", "currentSession{id}", "a:currentSession{b:id c:id}"]) {
      const { errors } = await graphql(lenient, `{${`${field} `.repeat(10_000)}}`);
      expect(errors?.[0].extensions.code).toBe("TOO_LARGE");
    }
  });
});
