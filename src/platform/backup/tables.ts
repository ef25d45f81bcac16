import { JOB_TABLE } from "../jobs/job-dump";
import type { MigrationConnection } from "../store/migration/stoppable-connection";

/** A table of a database. */
export interface Table {
  /** Its name as statements have it: quoted where it needs to be. */
  name: string;
  columns: Column[];
}

interface Column {
  /** Its name as statements have it. */
  name: string;
  /** Its type as casts have it. */
  type: string;
}

interface TableRow extends Table {
  /** Names of the tables that its foreign keys refer to, without its own. */
  parents: string[];
}

/** The tables of the service, and that of its jobs. */
const TABLES = `SELECT c.oid::regclass::text AS name,
    (SELECT json_agg(json_build_object('name', quote_ident(a.attname),
          'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attgenerated = '') AS columns,
    (SELECT coalesce(json_agg(f.confrelid::regclass::text), '[]') FROM pg_constraint f
      WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS parents
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE (n.nspname = current_schema() AND c.relkind IN ('r', 'p')
      AND NOT c.relispartition AND c.relname <> '_prisma_migrations')
    OR c.oid = to_regclass('${JOB_TABLE}')
  ORDER BY name`;

/** Reads the tables of a database: a table follows those that its foreign keys refer to. */
export async function readTables(connection: Pick<MigrationConnection, "query">): Promise<Table[]> {
  const rows = await connection.query<TableRow>(TABLES);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const ordered = new Set<TableRow>();
  // A cycle of foreign keys would leave a table behind one of its children, which the load then reports.
  const visited = new Set<string>();
  const visit = (row: TableRow): void => {
    if (visited.has(row.name)) return;
    visited.add(row.name);
    for (const name of row.parents) {
      const parent = byName.get(name);
      if (parent) visit(parent);
    }
    ordered.add(row);
  };
  for (const row of rows) visit(row);
  return [...ordered].map(({ name, columns }) => ({ name, columns }));
}

/** Reads a table: each row is a JSON array of the texts of its columns. */
export function dumpStatement({ name, columns }: Table): string {
  const texts = columns.map((column) => `${column.name}::text`).join(", ");
  return `SELECT array_to_json(ARRAY[${texts}])::text AS row FROM ${name}`;
}

/** Inserts rows of {@link dumpStatement} from a JSON array of them, whose texts are these columns of the table. */
export function loadStatement({ name }: Table, columns: readonly Column[]): string {
  const names = columns.map((column) => column.name).join(", ");
  const values = columns.map(({ type }, index) => `(r->>${index})::${type}`).join(", ");
  return `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM json_array_elements($1::text::json) AS r`;
}

/** The state of a sequence. */
export interface Sequence {
  /** Its name as statements have it. */
  name: string;
  /** The last value, in decimal. */
  value: string;
  /** Whether that value has been used. */
  called: boolean;
}

const SEQUENCES = `SELECT c.oid::regclass::text AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind = 'S' ORDER BY name`;

/** Reads the names of the sequences of a database. */
export async function readSequenceNames(
  connection: Pick<MigrationConnection, "query">,
): Promise<string[]> {
  return (await connection.query<{ name: string }>(SEQUENCES)).map(({ name }) => name);
}

/** Reads the sequences of a database. */
export async function readSequences(
  connection: Pick<MigrationConnection, "query">,
): Promise<Sequence[]> {
  const sequences: Sequence[] = [];
  for (const name of await readSequenceNames(connection)) {
    const [row] = await connection.query<Pick<Sequence, "value" | "called">>(
      `SELECT last_value::text AS value, is_called AS called FROM ${name}`,
    );
    if (row) sequences.push({ name, ...row });
  }
  return sequences;
}

/** Counts the rows of a table. */
export async function countRows(
  connection: Pick<MigrationConnection, "query">,
  name: string,
): Promise<number> {
  const [row] = await connection.query<{ count: string | number }>(
    `SELECT count(*)::text AS count FROM ${name}`,
  );
  return Number(row?.count);
}
