import {
  buildSchema,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLScalarType,
  getOperationAST,
  isScalarType,
  parse,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { openLog } from "../../src/core/log";
import { toGraphQLError } from "../../src/transports/graphql/engine/error";
import { ACCEPTED, argumentProblem } from "../../src/transports/graphql/engine/input-error";
import { buildSignalboxSchema } from "../../src/transports/graphql/schema";

/** Errors of variables contain the path and the reason, but nothing of the input. */

const schema = buildSchema(`
  enum Colour { RED GREEN }
  input Inner { count: Int!, colour: Colour, id: ID, flag: Boolean, ratio: Float, key: Key }
  input Key @oneOf { id: ID, name: String }
  input Input { name: String!, inner: Inner, list: [Inner!] }
  type Query { ask(input: Input!): Int }
`);
const document = parse("query ($input: Input!) { ask(input: $input) }");
const log = openLog("silent");

const said = ({ errors }: ExecutionResult) =>
  (errors ?? []).map((error) => toGraphQLError(error as GraphQLError, log, "r").message);

async function ask(input: unknown): Promise<string[]> {
  return said(await execute({ schema, document, variableValues: { input } }));
}

async function askCompiled(input: unknown): Promise<string[]> {
  const compiled = compileQuery(schema, document, getOperationAST(document)?.name?.value);
  if (!isCompiledQuery(compiled)) throw new Error("it was not compiled");
  return said(await compiled.query(undefined, {}, { input }));
}

const START = 'Variable "$input" got invalid value';

test.each([
  [{ name: "secret" }, []],
  [{}, [`${START}; Field "name" of required type "String!" was not provided.`]],
  ["secret", [`${START}; Expected type "Input" to be an object.`]],
  [
    { name: "secret", inner: null, list: [{ count: null }] },
    [`${START} at "input.list[0].count"; Expected non-nullable type "Int!" not to be null.`],
  ],
  [
    { name: "secret", nam: 1 },
    [`${START}; Field "nam" is not defined by type "Input". Did you mean "name"?`],
  ],
  [{ name: "s", 'x; Field "y': 1 }, [START]],
  [{ name: "s", "x; Expected type": "secret" }, [START]],
  [
    { name: "s", inner: { count: "secret" } },
    [`${START} at "input.inner.count"; Expected type "Int": an integer of 32 bits`],
  ],
  [{ name: ["secret"] }, [`${START} at "input.name"; Expected type "String": a string`]],
  [
    { name: "s", inner: { count: 1, id: { secret: 1 } } },
    [`${START} at "input.inner.id"; Expected type "ID": a string or an integer`],
  ],
  [
    { name: "s", inner: { count: 1, flag: "secret", ratio: "secret" } },
    [
      `${START} at "input.inner.flag"; Expected type "Boolean": true or false`,
      `${START} at "input.inner.ratio"; Expected type "Float": a number`,
    ],
  ],
  [
    { name: "s", inner: { count: 1, colour: "secret" } },
    [`${START} at "input.inner.colour"; Expected a value of the enum "Colour"`],
  ],
  [
    { name: "s", inner: { count: 1, colour: { secret: 1 } } },
    [`${START} at "input.inner.colour"; Expected a value of the enum "Colour"`],
  ],
  [
    { name: "s", inner: { count: 1, colour: "red" } },
    [
      `${START} at "input.inner.colour"; Expected a value of the enum "Colour". Did you mean the enum value "RED"?`,
    ],
  ],
  [
    { name: "s", inner: { count: 1, key: {} } },
    [`${START} at "input.inner.key"; Exactly one key must be specified for OneOf type "Key".`],
  ],
  [
    { name: "s", inner: { count: 1, key: { id: null } } },
    [`${START} at "input.inner.key.id"; Field "id" must be non-null.`],
  ],
  [
    { name: "s", inner: { count: 1, key: { id: "1", name: "secret" } } },
    [`${START} at "input.inner.key"; Exactly one key must be specified for OneOf type "Key".`],
  ],
  [
    { name: "s", inner: {} },
    [`${START} at "input.inner"; Field "count" of required type "Int!" was not provided.`],
  ],
])("of %j", async (input, messages) => {
  expect(await ask(input)).toEqual(messages);
});

describe("a scalar of the schema says what it accepts, and not what it got", () => {
  const signalbox = buildSignalboxSchema();
  const scalars = Object.values(signalbox.getTypeMap()).filter(isScalarType);
  /** Values that no scalar but JSON accepts, or that only some accept. */
  const VALUES = [["secret"], { secret: 1 }, Object.create(null), "secret", -1.5, 2 ** 60, true];

  test.each(scalars.map(({ name }) => name))("%s", async (name) => {
    const own = buildSchema(`scalar ${name} type Query { ask(input: ${name}!): Int }`);
    const type = signalbox.getType(name) as GraphQLScalarType;
    const query = parse(`query ($input: ${name}!) { ask(input: $input) }`);
    Object.assign(own.getType(name) as object, { parseValue: type.parseValue });
    const messages: string[] = [];
    for (const input of VALUES) {
      messages.push(
        ...said(await execute({ schema: own, document: query, variableValues: { input } })),
      );
    }
    const accepted = ACCEPTED[name];
    if (name === "JSON") return expect([messages, accepted]).toEqual([[], undefined]);
    expect(messages.length).toBeGreaterThan(0);
    expect(new Set(messages)).toEqual(new Set([`${START}; Expected type "${name}": ${accepted}`]));
  });
});

test.each([
  'a" does not exist in "Colour" enum. Did you mean the enum value "secret"?',
  'Enum "secret" cannot represent non-string value: ',
  "secret cannot represent a value: ",
  '; Exactly one key must be specified for OneOf type "secret".',
  '; Field "secret" must be non-null.',
  'Expected type "secret". ',
])("a value like a reason is not repeated: %s", async (text) => {
  const inputs = [
    text,
    { name: { [text]: text } },
    { name: "s", inner: { count: text, colour: text, id: [text], flag: text, ratio: text } },
    { name: "s", inner: { count: 1, colour: { [text]: text }, key: { id: [text] } } },
    { name: "s", inner: { count: 1, key: text } },
    { name: "s", inner: { count: 1, key: { [text]: text } } },
  ];
  for (const input of inputs) {
    const messages = [...(await ask(input)), ...(await askCompiled(input))];
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message).not.toContain("secret");
  }
});

