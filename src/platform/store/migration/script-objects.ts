import { statementsOf } from "./script-statements";

/** What kind of object of a schema a script adds or removes. */
type ObjectKind = "relation" | "type" | "column" | "constraint" | "required column";

/** An object that exists only before or only after a script. */
export interface ScriptObject {
  kind: ObjectKind;
  /** The table of a column or constraint; empty for others. */
  table: string;
  name: string;
  /** Whether the script adds it; otherwise the script removes it. */
  added: boolean;
}

/** An identifier as Prisma's schema engine writes it. */
const NAME = /^"(\w+)"/;

/** Statements about whole objects, by their first words. */
const STATEMENTS: readonly { words: string; kind: ObjectKind; added: boolean }[] = [
  { words: "CREATE TABLE ", kind: "relation", added: true },
  { words: "CREATE INDEX ", kind: "relation", added: true },
  { words: "CREATE UNIQUE INDEX ", kind: "relation", added: true },
  { words: "CREATE TYPE ", kind: "type", added: true },
  { words: "DROP TABLE ", kind: "relation", added: false },
  { words: "DROP INDEX ", kind: "relation", added: false },
  { words: "DROP TYPE ", kind: "type", added: false },
];

/** Actions of ALTER TABLE that add or remove an object, by the words before its name. */
const ACTIONS: readonly { words: string; kind: ObjectKind; added: boolean }[] = [
  { words: "ADD COLUMN ", kind: "column", added: true },
  { words: "DROP COLUMN ", kind: "column", added: false },
  { words: "ADD CONSTRAINT ", kind: "constraint", added: true },
  { words: "DROP CONSTRAINT ", kind: "constraint", added: false },
];

/**
 * The objects of a schema that tell whether a script has run. An object that the script both adds and removes tells
 * nothing, nor does a statement with IF EXISTS or IF NOT EXISTS.
 */
export function objectsOf(script: string): ScriptObject[] {
  const changes = new Map<string, { first: boolean; last: ScriptObject }>();
  for (const object of statementsOf(script).flatMap(changesOf)) {
    const key = JSON.stringify([object.kind, object.table, object.name]);
    changes.set(key, { first: changes.get(key)?.first ?? object.added, last: object });
  }
  // An object whose first change adds it is missing before the script, and its last change says whether it exists after.
  return [...changes.values()].filter(({ first, last }) => first === last.added).map((c) => c.last);
}

function changesOf(statement: string): ScriptObject[] {
  const text = statement.replace(/\s+/g, " ");
  for (const { words, kind, added } of STATEMENTS) {
    if (!text.startsWith(words)) continue;
    const name = NAME.exec(text.slice(words.length))?.[1];
    return name === undefined ? [] : [{ kind, table: "", name, added }];
  }
  const alter = "ALTER TABLE ";
  const table = text.startsWith(alter) ? NAME.exec(text.slice(alter.length))?.[1] : undefined;
  return table === undefined ? [] : alterations(table, text);
}

function alterations(table: string, text: string): ScriptObject[] {
  const found: ScriptObject[] = [];
  // Every other part is a quoted name; the first one is the table's.
  const parts = text.split('"');
  for (let at = 2; at + 1 < parts.length; at += 2) {
    const [before = "", name = "", rest = ""] = parts.slice(at, at + 3);
    const action = ACTIONS.find(({ words }) => before.endsWith(words));
    if (action) found.push({ kind: action.kind, table, name, added: action.added });
    if (before.endsWith("RENAME COLUMN ")) {
      found.push({ kind: "column", table, name, added: false });
      found.push({ kind: "column", table, name: parts[at + 3] ?? "", added: true });
    }
    if (!before.endsWith("ALTER COLUMN ")) continue;
    const required = rest.startsWith(" SET NOT NULL");
    if (!required && !rest.startsWith(" DROP NOT NULL")) continue;
    found.push({ kind: "required column", table, name, added: required });
  }
  return found;
}

/** Whether each object exists in the current schema, in the order of the arrays. */
const EXISTS = `SELECT CASE o.kind
    WHEN 'relation' THEN to_regclass(s.schema || quote_ident(o.name)) IS NOT NULL
    WHEN 'type' THEN to_regtype(s.schema || quote_ident(o.name)) IS NOT NULL
    WHEN 'constraint' THEN EXISTS (SELECT FROM pg_constraint c
      WHERE c.conrelid = to_regclass(s.schema || quote_ident(o.of_table)) AND c.conname = o.name)
    ELSE EXISTS (SELECT FROM pg_attribute a
      WHERE a.attrelid = to_regclass(s.schema || quote_ident(o.of_table)) AND a.attname = o.name
        AND NOT a.attisdropped AND (o.kind = 'column' OR a.attnotnull))
    END AS found
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS o (kind, of_table, name, place),
    (SELECT quote_ident(current_schema()) || '.') AS s (schema)
  ORDER BY o.place`;

/**
 * Looks at the schema of a database to find out whether a script ran, which ran either completely or not at all.
 * @param query runs a statement with parameters
 * @returns null if the schema does not tell
 */
export async function hasRun(
  query: (text: string, values: unknown[]) => Promise<{ found: boolean }[]>,
  script: string,
): Promise<boolean | null> {
  const objects = objectsOf(script);
  if (objects.length === 0) return null;
  const rows = await query(EXISTS, [
    objects.map(({ kind }) => kind),
    objects.map(({ table }) => table),
    objects.map(({ name }) => name),
  ]);
  const states = new Set(objects.map(({ added }, index) => rows[index]?.found === added));
  const [state] = states;
  return states.size === 1 && state !== undefined ? state : null;
}
