import { PrismaPg } from "@prisma/adapter-pg";
import { type Pool, type PoolClient, type QueryConfig, type QueryResult, types } from "pg";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import type { ConcurrentIndex } from "./concurrent-indexes";
import {
  connectionOptions,
  explainConnectionError,
  SESSION_SETTINGS,
  ServerPool,
} from "./connection";
import { isReadOnlyServer } from "./database-errors";
import { buildInBackground, migrateOn, refuseServer } from "./migrate-server";
import { lockNode, type NodeLock } from "./node-lock";
import { runInTransaction } from "./open-transaction";
import { LazyPrismaClient } from "./prisma-client";
import { QueryErrors } from "./query-error";
import { StatementNames } from "./statement-names";
import { type Statement, type Store, type Transaction } from "./store";

/** Statement timeout of the server, in milliseconds. */
const STATEMENT_MS = 30_000;
/**
 * Query timeout of the client, in milliseconds: longer, so that it only applies if the server does not
 * respond.
 */
const QUERY_MS = 35_000;

const INT8 = 20;
const INT8_ARRAY = 1016;
/** OID of the type timestamptz. */
export const TIMESTAMPTZ_OID = 1184;

const parseAnyZone = types.getTypeParser(TIMESTAMPTZ_OID, "text");
/** Parsers for columns of `query`. Passed with each query, so that Prisma's parsers are not affected. */
const PARSERS = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format === "binary") return types.getTypeParser(oid, format);
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY) return parseIntegers;
    if (oid === TIMESTAMPTZ_OID) return parseTimestamp;
    return types.getTypeParser(oid, "text");
  },
};

/** The last parsed day: its text and its start. The rows of a list share a few days. */
let lastDay = "";
let lastDayMs = 0;

/**
 * Parses a timestamptz in PostgreSQL's text format (ISO style), to the millisecond. The driver's parser
 * handles every time zone and takes four times as long, which slows down user lists.
 */
export function parseTimestamp(text: string): Date | number {
  // A session in UTC, and a year of four digits.
  if (text[4] !== "-" || !text.endsWith("+00")) return parseAnyZone(text);
  const day = text.slice(0, 10);
  if (day !== lastDay) {
    lastDayMs = Date.parse(day);
    lastDay = day;
  }
  const seconds = (twoDigits(text, 11) * 60 + twoDigits(text, 14)) * 60 + twoDigits(text, 17);
  return new Date(lastDayMs + seconds * 1000 + milliseconds(text));
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

/** The milliseconds of a timestamp. Up to six digits follow the point; PostgreSQL omits trailing zeros. */
function milliseconds(text: string): number {
  const end = text.length - 3;
  let value = 0;
  for (let at = 20, weight = 100; at < end && weight >= 1; at++, weight /= 10) {
    value += (text.charCodeAt(at) - 48) * weight;
  }
  return value;
}

/** Parses a one-dimensional int8 array in PostgreSQL's text format. */
function parseIntegers(text: string): (number | null)[] {
  const inside = text.slice(1, -1);
  if (inside === "") return [];
  return inside.split(",").map((part) => (part === "NULL" ? null : Number(part)));
}

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  config: Pick<Config, "DATABASE_POOL" | "REDIS_URL">;
  url: string;
  log: Log;
  /** Whether this process is a node, which holds the node lock. */
  isNode: boolean;
  onLockLost?: (reason: string) => void;
  /** Stops the opening: a migration that runs is cancelled and rolled back. */
  signal?: AbortSignal;
  /** Indexes that a node builds in the background: they only make statements faster. */
  indexes: readonly ConcurrentIndex[];
}

