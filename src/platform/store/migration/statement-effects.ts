import { statementsOf } from "./script-statements";

/** Locks on a table that migrations take, weakest first, by PostgreSQL's names. */
export const TABLE_LOCKS = [
  "ROW EXCLUSIVE",
  "SHARE UPDATE EXCLUSIVE",
  "SHARE",
  "SHARE ROW EXCLUSIVE",
  "ACCESS EXCLUSIVE",
] as const;

/** A lock on a table. */
export type TableLock = (typeof TABLE_LOCKS)[number];

/**
 * What a statement does with a table under its lock: it changes only the catalogs, reads all rows, builds an index of
 * them, changes rows, or rewrites the whole table and its indexes.
 */
export type TableWork = "catalogs" | "scan" | "index" | "rows" | "rewrite";

/** A lock that a statement takes, and what it does under it. */
export interface StatementLock {
  lock: TableLock;
  /** The table, or an object whose table the catalogs tell. */
  on: { kind: "table" | "index"; name: string };
  work: TableWork;
}

/** What a statement of a migration does to a database in use. */
export interface StatementEffect {
  /** The statement on one line, without comments and contents of strings. */
  statement: string;
  /** Whether its form is known. If not, it may take any lock. */
  known: boolean;
  locks: StatementLock[];
  /** The table that it creates; null if it creates none. */
  creates: string | null;
  /** Whether nodes that were written before it may fail afterwards: it removes, renames or restricts something. */
  restricts: boolean;
}

/** What a statement does, without its text. */
type Effect = Omit<StatementEffect, "statement">;

const NOTHING: Effect = { known: true, locks: [], creates: null, restricts: false };
const UNKNOWN: Effect = { known: false, locks: [], creates: null, restricts: true };

/** An effect on one table. */
function onTable(lock: TableLock, name: string, work: TableWork, restricts = false): Effect {
  return { ...NOTHING, locks: [{ lock, on: { kind: "table", name }, work }], restricts };
}

/** A form of a statement or of an action of ALTER TABLE, and its effect by the groups of the expression. */
type Form = readonly [RegExp, (...groups: string[]) => Effect];

const STATEMENTS: readonly Form[] = [
  [/^CREATE TABLE "(\w+)"/, (name) => ({ ...NOTHING, creates: name })],
  [/^CREATE TYPE "\w+"/, () => NOTHING],
  // Earlier versions may read rows with a value that they do not know.
  [/^ALTER TYPE "\w+" ADD VALUE |^DROP TYPE "\w+"$/, () => ({ ...NOTHING, restricts: true })],
  [
    /^CREATE INDEX CONCURRENTLY (?:IF NOT EXISTS )?"\w+" ON "(\w+)"/,
    (name) => onTable(SHARED, name, "index"),
  ],
  [/^CREATE INDEX (?:IF NOT EXISTS )?"\w+" ON "(\w+)"/, (name) => onTable("SHARE", name, "index")],
  [/^CREATE UNIQUE INDEX "\w+" ON "(\w+)"/, (name) => onTable("SHARE", name, "index", true)],
  [
    /^DROP INDEX "(\w+)"$/,
    (name) => ({
      ...NOTHING,
      locks: [{ lock: EXCLUSIVE, on: { kind: "index", name }, work: "catalogs" }],
      // ON CONFLICT of earlier versions may need it.
      restricts: true,
    }),
  ],
  [/^DROP TABLE "(\w+)"$/, (name) => onTable(EXCLUSIVE, name, "catalogs", true)],
  [/^ALTER TABLE "(\w+)" (.*)$/, (name, actions) => alteration(name, actions)],
  [/^(?:DELETE FROM|INSERT INTO|UPDATE) "(\w+)"/, (name) => onTable("ROW EXCLUSIVE", name, "rows")],
];

const EXCLUSIVE = "ACCESS EXCLUSIVE";
const SHARED = "SHARE UPDATE EXCLUSIVE";

