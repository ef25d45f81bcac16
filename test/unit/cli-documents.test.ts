import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, validate } from "graphql";
import { readCommands } from "../../src/transports/cli/connection/documents";
import { signalboxSchema } from "../../src/transports/graphql/schema";

const schema = signalboxSchema();
const commands = readCommands(join(__dirname, "../../schema/cli"));
const named = commands.map((command) => [`${command.group} ${command.name}`, command] as const);

test("command names are unique", () => {
  const names = named.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("app rotate-secret");
});

test.each(named)("%s is valid against the schema", (_name, { text }) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
});

test.each(named)("%s and its options have descriptions", (_name, { description, options }) => {
  for (const text of [description, ...options.map((option) => option.description)]) {
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
});

test.each(named)("docs/COMMANDS.md has %s with its options", (name, { description, options }) => {
  const sections = readFileSync(join(__dirname, "../../docs/COMMANDS.md"), "utf8").split("## ");
  const section = sections.find((text) => text.startsWith(`${name}\n`));
  expect(section).toContain(description);
  const rows = Array.from(section?.matchAll(/^\| `--.*` \| (yes|no) \| /gm) ?? []);
  expect(rows.map(([, required]) => required)).toEqual(
    options.map(({ required }) => (required ? "yes" : "no")),
  );
});

test("exactly the commands that delete or replace something are destructive", () => {
  const destructive = named.filter(([, command]) => command.destructive).map(([name]) => name);
  const words = /\b(clear|delete|erase|remove|revoke|rotate)\b/;
  expect(destructive).toEqual(named.map(([name]) => name).filter((name) => words.test(name)));
  expect(destructive).toContain("user erase");
});

/** Variables that are secret or contain multi-line files. */
const READ = /secret|(?<!needs)password|^key$|privateKey|^ca$|^certificate$|^serviceAccount$/i;

test("exactly the secrets and multi-line values can be read from a file", () => {
  const secret = commands.flatMap(({ options }) =>
    options.filter((option) => option.secret).map(({ variable }) => variable),
  );
  const variables = commands.flatMap(({ options }) => options.map(({ variable }) => variable));
  expect(secret.sort()).toEqual(variables.filter((name) => READ.test(name)).sort());
});
