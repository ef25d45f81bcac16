import type { Prisma, PrismaClient } from "./generated/client";

/** A prepared SQL statement with the parameters `$1`, `$2`, …. */
export interface Statement {
  /**
   * Name in the database's statistics. Variants of a statement, such as a list with filters, share one name.
   */
  name: string;
  text: string;
  /**
   * Whether each execution is planned for its values. A prepared statement soon gets one plan for all values, which
   * reads too much where the best one depends on how many rows a value has.
   */
  unprepared?: boolean;
}

/** An open transaction of {@link Store.transaction}. All of its methods use one connection. */
export interface Transaction extends Pick<Store, "query" | "execute"> {
  /**
   * The Prisma client in this transaction. The first call in a process loads Prisma's query compiler (70 MB, a third
   * of a second), so hot transactions use statements only.
   */
  prisma(): Promise<Prisma.TransactionClient>;

  /** Calls `act` after the commit; not at all after a rollback. */
  onCommit(act: () => void): void;
}

/**
 * The database: Prisma for most access, prepared SQL over the same connections for hot statements.
 */
export interface Store {
  kind: "embedded" | "postgresql";

  /** The Prisma client outside of transactions. Its operations throw Fault UNAVAILABLE as {@link query} does. */
  readonly db: PrismaClient;

  /**
   * Runs a prepared statement: of the store outside of any transaction, of a {@link Transaction} inside of it. Rows
   * have the column names of the statement; int8 is a number (exact up to 2^53-1), timestamptz a Date, an array an array, json parsed, bytea a Uint8Array,
   * numeric a string.
   *
   * @throws Fault UNAVAILABLE if the database cannot be reached or accepts no changes
   */
  query<Row>(statement: Statement, values: unknown[]): Promise<Row[]>;

  /**
   * Runs `act` in a transaction (READ COMMITTED), which is committed when `act` resolves and rolled back when it
   * rejects. Nothing is retried.
   *
   * The embedded database has one connection: awaiting any other query inside of `act` is a deadlock.
   * @throws Fault UNAVAILABLE if the database cannot be reached or accepts no changes, and any error of `act`
   */
  transaction<T>(act: (transaction: Transaction) => Promise<T>): Promise<T>;

  /**
   * Runs SQL of a library that has tables of its own: one statement with `values`, or one or more statements
   * without them. A failure leaves no transaction open.
   * @returns the rows of the last statement
   * @throws Fault UNAVAILABLE if the database cannot be reached or accepts no changes
   */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;

  /** Whether the disk of the database has refused a change within the last ten seconds. */
  isDiskFull(): boolean;

  /** The connections to PostgreSQL as they are now; null with the embedded database, which has one. */
  connections(): ConnectionCounts | null;

  /** Closes all connections once running statements have finished. */
  close(): Promise<void>;
}

/** How the connections of a node to its database are used. */
export interface ConnectionCounts {
  used: number;
  idle: number;
  /** Statements that wait for a connection. */
  waiting: number;
}