/** Actions of ALTER TABLE. The first group of their effects is the table. */
const ACTIONS: readonly Form[] = [
  [/^ADD COLUMN (.*)$/, (table, column) => newColumn(table, column)],
  [/^ALTER COLUMN "\w+" SET NOT NULL$/, (table) => onTable(EXCLUSIVE, table, "scan", true)],
  [/^ALTER COLUMN "\w+" SET DEFAULT .*$/, (table) => onTable(EXCLUSIVE, table, "catalogs")],
  // Earlier versions may read a null that they do not expect, or insert rows without the column.
  [
    /^ALTER COLUMN "\w+" DROP (?:NOT NULL|DEFAULT)$/,
    (table) => onTable(EXCLUSIVE, table, "catalogs", true),
  ],
  [
    /^ALTER COLUMN "\w+" (?:SET DATA )?TYPE /,
    (table) => onTable(EXCLUSIVE, table, "rewrite", true),
  ],
  [/^DROP CONSTRAINT "\w+"$/, (table) => onTable(EXCLUSIVE, table, "catalogs", true)],
  [/^DROP COLUMN "\w+"$/, (table) => onTable(EXCLUSIVE, table, "catalogs", true)],
  [/^RENAME /, (table) => onTable(EXCLUSIVE, table, "catalogs", true)],
  [/^VALIDATE CONSTRAINT "\w+"$/, (table) => onTable(SHARED, table, "scan")],
  [
    /^ADD CONSTRAINT "\w+" FOREIGN KEY \([^()]*\) REFERENCES "(\w+)"(.*)$/,
    (table, other, rest) => foreignKey(table, other, rest),
  ],
  [
    /^ADD CONSTRAINT "\w+" CHECK (.*)$/,
    (table, rest) =>
      onTable(EXCLUSIVE, table, rest.endsWith(" NOT VALID") ? "catalogs" : "scan", true),
  ],
  [
    /^ADD CONSTRAINT "\w+" (?:PRIMARY KEY|UNIQUE) /,
    (table) => onTable(EXCLUSIVE, table, "index", true),
  ],
];

/** Existing rows of a new column are not written if its default is the same for all of them. */
const SAME_DEFAULT =
  /^(?:''|-?\d+|true|false|CURRENT_TIMESTAMP|now\(\)|\(now\(\) [+-] ''::interval\))$/;
/** A new column that Prisma writes: its type, whether it is required, and its default. */
const COLUMN = /^"\w+" ([^ ]+(?: PRECISION)?)( NOT NULL)?(?: DEFAULT (.*))?$/;

function newColumn(table: string, column: string): Effect {
  const found = COLUMN.exec(column);
  if (!found) return UNKNOWN;
  const [, type = "", required, value] = found;
  if (/SERIAL/.test(type) || (value !== undefined && !SAME_DEFAULT.test(value))) {
    return onTable(EXCLUSIVE, table, "rewrite");
  }
  // Older nodes insert rows without the column.
  return onTable(EXCLUSIVE, table, "catalogs", required !== undefined && value === undefined);
}

function foreignKey(table: string, other: string, rest: string): Effect {
  const lock = "SHARE ROW EXCLUSIVE";
  const own = onTable(lock, table, rest.endsWith(" NOT VALID") ? "catalogs" : "scan", true);
  return { ...own, locks: [...own.locks, ...onTable(lock, other, "catalogs").locks] };
}

function alteration(table: string, actions: string): Effect {
  const effects = dividedAtCommas(actions).map((action) => find(ACTIONS, action, table));
  return {
    known: effects.every(({ known }) => known),
    locks: effects.flatMap(({ locks }) => locks),
    creates: null,
    restricts: effects.some(({ restricts }) => restricts),
  };
}

/** Divides a list at the commas that are in no parentheses. */
function dividedAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
    else if (text[at] === "," && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

function find(forms: readonly Form[], text: string, ...before: string[]): Effect {
  for (const [form, effect] of forms) {
    const found = form.exec(text);
    if (found) return effect(...before, ...found.slice(1));
  }
  return UNKNOWN;
}

/** What the statements of a migration's script do to a database in use, in their order. */
export function effectsOf(script: string): StatementEffect[] {
  const created = new Set<string | null>();
  return statementsOf(script).map((text) => {
    const statement = text.replace(/\s+/g, " ");
    const effect = find(STATEMENTS, statement);
    created.add(effect.creates);
    // Earlier versions do not use a table that the script creates.
    const isNew = effect.locks[0]?.on.kind === "table" && created.has(effect.locks[0].on.name);
    return { statement, ...effect, restricts: effect.restricts && !isNew };
  });
}
