import { graphql } from "../../../tools/graphql/graphql-http";
import { ANONYMOUS_PROTOCOLS } from "../../support/graphql/graphql-protocols";
import { startNode, type TestNode } from "../../support/node";

let node: TestNode;
/** A node with introspection disabled. */
let silent: TestNode;

beforeAll(async () => {
  node = await startNode();
  silent = await startNode({ INTROSPECTION: "false" });
});
afterAll(async () => {
  await node.stop();
  await silent.stop();
});

describe("with introspection disabled", () => {
  const QUESTIONS = [
    "{__schema{types{name}}}",
    '{__type(name:"User"){name}}',
    "{a:__schema{b:types{c:name}}}",
    '{a:__type(name:"User"){b:name}}',
    "{...f} fragment f on Query {__schema{types{name}}}",
    "{...{...on Query{...{__schema{types{name}}}}}}",
    "query a {__schema{types{name}}}",
    "mutation {__schema{types{name}}}",
    "subscription {__schema{types{name}}}",
    'query ($yes: Boolean = true) {__type(name:"User") @include(if:$yes) {fields{name}}}',
    'query ($no: Boolean = false) {__type(name:"User") @skip(if:$no) {fields{name}}}',
    "{__typename __schema{queryType{name}}}",
  ];
  const NEAR: Array<[query: string, variables: object]> = [
    ["{currentSesion{id}}", {}],
    ["{currentSession{usr{id}}}", {}],
    ["{currentSession{id @skp(if:true)}}", {}],
    ["{...on Usr{id}}", {}],
    ["{accountSettings(acountKey:1){accountKey}}", {}],
    ["{users(filter:{logn:{eq:1}}){totalCount}}", {}],
    ["{users(filter:{},sort:{asc:LOGI}){totalCount}}", {}],
    ["query($a:UserFiltr){users(filter:$a){totalCount}}", {}],
    ["query($a:UserFilter!){users(filter:$a){totalCount}}", { a: { logn: { eq: "1" } } }],
    ["query($a:UserFilter!){users(filter:$a){totalCount}}", { a: { login: { eqq: "1" } } }],
    ["query($a:UserSortField){users(filter:{},sort:{asc:$a}){totalCount}}", { a: "LOGI" }],
    ["query($a:UserKey!){user(by:$a){id}}", { a: { logn: "1" } }],
  ];
  const OTHERWISE =
    /^(Cannot query field "__schema"|(Mutations require POST|Subscriptions are only available)|.* must not select an introspection)/;
  const BLANK = /Did you mean|currentSession"|"login|"LOGIN|"eq"|"user"|UserFilter"\?/;

  describe.each(Object.entries(ANONYMOUS_PROTOCOLS))("by %s", (_name, run) => {
    test.each(QUESTIONS)("%s", async (query) => {
      const { data, errors } = await run(silent, query);
      expect(data ?? null).toBeNull();
      expect(errors?.[0].extensions.code).toBe("MALFORMED");
      // Mutations have no __schema, and not every protocol supports mutations and subscriptions.
      const other = /^(mutation|subscription)/.test(query) ? OTHERWISE : /(?!)/;
      const messages = errors?.map(({ message }) => message).filter((text) => !other.test(text));
      for (const message of messages ?? [])
        expect(message).toMatch(/introspection has been disabled/);
    });

    test.each(NEAR)("similar names are not suggested: %s", async (query, variables) => {
      for (let turn = 0; turn < 3; turn += 1) {
        const { data, errors } = await run(silent, query, variables);
        expect(data ?? null).toBeNull();
        expect(errors?.length).toBeGreaterThan(0);
        expect(JSON.stringify(errors).replaceAll("\\", "")).not.toMatch(BLANK);
      }
    });

    test("__typename is allowed", async () => {
      expect((await run(silent, "{__typename}")).data).toEqual({ __typename: "Query" });
    });
  });

  test("similar names are suggested with introspection enabled", async () => {
    const { errors } = await graphql(node, "{currentSesion{id}}");
    expect(errors?.[0].message).toMatch(/Did you mean/);
  });

  test("parsing a repetitive message takes linear time", async () => {
    const text = " Did you mean ".repeat(15_000);
    const query = `{users(filter:{},first:"${text}"){totalCount}}`;
    expect((await graphql(silent, query)).errors?.[0].extensions.code).toBe("MALFORMED");
  });
});
