import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import ts from "typescript";
import type { Statement } from "../../src/platform/store/store";

/** What test/rules/statements.test.ts finds of the statements of a file. */

/** The columns of each table, and the relations of each model, as schema.prisma defines them. */
export interface DatabaseSchema {
  columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** The table that a field of a model refers to, by `model.field`. */
  relations: ReadonlyMap<string, string>;
}

/** Reads schema.prisma. */
export function readSchema(text: string): DatabaseSchema {
  const models = [...text.matchAll(/^model (\w+) \{([\s\S]*?)^\}/gm)].map(
    ([, name = "", body = ""]) => ({
      name,
      body,
      table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name,
    }),
  );
  const tables = new Map(models.map(({ name, table }) => [name, table]));
  const columns = new Map<string, Set<string>>();
  const relations = new Map<string, string>();
  for (const { name, body, table } of models) {
    const own = new Set<string>();
    for (const [, field = "", type = "", rest = ""] of body.matchAll(
      /^ {2}(\w+) +(\w+)[?[\]]*(.*)$/gm,
    )) {
      const target = tables.get(type);
      if (target === undefined) own.add(/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field);
      else relations.set(`${name[0]?.toLowerCase()}${name.slice(1)}.${field}`, target);
    }
    columns.set(table, own);
  }
  return { columns, relations };
}

/** The statements that the constants of a file hold, with their complete texts. */
export function statementsOf(path: string, text = readFileSync(path, "utf8")): Statement[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const names = tree.statements
    .filter(ts.isVariableStatement)
    .filter(({ modifiers }) => modifiers === undefined)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .map(({ name }) => name.getText(tree));
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const values: unknown[] = [];
  const load = new Function(
    "require",
    "exports",
    "$values",
    `${outputText}\n$values.push(${names});`,
  );
  const exported: Record<string, unknown> = {};
  load(requireFrom(path), exported, values);
  return [...values, ...Object.values(exported)].flatMap(statementsIn);
}

/** Requires modules as the file does; jest compiles them. */
function requireFrom(path: string): (specifier: string) => unknown {
  const { resolve } = createRequire(path);
  return (specifier) =>
    specifier.startsWith(".")
      ? require(require.resolve(specifier, { paths: [`${path}/..`] }))
      : require(resolve(specifier));
}

function statementsIn(value: unknown): Statement[] {
  if (typeof value !== "object" || value === null) return [];
  if (isStatement(value)) return [value];
  return Object.values(value).flatMap(statementsIn);
}

function isStatement(value: object): value is Statement {
  return (
    "name" in value &&
    "text" in value &&
    typeof value.name === "string" &&
    typeof value.text === "string"
  );
}

/** Words in lower case that are neither columns nor functions. */
const WORDS = new Set(["true", "false", "null", "excluded", "ctid", "xmax", "interval"]);

/**
 * The words of a statement that would have to be columns and are none: of the table of their alias, or without an
 * alias of any table of the statement. Keywords are in upper case, as everywhere in src.
 */
export function unknownColumns(text: string, { columns }: DatabaseSchema): string[] {
  const sql = text.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/::\w+(\[\])?/g, "");
  const aliases = new Map<string, string>();
  for (const [, table = "", alias = table] of sql.matchAll(
    /\b(?:FROM|JOIN|UPDATE|INTO)\s+([a-z_]+)(?:\s+(?:AS\s+)?([a-z]\w*))?/g,
  )) {
    if (columns.has(table)) aliases.set(alias, table).set(table, table);
  }
  const tables = [...new Set(aliases.values())];
  const known = new Set(tables.flatMap((table) => [...(columns.get(table) ?? [])]));
  // Names that the statement itself gives: of columns, of common table expressions and of the parts of records.
  const given = new Set<string>();
  for (const [, name = ""] of sql.matchAll(/\bAS\s+(?:MATERIALIZED\s+)?"?([A-Za-z_]\w*)"?/g))
    given.add(name);
  for (const [, name = ""] of sql.matchAll(/(?:\bWITH|,)\s*([a-z_]\w*)\s+AS\b/g)) given.add(name);
  for (const [, parts = ""] of sql.matchAll(/\bAS\s+[a-z]\w*\s*\(([^)]*)\)/g)) {
    for (const part of parts.split(","))
      for (const word of part.trim().split(/\s+/)) given.add(word);
  }
  for (const [, , alias = ""] of sql.matchAll(/(\)|[a-z_]+)\s+([a-z]\w*)\b/g)) given.add(alias);
  const unknown: string[] = [];
  for (const [, owner, word = "", call = ""] of sql.matchAll(
    /(?<!["\w.$])(?:([a-z]\w*)\.)?([a-z_]\w*)(\s*\()?/g,
  )) {
    const table = owner === undefined ? undefined : aliases.get(owner);
    if (table !== undefined) {
      if (!columns.get(table)?.has(word)) unknown.push(`${owner}.${word}`);
    } else if (owner === undefined && call === "" && !WORDS.has(word)) {
      if (!known.has(word) && !given.has(word) && !aliases.has(word)) unknown.push(word);
    }
  }
  return [...new Set(unknown)];
}
