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

/** Actions of ALTER TABLE, up to the name of their object. */
const ACTION = /(ADD|DROP|RENAME|ALTER) (COLUMN|CONSTRAINT) "/g;

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
  return [...text.matchAll(ACTION)].flatMap((match): ScriptObject[] => {
    const start = match.index + match[0].length;
    const end = text.indexOf('"', start);
    if (end < 0) return [];
    const name = text.slice(start, end);
    const rest = text.slice(end + 1);
    const kind = match[2] === "COLUMN" ? "column" : "constraint";
    if (match[1] === "RENAME") {
      const renamed = rest.startsWith(" TO ")
        ? NAME.exec(rest.slice(" TO ".length))?.[1]
        : undefined;
      if (renamed === undefined) return [];
      return [
        { kind, table, name, added: false },
        { kind, table, name: renamed, added: true },
      ];
    }
    if (match[1] !== "ALTER") return [{ kind, table, name, added: match[1] === "ADD" }];
    const required = rest.startsWith(" SET NOT NULL");
    if (!required && !rest.startsWith(" DROP NOT NULL")) return [];
    return [{ kind: "required column", table, name, added: required }];
  });
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