/**
 * Opens and migrates the store on a PostgreSQL server.
 * @throws UnusableDatabaseError if the service must not start on this database; the reason of the signal
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { config, url, log, isNode, onLockLost, signal, indexes } = options;
  let lock: NodeLock | undefined;
  try {
    await refuseServer(url);
    if (isNode) {
      lock = await lockNode({ url, exclusive: config.REDIS_URL === undefined, log, onLockLost });
    }
    await migrateOn(url, log, signal);
    signal?.throwIfAborted();
  } catch (error) {
    await lock?.release();
    throw explainConnectionError(error);
  }
  const closing = new AbortController();
  const built = isNode ? buildInBackground(url, indexes, log, closing.signal) : undefined;
  const pool = openPool(url, config.DATABASE_POOL, log);
  const errors = new QueryErrors(log);
  const toError = (error: unknown): unknown => {
    // Another server is the primary now, and the address may lead to it.
    if (isReadOnlyServer(error)) pool.retire();
    return errors.convert(error);
  };
  const prismaNames = new StatementNames();
  const adapter = new PrismaPg(pool, {
    statementNameGenerator: ({ sql }) => prismaNames.nameFor({ name: "prisma", text: sql }) ?? "",
  });
  const prisma = new LazyPrismaClient(adapter, toError);
  const names = new StatementNames();
  // The pool discards a connection whose query failed, and with it any open transaction.
  const { query, execute } = statementsOn(pool, names, toError);
  const transaction = async <T>(act: (open: Transaction) => Promise<T>): Promise<T> => {
    const { result, committed } = await inTransaction(pool, toError, (client) => {
      const statements = statementsOn(client, names, toError);
      return runInTransaction(
        {
          ...statements,
          prisma,
          transactionScope: pool.transactionScope,
          transactionConnection: withoutTransactionControl(client),
        },
        act,
      );
    });
    committed();
    return result;
  };

  return {
    kind: "postgresql",
    get db() {
      return prisma.db;
    },
    query,
    execute,
    transaction,
    isDiskFull: () => errors.isDiskFull(),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      closing.abort();
      await built;
      await prisma.close();
      await pool.end();
      await lock?.release();
    },
  };
}

/** Converts an error of the driver for the caller. */
type ToError = (error: unknown) => unknown;

/** Runs statements on the pool, or on the connection of a transaction. */
function statementsOn(
  connection: Pool | PoolClient,
  names: StatementNames,
  toError: ToError,
): Pick<Transaction, "query" | "execute"> {
  return {
    async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      try {
        const result = await connection.query({
          name: names.nameFor(statement),
          text: statement.text,
          values,
          types: PARSERS,
        });
        return result.rows as Row[];
      } catch (error) {
        throw toError(error);
      }
    },

    async execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
      try {
        const result: QueryResult | QueryResult[] = await connection.query(text, values);
        const last = Array.isArray(result) ? result.at(-1) : result;
        return { rows: last?.rows ?? [] };
      } catch (error) {
        throw toError(error);
      }
    },
  };
}

async function inTransaction<T>(
  pool: Pool,
  toError: ToError,
  act: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toError(error);
  });
  try {
    await client.query("BEGIN").catch((error: unknown) => {
      throw toError(error);
    });
    const result = await act(client);
    await client.query("COMMIT").catch((error: unknown) => {
      throw toError(error);
    });
    client.release();
    return result;
  } catch (error) {
    // Discards the connection, so that the server rolls back the open transaction.
    client.release(true);
    throw error;
  }
}

/** The statements by which Prisma's adapter begins and ends a transaction. */
const CONTROL = new Set(["BEGIN", "COMMIT", "ROLLBACK"]);

/** The connection of an open transaction as Prisma's adapter uses it: it does not end the transaction. */
function withoutTransactionControl(client: PoolClient): PoolClient {
  const transactionConnection = {
    on: () => undefined,
    removeListener: () => undefined,
    release: () => undefined,
    query: (query: QueryConfig) =>
      CONTROL.has(query.text)
        ? Promise.resolve({ fields: [], rows: [], rowCount: 0 })
        : client.query(query),
  };
  return transactionConnection as unknown as PoolClient;
}

function openPool(url: string, max: number, log: Log): ServerPool {
  const pool = new ServerPool({
    ...connectionOptions(url, "signalbox"),
    max,
    idleTimeoutMillis: 30_000,
    query_timeout: QUERY_MS,
    onConnect: async (client) => {
      await client.query(`${SESSION_SETTINGS}; SET statement_timeout = ${STATEMENT_MS}`);
    },
  });
  pool.on("error", (error) => log.warn({ err: error }, "lost a connection to the database"));
  return pool;
}
