import { buildSchema, type GraphQLInputObjectType, graphql } from "graphql";
import { Fault } from "../../src/core/errors";
import { applyTextRule } from "../../src/transports/graphql/text-rule";

const SDL = /* GraphQL */ `
  scalar JSONObject
  enum Kind { A }
  input Operators { eq: String, in: [String!] }
  input Inner { name: String, inner: [Inner!] }
  input Given {
    login: String!
    password: String
    tags: [String!]
    kind: Kind
    count: Int
    custom: JSONObject
    list: [Inner!]
    to: Inner
    filter: Operators
  }
  type Query {
    one(given: Given, after: ID, kind: Kind): Node
    plain(count: Int): Int
  }
  type Node { child(search: String): Int }
`;

const schema = buildSchema(SDL);
const given = schema.getType("Given") as GraphQLInputObjectType;
(given.getFields().password as { extensions: object }).extensions = { password: true };
applyTextRule(schema);

const run = (query: string, variables = {}) =>
  graphql({ schema, source: query, variableValues: variables, rootValue: { one: { child: 1 } } });

async function wrong(query: string, variables = {}) {
  const { errors } = await run(query, variables);
  return errors?.map(({ originalError }) =>
    originalError instanceof Fault
      ? [originalError.code, Object.keys(originalError.fields ?? {})]
      : originalError,
  );
}

const ONE = "query ($given: Given) { one(given: $given) { child } }";

test.each<[object, string]>([
  [{ login: "\0" }, "login"],
  [{ login: "a", tags: ["b", "\ud800"] }, "tags"],
  [{ login: "a", custom: { "\ufffe": 1 } }, "custom"],
  [{ login: "a", custom: { a: [{ b: "\uffff" }] } }, "custom"],
  [{ login: "a", list: [{ name: "b" }, { inner: [{ name: "\0" }] }] }, "list"],
  [{ login: "a", to: { name: "\0" } }, "to.name"],
  [{ login: "a", filter: { in: ["\udc00"] } }, "filter.in"],
])("%j is rejected by the name of its field", async (value, field) => {
  expect(await wrong(ONE, { given: value })).toEqual([["INVALID", [field]]]);
});

test("every invalid field is named", async () => {
  const value = { login: "\0", tags: ["\0"], to: { name: "\0" } };
  expect(await wrong(ONE, { given: value })).toEqual([["INVALID", ["login", "tags", "to.name"]]]);
});

test("literals, scalar arguments and arguments of nested fields are checked as well", async () => {
  expect(await wrong('{ one(given: { login: "\\u0000" }) { child } }')).toEqual([
    ["INVALID", ["login"]],
  ]);
  expect(await wrong('{ one(after: "\\uFFFE") { child } }')).toEqual([["INVALID", ["after"]]]);
  expect(await wrong('{ one { child(search: "\\uFFFF") } }')).toEqual([["INVALID", ["search"]]]);
});

test("valid text, any password and omitted values pass", async () => {
  const value = { login: "a\u0001", password: "\0\ud800", tags: null, custom: null, kind: "A" };
  expect(await run(ONE, { given: value })).toEqual({ data: { one: { child: 1 } } });
  expect(await run("{ one(kind: A) { child } plain(count: 1) }")).toMatchObject({
    data: { one: { child: 1 } },
  });
});

test("an unlisted scalar throws", () => {
  const unknown = buildSchema("scalar Colour type Query { paint(colour: Colour): Int }");
  expect(() => applyTextRule(unknown)).toThrow("Colour");
});
