import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { PRISMA_MODELS, TABLE_OWNERS } from "../support/module-map";
import { readSchema, statementsOf, unknownColumns } from "../support/sql-statements";

/** Holds the prepared statements of src to prisma/schema.prisma. */

const SRC = resolve(__dirname, "../../src");
const SCHEMA = readSchema(readFileSync(resolve(SRC, "../prisma/schema.prisma"), "utf8"));
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("-queries.ts"))
  .map((path) => join(SRC, path));
const STATEMENTS = FILES.flatMap((file) => statementsOf(file));

test("the schema and the statements are found", () => {
  expect([...SCHEMA.columns.keys()].sort()).toEqual(Object.keys(TABLE_OWNERS).sort());
  expect(SCHEMA.columns.get("call_participants")).toContain("hang_ups");
  expect(SCHEMA.columns.get("users")).not.toContain("sessions");
  expect(SCHEMA.relations.get("user.tags")).toBe("user_tags");
  for (const field of SCHEMA.relations.keys()) {
    expect(PRISMA_MODELS[field.split(".")[0] ?? ""]).toBeDefined();
  }
  const names = STATEMENTS.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["find_session", "push_fan_out_any", "purge_sessions", "user_by_login"]),
  );
  expect(names.length).toBeGreaterThan(80);
});

test("statements have names of their own", () => {
  const names = STATEMENTS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("the columns that statements name exist", () => {
  // The tables of pg-boss are not in the schema; test/contract/jobs.test.ts runs these statements.
  const own = STATEMENTS.filter(({ text }) => !/\bpgboss\./.test(text));
  const unknown = own.flatMap(({ name, text }) =>
    unknownColumns(text, SCHEMA).map((column) => `${name}: ${column}`),
  );
  expect(unknown).toEqual([]);
});

test.each([
  ["SELECT nick FROM users WHERE id = $1", ["nick"]],
  ["SELECT u.id, u.nick FROM users u", ["u.nick"]],
  ["UPDATE users SET nick = $1 WHERE id = $2", ["nick"]],
  ["INSERT INTO users (login, nick) VALUES ($1, $2)", ["nick"]],
  ["SELECT s.id FROM sessions s JOIN users u ON u.session_id = s.id", ["u.session_id"]],
  ["WITH u AS (SELECT id FROM users WHERE nick = 1) SELECT u.id FROM u", ["nick"]],
  ["SELECT g.at FROM unnest($1::bigint[]) AS g(at) JOIN users u ON u.id = g.at", []],
  ["SELECT count(*) AS total FROM users WHERE login = 'nick'", []],
])("in %s, %j is found", (text, found) => {
  expect(unknownColumns(text, SCHEMA)).toEqual(found);
});

/** The texts of the statements that write the hash of a user's password, but not its form. */
const withoutForm = (texts: string[]) =>
  texts.filter((text) => {
    const [, columns] = /\bINSERT INTO users\s*\(([^)]*)\)/.exec(text) ?? [];
    const [, changes] = /\bUPDATE users\b[\s\S]*?\bSET\b([\s\S]*?)(?:\bWHERE\b|$)/.exec(text) ?? [];
    const written = `${columns ?? ""} ${changes ?? ""}`;
    return /\bpassword_hash\b/.test(written) && !/\bpassword_has_token_form\b/.test(written);
  });

/** The functions of a file that write users by the Prisma client, by name; the text of each. */
function prismaWriters(text: string): Array<[name: string, text: string]> {
  const found: Array<[string, string]> = [];
  const tree = ts.createSourceFile("file.ts", text, ts.ScriptTarget.ES2022, true);
  for (const statement of tree.statements) {
    const own = statement.getText(tree);
    if (
      !/\buser\s*\.(create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert)\(/.test(
        own,
      )
    )
      continue;
    const name = ts.isFunctionDeclaration(statement) ? statement.name?.text : undefined;
    found.push([name ?? "?", own]);
  }
  return found;
}

test("whatever writes the hash of a user's password writes whether it has the form of a token", () => {
  expect(withoutForm(STATEMENTS.map(({ text }) => text))).toEqual([]);
  expect(
    withoutForm([
      "UPDATE users SET password_hash = $1 WHERE id = $2 AND password_has_token_form",
      "INSERT INTO users (login, password_hash) VALUES ($1, $2)",
      "UPDATE users SET password_hash = $1, password_has_token_form = $2 WHERE id = $3",
      "UPDATE users SET blocked_at = $1 WHERE id = $2 AND password_hash = $3",
    ]),
  ).toHaveLength(2);
  const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.startsWith("platform/store/generated"))
    .map((path) => readFileSync(join(SRC, path), "utf8"));
  // By the Prisma client, PasswordColumns makes them one argument. A sign-up through a provider has no password.
  const writers = sources.flatMap(prismaWriters);
  expect(writers.map(([name]) => name).sort()).toEqual([
    "insertUserRow",
    "insertUserWithTags",
    "writeUser",
  ]);
  const taking = writers.filter(([, text]) => /password: PasswordColumns\b/.test(text));
  expect(taking.map(([name]) => name).sort()).toEqual(["insertUserWithTags", "writeUser"]);
});

test("a statement is found that its file does not export", () => {
  const text = 'const FIND = { name: "find", text: "SELECT 1" };\nconst OTHER = { all: FIND };';
  const [found] = statementsOf(join(SRC, "domain/users/planted-queries.ts"), text);
  expect(found).toEqual({ name: "find", text: "SELECT 1" });
});
