import type { Prisma, PrismaClient } from "./generated/client";

/** A prepared SQL statement with the parameters `$1`, `$2`, …. */
export interface Statement {
  /**
   * Name in the database's statistics. Variants of a statement, such as a list with filters, share one name.
   */
  name: string;
  text: string;
}

/**
 * Maximum wait and duration of Prisma transactions, in milliseconds; the same as the statement timeout.
 * Prisma's default wait of two seconds would cause errors under load.
 */
export const TRANSACTION_OPTIONS = { maxWait: 30_000, timeout: 30_000 };

/** The methods of {@link Store} that run inside of a transaction. */
export type Transaction = Pick<Store, "query" | "execute">;

/** A transaction of the Prisma client. */
export type PrismaTransaction = Prisma.TransactionClient;

/**
 * The database: Prisma for most access, prepared SQL over the same connections for hot statements.
 */
export interface Store {
  kind: "embedded" | "postgresql";
  db: PrismaClient;

  /**
   * Runs a prepared statement outside of any transaction. Rows have the column names of the statement; int8
   * is a number (exact up to 2^53-1), timestamptz a Date, an array an array, json parsed, bytea a Uint8Array,
   * numeric a string.
   *
   * The embedded database has one connection: awaiting this inside of a Prisma transaction is a deadlock.
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  query<Row>(statement: Statement, values: unknown[]): Promise<Row[]>;

  /**
   * Runs statements in one transaction, which is committed when `act` resolves and rolled back when it
   * rejects. For bulk writes; everything else uses Prisma's transactions.
   *
   * The embedded database has one connection: awaiting any other query inside of `act` is a deadlock.
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  transaction<T>(act: (transaction: Transaction) => Promise<T>): Promise<T>;

  /**
   * Runs SQL of a library that has tables of its own: one statement with `values`, or one or more statements
   * without them. A failure leaves no transaction open.
   * @returns the rows of the last statement
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;

  /**
   * One trivial round trip, for /readyz.
   * @throws Fault UNAVAILABLE if the database cannot be reached
   */
  check(): Promise<void>;

  /** Closes all connections once running statements have finished. */
  close(): Promise<void>;
}
