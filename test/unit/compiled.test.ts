import fc from "fast-check";
import {
  buildSchema,
  defaultFieldResolver,
  execute,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getOperationAST,
  parse,
  validate,
} from "graphql";
import { openLog } from "../../src/core/log";
import { Compiler } from "../../src/transports/graphql/engine/compiler";
import { prepareOperation } from "../../src/transports/graphql/engine/prepared";

/** Compiled operations have the same results as graphql-js, for random operations. */

const schema = buildSchema(`
  type Query { a(x: Int, y: [Int!], in: In, d: Boolean! = false): String, box: Box, shapes: [Shape!], no: Int! }
  type Box { a(x: Int): String, box: Box, list: [Box] }
  interface Shape { id: Int, box: Box }
  type Circle implements Shape { id: Int, box: Box, radius: Int }
  type Square implements Shape { id: Int, box: Box, side: Int }
  input In { x: Int!, y: [Int!], in: In2 }
  input In2 { z: String = "z", b: Boolean }
`);
(schema.getType("Shape") as GraphQLInterfaceType).resolveType = ({ kind }) => kind;
// Compiled code does not call properties that are functions; every field of the schema has a resolver.
for (const name of ["Query", "Box", "Circle", "Square"]) {
  for (const each of Object.values((schema.getType(name) as GraphQLObjectType).getFields())) {
    each.resolve = defaultFieldResolver;
  }
}
const box: object = {
  a: ({ x }: { x?: number }) => `box ${x}`,
  box: () => box,
  list: () => [box, null],
};
const root = {
  a: (args: object) => JSON.stringify(args),
  box: () => box,
  shapes: () => [
    { kind: "Circle", id: 1, box, radius: 2 },
    { kind: "Square", id: null, box: null, side: 3 },
  ],
  no: () => null,
};

const alias = fc.constantFrom("", "b: ", "constructor: ", "__proto__: ", "toString: ", "x_1: ");
const condition = fc.constantFrom(
  "",
  " @include(if: $t)",
  " @skip(if: $f)",
  " @skip(if: $t)",
  " @include(if: $n)",
);
const value = fc.constantFrom("1", "null", "$i", "$j", "$k", "2147483647");
const argument = fc.oneof(
  value.map((x) => `(x: ${x})`),
  fc.constantFrom("", "", "(y: [1, 2])", "(y: $l)", "(in: $in)", "(d: $n)", "(d: $t)"),
  value.map((x) => `(in: { x: 1, y: [2], in: { z: "q", b: $b } }, x: ${x})`),
);
const { field } = fc.letrec<{ field: string; shape: string; inner: string; set: string }>(
  (tie) => ({
    inner: fc.oneof(
      { depthSize: "small" },
      fc.tuple(alias, value, condition).map(([a, x, c]) => `${a}a(x: ${x})${c}`),
      fc
        .tuple(alias, fc.constantFrom("box", "list"), condition, tie("set"))
        .map((p) => `${p[0]}${p[1]}${p[2]} { ${p[3]} }`),
      fc.constantFrom("...f", "__typename"),
    ),
    set: fc.array(tie("inner"), { minLength: 1, maxLength: 3 }).map((list) => list.join(" ")),
    shape: fc.oneof(
      fc.constantFrom("id", "__typename", "... on Circle { radius }", "... on Square { side id }"),
      tie("set").map((set) => `box { ${set} }`),
    ),
    field: fc.oneof(
      fc.tuple(alias, argument, condition).map(([a, x, c]) => `${a}a${x}${c}`),
      fc.tuple(alias, condition, tie("set")).map(([a, c, set]) => `${a}box${c} { ${set} }`),
      fc
        .array(tie("shape"), { minLength: 1, maxLength: 3 })
        .map((list) => `shapes { ${list.join(" ")} }`),
      fc.constantFrom("no", "__typename"),
    ),
  }),
);
const HEAD =
  "($i: Int, $j: Int = 5, $k: Int!, $l: [Int!], $in: In, $b: Boolean, $t: Boolean!, $f: Boolean!, $n: Boolean = true)";
const variables = fc.record(
  {
    i: fc.constantFrom(1, null, "1", 1.5, [1], {}),
    j: fc.constantFrom(2, null),
    k: fc.constantFrom(3, 3, 3, null, true),
    l: fc.constantFrom([1], 1, null, [null], []),
    in: fc.constantFrom(
      { x: 1 },
      { x: 1, in: {} },
      { x: 1, y: 2, in: { z: null } },
      {},
      { x: 1, q: 1 },
      null,
    ),
    b: fc.constantFrom(true, null),
    t: fc.constant(true),
    f: fc.constant(false),
    n: fc.constantFrom(true, false, null),
  },
  { requiredKeys: ["t", "f", "k"] },
);

/**
 * Data, and the paths of errors. Messages of compiled code differ, but are masked or rewritten for clients.
 */
const shown = (result: { data?: unknown; errors?: readonly { path?: unknown }[] }) => ({
  data: result.data === undefined ? null : JSON.parse(JSON.stringify(result.data)),
  failed: (result.errors ?? []).map(({ path }) => JSON.stringify(path ?? null)).sort(),
});

test("compiled operations have the same results as graphql", async () => {
  let compiled = 0;
  const compiler = new Compiler({ now: () => 0 }, openLog("silent"));
  const operations = fc.array(field, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(operations, variables, async (fields, values) => {
      const text = `query q${HEAD} { ${fields.join(" ")} } fragment f on Box { a(x: 7) g: box { a } }`;
      const document = parse(text);
      const mistakes = validate(schema, document).filter(
        ({ message }) => !/never used/.test(message),
      );
      const operation = getOperationAST(document);
      if (mistakes.length > 0 || !operation) return undefined;
      const prepared = prepareOperation(schema, document, operation);
      if (!compiler.compile(prepared) || !prepared.compiled) return undefined;
      compiled += 1;
      const expected = await execute({ schema, document, rootValue: root, variableValues: values });
      const answer = await prepared.compiled.query(root, {}, values);
      // If null propagates to the root, the errors of other fields may be omitted (GraphQL
      // specification, "Handling Field Errors").
      if (expected.data === null) return expect(answer.data).toBeNull();
      const invalid = expected.data === undefined;
      if (invalid)
        expect([answer.data, (answer.errors ?? []).length > 0]).toEqual([undefined, true]);
      else expect(shown(answer)).toEqual(shown(expected));
      return undefined;
    }),
    { seed: 11, numRuns: 600 },
  );
  expect(compiled).toBeGreaterThan(50);
});
