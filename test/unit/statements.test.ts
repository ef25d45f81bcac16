import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PRISMA_MODELS, TABLE_OWNERS } from "../support/module-map";
import { readSchema, statementsOf, unknownColumns } from "../support/sql-statements";

/** Holds the prepared statements of src to prisma/schema.prisma, and to a reason for each. */

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

test("each statement names the reason why it is SQL, and each row of a benchmark exists", () => {
  const without = STATEMENTS.filter(({ reason }) => reason === undefined);
  expect(without.map(({ name }) => name)).toEqual([]);
  const readme = readFileSync(resolve(SRC, "../bench/README.md"), "utf8");
  const rows = STATEMENTS.flatMap(({ reason = "" }) => {
    const [kind, ...row] = reason.split(": ");
    return kind?.startsWith("bench") ? [row.join(": ")] : [];
  });
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
});

test("a statement without a reason is found", () => {
  const text = 'const FIND = { name: "find", text: "SELECT 1" };\nconst OTHER = { all: FIND };';
  const [found] = statementsOf(join(SRC, "users/planted-queries.ts"), text);
  expect(found).toEqual({ name: "find", text: "SELECT 1" });
  expect(found?.reason).toBeUndefined();
});
