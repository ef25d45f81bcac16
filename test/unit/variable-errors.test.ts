import {
  buildSchema,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  parse,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { openLog } from "../../src/core/log";
import { toGraphQLError } from "../../src/graphql/engine/error";

/** Errors of variables contain the path and the reason, but nothing of the input. */

const schema = buildSchema(`
  enum Colour { RED GREEN }
  input Inner { count: Int!, colour: Colour }
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
  // Reasons that repeat the value (of an enum, of a number) are omitted.
  [{ name: "s", inner: { count: "secret" } }, [`${START} at "input.inner.count"`]],
  [{ name: "s", inner: { count: 1, colour: "secret" } }, [`${START} at "input.inner.colour"`]],
])("of %j", async (input, messages) => {
  expect(await ask(input)).toEqual(messages);
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
