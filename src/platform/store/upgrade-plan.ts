import { CONCURRENT_INDEXES, type ConcurrentIndex, unbuiltIndexes } from "./concurrent-indexes";
import { pendingMigrations } from "./migrate";
import {
  effectsOf,
  type StatementEffect,
  type StatementLock,
  TABLE_LOCKS,
  type TableLock,
  type TableWork,
} from "./migration/statement-effects";
import type { MigrationConnection } from "./migration/stoppable-connection";
import type { Migration } from "./migrations";

/** A table of the database, by its statistics. */
export interface TableSize {
  name: string;
  /** With its indexes, in bytes. */
  bytes: number;
  /** As of its last ANALYZE; null if it had none. */
  rows: number | null;
}

/** A lock that a statement will take on a table in use. */
export interface PlannedLock {
  lock: TableLock;
  table: TableSize;
  work: TableWork;
  /** An estimate of what the statement takes for this table. */
  seconds: number;
}

/** A statement that will run. */
export interface PlannedStatement {
  /** On one line. */
  text: string;
  /** Whether its form is known. If not, it may take any lock for any time. */
  known: boolean;
  /** On tables in use: nobody uses one that a pending migration creates. */
  locks: PlannedLock[];
}

/** A pending migration, which keeps the locks of all its statements until it is committed. */
export interface PlannedMigration {
  name: string;
  statements: PlannedStatement[];
  /** The strongest lock on each table, and an estimate of how long it is held, in seconds. */
  held: { table: string; lock: TableLock; seconds: number }[];
}

/** What an upgrade will do to a database. */
export interface UpgradePlan {
  migrations: PlannedMigration[];
  /** Indexes that are built after the migrations, while nodes write to their tables. */
  indexes: { name: string; lock: PlannedLock }[];
  /** Whether the database has no tables yet. */
  isEmpty: boolean;
}

/**
 * Bytes per second of each work, of a table with its indexes. docs/OPERATIONS.md has what was measured, of which these are
 * a part.
 */
const BYTES_PER_SECOND: Readonly<Record<TableWork, number>> = {
  catalogs: Number.POSITIVE_INFINITY,
  scan: 200e6,
  index: 50e6,
  rewrite: 15e6,
  rows: 8e6,
};

/** The tables of the schema, and the tables of its indexes. */
const SIZES = `SELECT c.relname AS object, t.relname AS name, pg_total_relation_size(t.oid)::float8 AS bytes,
    CASE WHEN t.reltuples > 0 THEN t.reltuples::float8 END AS rows
  FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
    JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid)
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'i')`;

/**
 * Finds out what the pending migrations will lock, and for how long about, without writing.
 * @throws UnusableDatabaseError if this version cannot migrate the database
 */
export async function planUpgrade(
  connection: Pick<MigrationConnection, "query">,
  migrations: Migration[],
  indexes: readonly ConcurrentIndex[] = CONCURRENT_INDEXES,
): Promise<UpgradePlan> {
  const { pending, recorded } = await pendingMigrations(connection, migrations);
  const rows = await connection.query<TableSize & { object: string }>(SIZES);
  const sizes = new Map(rows.map(({ object, ...size }) => [object, size]));
  const planned: PlannedMigration[] = [];
  for (const { name, script } of pending) {
    const statements = effectsOf(script).map((effect) => planStatement(effect, sizes));
    planned.push({ name, statements, held: heldLocks(statements) });
  }
  const unbuilt = await unbuiltIndexes(connection, indexes);
  return {
    migrations: planned,
    indexes: unbuilt.flatMap(({ name, table }) => {
      const on = { kind: "table" as const, name: table };
      const lock = planLock({ lock: "SHARE UPDATE EXCLUSIVE", on, work: "index" }, sizes);
      return lock.map((each) => ({ name, lock: each }));
    }),
    isEmpty: !recorded,
  };
}

function planStatement(
  { statement, known, locks }: StatementEffect,
  sizes: ReadonlyMap<string, TableSize>,
): PlannedStatement {
  return { text: statement, known, locks: locks.flatMap((lock) => planLock(lock, sizes)) };
}

/** @returns nothing for a table that does not exist yet */
function planLock(
  { lock, on, work }: StatementLock,
  sizes: ReadonlyMap<string, TableSize>,
): PlannedLock[] {
  const table = sizes.get(on.name);
  if (table === undefined) return [];
  return [{ lock, table, work, seconds: table.bytes / BYTES_PER_SECOND[work] }];
}

/** The strongest lock of each table, which is held from its statement to the end of the migration. */
function heldLocks(statements: PlannedStatement[]): PlannedMigration["held"] {
  const held = new Map<string, { table: string; lock: TableLock; seconds: number }>();
  let seconds = 0;
  // From the last statement on, so that each lock is held for what has been added.
  for (const { locks } of [...statements].reverse()) {
    for (const lock of locks) seconds += lock.seconds;
    for (const { lock, table } of locks) {
      const before = held.get(table.name);
      const isStronger =
        before === undefined || TABLE_LOCKS.indexOf(lock) >= TABLE_LOCKS.indexOf(before.lock);
      if (isStronger) held.set(table.name, { table: table.name, lock, seconds });
    }
  }
  return [...held.values()];
}
