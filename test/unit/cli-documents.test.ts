import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isEnumType, parse, validate } from "graphql";
import { createProgram } from "../../src/transports/cli/commands";
import { readCommands } from "../../src/transports/cli/connection/documents";
import { readEnums } from "../../src/transports/cli/connection/schema-enums";
import { signalboxSchema } from "../../src/transports/graphql/schema";

const schema = signalboxSchema();
const commands = readCommands(join(__dirname, "../../schema/cli"));
const named = commands.map((command) => [`${command.group} ${command.name}`, command] as const);

test("command names are unique", () => {
  const names = named.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain("app rotate-secret");
});

test.each(named)("%s is valid against the schema", (_name, { text, preview }) => {
  for (const each of preview === undefined ? [text] : [text, preview.text]) {
    expect(validate(schema, parse(each)).map(({ message }) => message)).toEqual([]);
  }
});

test("the words of an option are the values of its enum", () => {
  const enums = Object.values(schema.getTypeMap()).filter(isEnumType);
  const read = readEnums(join(__dirname, "../../schema/schema.graphql"));
  for (const each of enums.filter(({ name }) => !name.startsWith("__"))) {
    const values = each.getValues().map(({ name }) => name);
    expect([each.name, [...(read.get(each.name) ?? [])].sort()]).toEqual([
      each.name,
      values.sort(),
    ]);
  }
  const words = commands.flatMap(({ options }) => options).filter(({ type }) => type === "Enum");
  expect(words.filter(({ values = [] }) => values.length === 0)).toEqual([]);
  const role = words.find(({ variable }) => variable === "role");
  expect([...(role?.values ?? [])].sort()).toEqual(["developer", "owner", "support"]);
});

test("exactly the commands that delete data of users for good ask first", () => {
  const asking = named.filter(([, { preview }]) => preview !== undefined).map(([name]) => name);
  expect(asking.sort()).toEqual(["app delete", "user erase"]);
});

test("every group has a description", () => {
  const groups = createProgram().commands.filter((each) => each.commands.length > 0);
  expect(groups.map((each) => each.name())).toEqual([
    ...new Set(commands.map(({ group }) => group)),
  ]);
  for (const each of groups)
    expect([each.name(), each.description()]).toEqual([
      each.name(),
      expect.stringMatching(/^[A-Z].*\.$/),
    ]);
});

test.each(named)("%s and its options have descriptions", (_name, { description, options }) => {
  for (const text of [description, ...options.map((option) => option.description)]) {
    expect(text).toMatch(/^[A-Z].*\.$/);
  }
});

test.each(named)("docs/COMMANDS.md has %s with its options", (name, command) => {
  const { description, options, preview } = command;
  const sections = readFileSync(join(__dirname, "../../docs/COMMANDS.md"), "utf8").split("## ");
  const section = sections.find((text) => text.startsWith(`${name}\n`));
  expect(section).toContain(description);
  const rows = Array.from(section?.matchAll(/^\| `--.*` \| (yes|no) \| /gm) ?? []);
  // Those that ask have --yes and --dry-run as well.
  const more = preview === undefined ? [] : ["no", "no"];
  expect(rows.map(([, required]) => required)).toEqual([
    ...options.map(({ required }) => (required ? "yes" : "no")),
    ...more,
  ]);
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