test.each([
  [
    `Argument "by" of non-null type "UserKey!" must not be null.`,
    `Argument "by" of type "UserKey!" is required and must not be null`,
  ],
  [
    `Argument "by" of required type "UserKey!" was not provided.`,
    `Argument "by" of type "UserKey!" is required and must not be null`,
  ],
  [`Argument "by" has invalid value {id: "secret"}.`, `Argument "by" does not fit its type`],
  [`Cannot query field "x"`, undefined],
])("of an argument: %s", (message, problem) => {
  expect(argumentProblem(message)).toBe(problem);
});

test("a value that looks like a path or a reason is not repeated", async () => {
  for (const text of ['x at "input.name"; ', '; Expected type "Secret" to be an object']) {
    for (const input of [text, { name: { text } }, { [text]: 1, name: "" }, [text]]) {
      for (const message of [...(await ask(input)), ...(await askCompiled(input))]) {
        expect(message).not.toContain(text);
      }
    }
  }
});

test("neither compiled nor interpreted operations repeat a secret", async () => {
  for (const input of [{ secret: 1 }, { name: ["secret"] }, "secret", { name: "secret", x: 1 }]) {
    for (const message of [...(await ask(input)), ...(await askCompiled(input))]) {
      expect(message.replaceAll('Field "secret" is not defined', "")).not.toContain("secret");
    }
  }
});

/** Keys and values that once made an expression backtrack for 11 seconds at 255 KB. */
const PIECES = ['; Field "a" of required type "', '; Expected type "a" ', "; ", ' at "a', "[", "!"];

test.each(PIECES)("handles a megabyte of %j quickly", async (piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  const keys = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`${piece}${index}`, 1]),
  );
  for (const input of [text, { [text]: 1 }, { name: [text] }, keys]) {
    const messages = [...(await ask(input)), ...(await askCompiled(input))];
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message.length).toBeLessThan(200);
  }
});
