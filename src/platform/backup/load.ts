import type { Log } from "../../core/log";
import { createJobSchema, LOAD_QUEUES, QUEUE_TABLE } from "../jobs/job-dump";
import { migrate } from "../store/migrate";
import type { MigrationConnection } from "../store/migration/stoppable-connection";
import { type Migration, readMigrations } from "../store/migrations";
import { BackupError } from "./backup-error";
import { type DumpEntry, type DumpHeader, isRow, parseEntry, parseHeader } from "./entries";
import { countRows, loadStatement, readSequenceNames, readTables, type Table } from "./tables";

/** Number of rows, and of characters, that one statement inserts at most. */
const ROWS = 500;
const CHARACTERS = 2 ** 20;

/** What {@link loadDump} has stored. */
export interface LoadedDump {
  /** Number of rows by table. */
  rows: Record<string, number>;
}

/**
 * Stores a dump in an empty database, in one transaction, and verifies the number of rows. Until then the database stays
 * empty, so that it can run again after an interruption. The database first gets the migrations of the dump, and at the
 * end those that follow.
 * @param lines the lines of a dump
 * @throws BackupError if the database holds data, the dump is of a newer version or does not match its own numbers
 */
export async function loadDump(
  lines: AsyncIterable<string>,
  connection: MigrationConnection,
  log: Log,
): Promise<LoadedDump> {
  const migrations = await readMigrations();
  let load: Load | undefined;
  try {
    for await (const line of lines) {
      if (load) await load.add(line);
      else load = await beginLoad(parseHeader(line), migrations, connection, log);
    }
    if (!load) throw new BackupError("The backup is empty.");
    await load.end();
  } catch (error) {
    // Without a connection the server rolls back itself.
    if (load) await connection.exec("ROLLBACK").catch(() => undefined);
    throw error;
  }
  await migrate(connection, migrations, log);
  await connection.exec("ANALYZE");
  return { rows: load.rows };
}

/**
 * Finds the migrations of a dump.
 * @throws BackupError if this version does not have one of them
 */
export function migrationsOf(header: DumpHeader, migrations: Migration[]): Migration[] {
  const names = new Set(header.migrations);
  const known = migrations.filter(({ name }) => names.delete(name));
  const [unknown] = names;
  if (unknown === undefined) return known;
  throw new BackupError(
    `The backup was made by a newer version of Signalbox (${header.signalbox}): it has the migration ${unknown}, which this version does not know. Restore it with that version or a later one.`,
  );
}

/** Makes the tables of a dump, and begins its transaction. */
async function beginLoad(
  header: DumpHeader,
  migrations: Migration[],
  connection: MigrationConnection,
  log: Log,
): Promise<Load> {
  const known = migrationsOf(header, migrations);
  await refuseData(connection);
  await migrate(connection, known, log);
  if (header.jobs !== null) {
    const version = await createJobSchema(connection);
    if (version !== header.jobs) {
      throw new BackupError(
        `The jobs in the backup have version ${header.jobs} of the job queue's tables, this version of Signalbox has ${version}. Restore it with Signalbox ${header.signalbox}, then update.`,
      );
    }
  }
  const tables = await readTables(connection);
  const sequences = await readSequenceNames(connection);
  await connection.exec("BEGIN");
  return new Load(connection, tables, sequences);
}

/** @throws BackupError if a table has rows */
async function refuseData(connection: MigrationConnection): Promise<void> {
  for (const { name } of await readTables(connection)) {
    const [row] = await connection.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM ${name}) AS found`,
    );
    if (!row?.found) continue;
    throw new BackupError(
      `The database already holds data (in the table ${name}), which is not overwritten: use an empty database.`,
    );
  }
}

/** The transaction that stores a dump. */
class Load {
  readonly rows: Record<string, number> = {};
  /** The table whose rows follow, and how to insert them. */
  private table: { name: string; statement: string } | null = null;
  private batch: string[] = [];
  private characters = 0;

  constructor(
    private readonly connection: MigrationConnection,
    private readonly tables: Table[],
    private readonly sequences: string[],
  ) {}

  /** Stores a line. */
  async add(line: string): Promise<void> {
    if (!isRow(line)) {
      await this.addEntry(parseEntry(line));
      return;
    }
    this.batch.push(line);
    this.characters += line.length;
    if (this.batch.length >= ROWS || this.characters >= CHARACTERS) await this.insertBatch();
  }

  /** Verifies the number of rows, and commits. @throws BackupError if it differs from that of the dump */
  async end(): Promise<void> {
    if (this.table !== null) throw new BackupError("The backup ends within a table.");
    for (const { name } of this.tables) {
      const [stored, dumped] = [await countRows(this.connection, name), this.rows[name] ?? 0];
      if (stored !== dumped) throw differentCount(name, dumped, stored);
    }
    await this.connection.exec("COMMIT");
  }

  private async addEntry(entry: DumpEntry): Promise<void> {
    if ("table" in entry) {
      if (this.table !== null || entry.table in this.rows) throw misplaced(entry.table);
      this.table = { name: entry.table, statement: this.statementFor(entry) };
      this.rows[entry.table] = 0;
    } else if ("rows" in entry) {
      if (this.table === null) throw misplaced("a number of rows");
      const { name } = this.table;
      await this.insertBatch();
      this.table = null;
      if (this.rows[name] !== entry.rows) throw differentCount(name, entry.rows, this.rows[name]);
    } else {
      const { sequence, value, called } = entry;
      if (!this.sequences.includes(sequence)) throw misplaced(sequence);
      const values = [sequence, value, called];
      await this.connection.query(
        "SELECT setval($1::text::regclass, $2::text::bigint, $3::boolean)",
        values,
      );
    }
  }

  /** The statement that inserts rows. Its names are those of the database, not of the dump. */
  private statementFor({ table: name, columns }: Extract<DumpEntry, { table: string }>): string {
    if (name === QUEUE_TABLE) return LOAD_QUEUES;
    const table = this.tables.find((each) => each.name === name);
    const found = columns.map((column) => table?.columns.find((each) => each.name === column));
    const known = found.filter((column) => column !== undefined);
    if (table && known.length === columns.length) return loadStatement(table, known);
    throw misplaced(name);
  }

  private async insertBatch(): Promise<void> {
    if (this.batch.length === 0) return;
    if (this.table === null) throw misplaced("a row");
    const { name, statement } = this.table;
    await this.connection.query(statement, [`[${this.batch.join(",")}]`]);
    this.rows[name] = (this.rows[name] ?? 0) + this.batch.length;
    this.batch = [];
    this.characters = 0;
  }
}

function misplaced(what: string): BackupError {
  return new BackupError(`The backup is damaged: ${what} is unknown, or not where it must be.`);
}

function differentCount(table: string, dumped: number, stored = 0): BackupError {
  return new BackupError(
    `The table ${table} has ${stored} rows, ${dumped} are expected: nothing was stored.`,
  );
}
