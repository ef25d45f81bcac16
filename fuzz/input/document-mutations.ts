import { getIntrospectionQuery } from "graphql";
import type { Random } from "../../tools/seeded-random";
import type { GraphqlRequest } from "./documents";
import { chance, pick } from "./random";
import { hostileText, hostileValue, mutateText } from "./values";

const NUMBERS = [
  "1e400",
  "-0",
  "0.0",
  "1e-400",
  "9007199254740993",
  "01",
  "1_0",
  "-",
  ".5",
  "1.",
  "0x1",
  "99999999999999999999",
  "1E+5",
  "+1",
  "NaN",
];
const TEXTS = [
  '"\\u0000"',
  '"\\ud800"',
  '"\\u{110000}"',
  '"""\n\\"""\n"""',
  '"\\x"',
  '"\u0000"',
  '"',
  '"\\u{1F600}"',
  "\ufeff",
  "#\u0007\n",
  '"""',
];

/** Documents that the generator does not create: large, nested, recursive, introspection. */
const SHAPES: Array<(random: Random) => string> = [
  () => getIntrospectionQuery(),
  (random) =>
    `{ ${repeat(random, 40, (n) => `a${n}: __type(name: "User") { name fields { name } } `)}}`,
  (random) => `{ ${"a { ".repeat(random(3_000))}`,
  (random) => `{ ${"a { ".repeat(random(60))}b${" }".repeat(random(60))} }`,
  (random) => `{ user(by: ${"{a:".repeat(random(2_000))}1${"}".repeat(random(2_000))}) { id } }`,
  (random) => `{ users(filter: {}) { nodes { ${repeat(random, 400, () => "id ")} } } }`,
  (random) => `{ ${repeat(random, 300, (n) => `a${n}: __typename `)} }`,
  (random) => `{ __typename ${repeat(random, 200, () => "@include(if: true) ")} }`,
  () => "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }",
  (random) =>
    `{ ...F0 } ${repeat(random, 25, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} } `)}`,
  (random) => `${repeat(random, 60, (n) => `query Q${n} { __typename } `)}`,
  (random) => `query (${repeat(random, 300, (n) => `$v${n}: Int `)}) { __typename }`,
  () => "subscription ($a: Boolean!) { callSignals @include(if: $a) { id } }",
  () => "subscription { ...F @skip(if: true) } fragment F on Subscription { callSignals { id } }",
  () => "subscription { __typename }",
  () => "type Query { a: Int }",
  () => "extend type User { a: Int } { __typename }",
  () => "{ __schema { types { fields { type { fields { type { name } } } } } } }",
  () => '{ __type(name: "__proto__") { name } constructor: __typename }',
  (random) => hostileText(random),
];

const repeat = (random: Random, most: number, make: (n: number) => string) =>
  Array.from({ length: 1 + random(most) }, (_, n) => make(n)).join("");

/** Mutates a request so that graphql, its limits or its framework may interpret it differently. */
export function mutateRequest(random: Random, request: GraphqlRequest): GraphqlRequest {
  const kind = random(100);
  if (kind < 60) return named(random, request);
  if (kind < 68) return { ...request, query: pick(random, SHAPES)(random) };
  if (kind < 78) return { ...request, query: mutateText(random, request.query) };
  if (kind < 83) return { ...request, query: replaceToken(random, request.query, /\d+/g, NUMBERS) };
  if (kind < 88)
    return { ...request, query: replaceToken(random, request.query, /"[^"]*"/g, TEXTS) };
  if (kind < 93) return { ...request, query: shuffle(random, request.query) };
  const variables = chance(random, 50)
    ? (hostileValue(random) as Record<string, unknown>)
    : { ...request.variables, v0: hostileValue(random) };
  return { ...request, variables };
}

function named(random: Random, request: GraphqlRequest): GraphqlRequest {
  if (!chance(random, 25)) return request;
  const operationName = pick(random, ["", "Op0", "Op1", null, "__proto__", 1, "constructor", {}]);
  return { ...request, operationName };
}

function replaceToken(random: Random, text: string, kind: RegExp, by: string[]): string {
  const places = [...text.matchAll(kind)];
  if (places.length === 0) return `${text} ${pick(random, by)}`;
  const { index = 0, 0: found } = pick(random, places);
  return text.slice(0, index) + pick(random, by) + text.slice(index + found.length);
}

/** Moves, duplicates or removes a token of a document. */
function shuffle(random: Random, text: string): string {
  const tokens = text.split(/(?<=[\s{}():,@$!.])/);
  const at = random(tokens.length);
  const [token = ""] = tokens.splice(at, 1);
  const times = random(3);
  for (let count = 0; count < times; count += 1) tokens.splice(random(tokens.length + 1), 0, token);
  return tokens.join("");
}
