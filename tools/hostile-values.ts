import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  typeFromAST,
} from "graphql";

/** Values that are known to break services of this kind. */
const TEXTS: string[] = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udc00y",
  "\u{10FFFF}\u{10FFFF}",
  "\u202Etxt.exe",
  "\r\nSet-Cookie: a=b",
  "' OR '1'='1",
  "'; DROP TABLE users; --",
  "$1",
  "%_\\",
  "../../../../etc/passwd",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "__proto__",
  "constructor",
  "toString",
  "9".repeat(40),
  "-1",
  "1e309",
  "x".repeat(20_000),
];
const NUMBERS: unknown[] = [2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 31, -1, 0, 1.5, 1e308];
const SHAPES: unknown[] = [[], {}, [null], { $ne: "" }, [["a"]], true, null];

/** All values that are tried for each input. */
export const HOSTILE: readonly unknown[] = [...TEXTS, ...NUMBERS, ...SHAPES];

/** What no response may contain: SQL, paths, stacks, names of libraries and their errors. */
export const LEAKS =
  /SELECT |INSERT |UPDATE \w+ SET|relation "|column "|syntax error at|invalid input syntax|node_modules|\/src\/|\/tmp\/|\.[jt]s:\d|\n\s+at |prisma|pglite|postgres|SQLSTATE|violates|TypeError|RangeError/i;

/** Path of a value in the variables of a document: keys and indexes. */
export type InputPath = ReadonlyArray<string | number>;

/** Every leaf of a document's variables; recursive inputs are entered once. */
export function inputPaths(schema: GraphQLSchema, document: string): InputPath[] {
  const [operation] = parse(document).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("no operation");
  return (operation.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const type = typeFromAST(schema, node) as GraphQLInputType;
    return leaves(type, [variable.name.value], []);
  });
}

function leaves(type: GraphQLInputType, at: InputPath, around: readonly string[]): InputPath[] {
  if (isNonNullType(type)) return leaves(type.ofType, at, around);
  if (isListType(type)) return leaves(type.ofType, [...at, 0], around);
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [at];
  if (around.includes(named.name)) return [];
  const fields: Array<GraphQLInputField | GraphQLArgument> = Object.values(named.getFields());
  return fields.flatMap(({ name, type: inner }) =>
    leaves(inner, [...at, name], [...around, named.name]),
  );
}

/** A copy of the variables with a value at a path. Missing objects on the path get their required fields. */
export function withValue(
  variables: object,
  place: InputPath,
  value: unknown,
): Record<string, unknown> {
  const copy = structuredClone(variables) as Record<string, unknown>;
  let target: Record<string | number, unknown> = copy;
  for (const [index, key] of place.slice(0, -1).entries()) {
    const empty = typeof place[index + 1] === "number" ? [] : fill(place[index]);
    target[key] ??= empty;
    target = target[key] as Record<string | number, unknown>;
  }
  target[place.at(-1) as string] = value;
  return copy;
}

/** Fields that an XML element and its attributes require, so that the value itself is validated. */
function fill(key: string | number | undefined): object {
  return key === 0 ? { name: "a", value: "b" } : {};
}
