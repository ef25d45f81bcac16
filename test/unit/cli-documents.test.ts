import { join } from "node:path";
import { parse, validate } from "graphql";
import { readCommands } from "../../src/cli/documents";
import { signalboxSchema } from "../../src/graphql/schema";

const schema = signalboxSchema();
const commands = readCommands(join(__dirname, "../../schema/cli"));
const named = commands.map((command) => [`${command.group} ${command.name}`, command] as const);

test("every command has a name of its own", () => {
  const names = named.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("app rotate-secret");
});

test.each(named)("%s is an operation of the schema as it is sent", (_name, { text }) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
});

test.each(named)("%s and its options say what they are", (_name, { about, options }) => {
  for (const text of [about, ...options.map((option) => option.about)]) {
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
});

/** Secrets, and what comes as a file of several lines. */
const READ = /secret|(?<!needs)password|^key$|privateKey|^ca$|^certificate$|^serviceAccount$/i;

test("what is secret can be kept out of the list of processes, and nothing but files is read so", () => {
  const secret = commands.flatMap(({ options }) =>
    options.filter((option) => option.secret).map(({ variable }) => variable),
  );
  const variables = commands.flatMap(({ options }) => options.map(({ variable }) => variable));
  expect(secret.sort()).toEqual(variables.filter((name) => READ.test(name)).sort());
});
