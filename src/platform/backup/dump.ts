import { packageVersion } from "../../core/package-root";
import { DUMP_QUEUES, QUEUE_TABLE, readJobVersion } from "../jobs/job-dump";
import { pendingMigrations } from "../store/migrate";
import type { MigrationConnection } from "../store/migration/stoppable-connection";
import { readMigrations } from "../store/migrations";
import { UnusableDatabaseError } from "../store/unusable-database-error";
import { type DumpEntry, type DumpHeader, FORMAT } from "./entries";
import { dumpStatement, readSequences, readTables } from "./tables";

/** Number of rows that are read at once, which bounds the memory. */
const ROWS = 200;

/** The settings that decide how values become texts; those of a server may differ. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL TIME ZONE 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1`;

/**
 * Reads a whole database in one transaction: all tables of the service with their sequences, and the jobs.
 * @returns lines, several in one text, which ends with a line end
 * @throws UnusableDatabaseError if a newer version of the service has used the database
 */
export async function* dumpDatabase(connection: MigrationConnection): AsyncGenerator<string> {
  const header = await readHeader(connection);
  await connection.exec(BEGIN);
  try {
    yield toLine(header);
    if (header.jobs !== null) yield* dumpRows(connection, QUEUE_TABLE, [], DUMP_QUEUES);
    for (const table of await readTables(connection)) {
      const columns = table.columns.map(({ name }) => name);
      yield* dumpRows(connection, table.name, columns, dumpStatement(table));
    }
    for (const { name, value, called } of await readSequences(connection)) {
      yield toLine({ sequence: name, value, called });
    }
  } finally {
    await connection.exec("ROLLBACK");
  }
}

async function readHeader(connection: MigrationConnection): Promise<DumpHeader> {
  const migrations = await readMigrations();
  const { pending, newer } = await pendingMigrations(connection, migrations);
  if (newer.length > 0) {
    throw new UnusableDatabaseError(
      `The database has the migration ${newer[0]} of a newer version of the service: back it up with that version.`,
    );
  }
  return {
    format: FORMAT,
    signalbox: packageVersion(),
    migrations: migrations.filter((each) => !pending.includes(each)).map(({ name }) => name),
    jobs: await readJobVersion(connection),
  };
}

async function* dumpRows(
  connection: MigrationConnection,
  table: string,
  columns: string[],
  statement: string,
): AsyncGenerator<string> {
  yield toLine({ table, columns });
  await connection.exec(`DECLARE dumped NO SCROLL CURSOR FOR ${statement}`);
  let count = 0;
  for (let isMore = true; isMore; ) {
    const rows = await connection.query<{ row: string }>(`FETCH ${ROWS} FROM dumped`);
    if (rows.length > 0) yield rows.map(({ row }) => `${row}\n`).join("");
    count += rows.length;
    isMore = rows.length === ROWS;
  }
  await connection.exec("CLOSE dumped");
  yield toLine({ rows: count });
}

function toLine(entry: DumpHeader | DumpEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
