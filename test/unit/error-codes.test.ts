import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, type GraphQLEnumType, printSchema } from "graphql";
import { ERROR_DESCRIPTIONS, ERRORS } from "../../src/core/errors";
import { buildSignalboxSchema } from "../../src/transports/graphql/schema";

/** docs/ERRORS.md and the schema have exactly the codes of the table, with the same descriptions. */

const ROOT = join(__dirname, "../..");
const page = readFileSync(join(ROOT, "docs/ERRORS.md"), "utf8");
const CODES = Object.keys(ERRORS);

/** The cells of the table of a section, without its head. */
function tableOf(section: string): string[][] {
  const [, text = ""] = page.split(`\n## ${section}\n`);
  const [own = ""] = text.split("\n## ");
  const rows = own.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test("the page has each code with its status, its condition and its description", () => {
  const expected = Object.entries(ERRORS).map(([code, { http, condition, type }]) => {
    const { cause, remedy } = ERROR_DESCRIPTIONS[code as keyof typeof ERRORS];
    return [`\`${code}\``, String(http), `\`${condition}\`, ${type}`, cause, remedy];
  });
  expect(tableOf("Codes")).toEqual(expected);
});

test("the page has the cases of each code", () => {
  const cases = tableOf("What causes them");
  expect(cases.map(([code]) => code)).toEqual(CODES.map((code) => `\`${code}\``));
  for (const [, text = ""] of cases) expect(text.length).toBeGreaterThan(10);
});

test("the examples of the page are valid and have codes of the table", () => {
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) =>
    JSON.parse(text),
  );
  expect(examples).toHaveLength(3);
  for (const { errors, payload } of examples) {
    for (const { extensions } of errors ?? payload) expect(CODES).toContain(extensions.code);
  }
});

test("the schema has the codes as an enum, with their descriptions", () => {
  const printed = buildSchema(printSchema(buildSignalboxSchema()));
  const values = (printed.getType("ErrorCode") as GraphQLEnumType).getValues();
  expect(values.map(({ name, description }) => [name, description])).toEqual(
    Object.entries(ERROR_DESCRIPTIONS).map(([code, { cause, remedy }]) => [
      code,
      `${cause} ${remedy}`,
    ]),
  );
});

test("the schema says where an error has its code", () => {
  const { description } = buildSchema(printSchema(buildSignalboxSchema()));
  for (const name of ["ErrorCode", "code", "fields", "retryAfter"]) {
    expect(description).toContain(name);
  }
});

test("the generated schema contains the enum", () => {
  const generated = readFileSync(join(ROOT, "schema/schema.graphql"), "utf8");
  expect(generated).toMatch(/^enum ErrorCode \{/m);
});
