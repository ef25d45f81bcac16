import { buildSchema, getOperationAST, parse } from "graphql";
import { measureOperation } from "../../src/transports/graphql/engine/operation-size";

const SCHEMA = buildSchema(`
  type Query { a: Int, box: Box, shape: Shape, either: Either }
  type Box { a: Int, b: Int, box: Box, shapes: [Shape!]!, list(first: Int): [Box!]! }
  interface Shape { id: Int, box: Box }
  type Circle implements Shape { id: Int, box: Box, radius: Int }
  type Square implements Shape { id: Int, box: Box, side: Int }
  union Either = Circle | Box
`);

function measure(text: string) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error("no operation");
  return measureOperation(SCHEMA, document, operation);
}

const CASES: Array<[text: string, rootFields: number, fields: number]> = [
  ["{ a }", 1, 1],
  ["{ a b: a c: a }", 3, 3],
  ["{ a a a }", 1, 3],
  ["{ box { a b box { a } } }", 1, 5],
  ["{ ...f b: a } fragment f on Query { a ...g } fragment g on Query { c: a }", 3, 3],
  ["{ box { ...f } c: box { ...f } } fragment f on Box { a b }", 2, 6],
  ["{ ... on Query { a ... { b: a } } }", 2, 2],
  // Fields of an interface count for each of its types.
  ["{ shape { id box { a } } }", 1, 7],
  ["{ shape { ... on Circle { id radius } id } }", 1, 5],
  ["{ box { shapes { ...f } } } fragment f on Shape { id }", 1, 4],
  ["{ either { __typename ... on Box { a } } }", 1, 4],
  ["{ shape { box { shapes { box { shapes { id } } } } } }", 1, 1 + 2 * (1 + 1 + 2 * (1 + 1 + 2))],
];

describe("the size of an operation", () => {
  test.each(CASES)("%s", (text, rootFields, fields) => {
    expect(measure(text)).toMatchObject({ rootFields, fields, introspection: false });
  });

  test.each([
    "{ __schema { types { name } } }",
    '{ a: __type(name: "Box") { name } }',
    "{ ...f } fragment f on Query { ... { a __schema { description } } }",
  ])("detects introspection: %s", (text) => {
    expect(measure(text).introspection).toBe(true);
  });

  test.each([
    ["{ a }", 1],
    ["{ box { a b } }", 3 + 4 + 4],
    ["{ long: box { ...f } } fragment f on Box { a }", 4 + 5],
    ["{ a @skip(if: false) }", 1 + 16],
    ["{ ... @skip(if: false) { box { a } } }", 3 + 16 + 4 + 16],
    ["{ shape { id } }", 5 + 2 * (5 + 2)],
  ])("counts each field with its path from the root: %s", (text, characters) => {
    expect(measure(text).characters).toBe(characters);
  });

  test.each([
    ["{ box { a } }", 0],
    ["{ box { list { a } other: list(first: 1) { b } } }", 2],
    ["{ box { ...f box { ...f } } } fragment f on Box { list { list { a } } }", 4],
    ["{ shape { box { list { a } } } }", 2],
    ["{ __schema { types { fields(includeDeprecated: true) { name } } } }", 0],
  ])("counts the fields with arguments below the root: %s", (text, reads) => {
    expect(measure(text).reads).toBe(reads);
  });

  test("does not count __typename as introspection", () => {
    expect(measure("{ __typename box { __typename } }").introspection).toBe(false);
  });

  test("is fast for fragments that spread each other repeatedly", () => {
    const levels = Array.from(
      { length: 200 },
      (_, level) => `fragment f${level} on Query { ...f${level + 1} ... { ...f${level + 1} } }`,
    );
    const { rootFields, fields } = measure(
      `{ ...f0 } ${levels.join(" ")} fragment f200 on Query { a }`,
    );
    expect([rootFields, fields]).toEqual([1, 2 ** 200]);
  });
});
