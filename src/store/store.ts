import type { PrismaClient } from "./generated/client";

/** A hot statement in SQL, its values written `$1`, `$2`, …. */
export interface Statement {
  /** What it is called in the database's statistics; statements that vary in shape share one name. */
  name: string;
  text: string;
}

/**
 * How long a transaction of Prisma's waits for its turn, and lasts, at most: as long as a statement. Many
 * may come at once, and those of its own two seconds would be errors where there is only much to do.
 */
export const TRANSACTIONS = { maxWait: 30_000, timeout: 30_000 };

/** What runs inside of a transaction: as the methods of the same names of {@link Store}. */
export type Transaction = Pick<Store, "query" | "execute">;

/**
 * The database, in two ways over the same connections: Prisma for everything, prepared SQL for the
 * few statements that every request needs.
 */
export interface Store {
  kind: "embedded" | "postgresql";
  db: PrismaClient;

  /**
   * Runs a prepared statement outside of any transaction. Rows carry the column names of the
   * statement; int8 comes as a number (exact up to 2^53-1), timestamptz as a Date, an array as an
   * array, json parsed, bytea as a Uint8Array, numeric as text.
   *
   * The embedded database has one connection: awaited inside of a Prisma transaction, this never ends.
   * @throws Fault UNAVAILABLE when the database cannot be reached
   */
  query<Row>(statement: Statement, values: unknown[]): Promise<Row[]>;

  /**
   * Runs statements in one transaction, which is committed when `act` resolves and taken back when it
   * rejects. For the few that write much at once; everything else uses Prisma's.
   *
   * The embedded database has one connection: whatever else is awaited inside of `act` never ends.
   * @throws Fault UNAVAILABLE when the database cannot be reached
   */
  transaction<T>(act: (transaction: Transaction) => Promise<T>): Promise<T>;

  /**
   * Runs SQL of a library that keeps tables of its own beside the model: with values one statement,
   * without them maybe several, whose last rows are answered. What fails leaves no transaction open.
   * @throws Fault UNAVAILABLE when the database cannot be reached
   */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;

  /**
   * One trivial round trip, for /readyz.
   * @throws Fault UNAVAILABLE when the database cannot be reached
   */
  check(): Promise<void>;

  /** Ends every connection, once what is under way has finished. */
  close(): Promise<void>;
}
