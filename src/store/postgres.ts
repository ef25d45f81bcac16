import { PrismaPg } from "@prisma/adapter-pg";
import { Pool, type PoolClient, type QueryResult, types } from "pg";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import { connectionOptions, explainConnectionError, SESSION_SETTINGS } from "./connection";
import { PrismaClient } from "./generated/client";
import { migrate } from "./migrate";
import { openServerConnection } from "./migration-connection";
import { readMigrations } from "./migrations";
import { lockNode, type NodeLock } from "./node-lock";
import { toQueryError } from "./query-error";
import { StatementNames } from "./statement-names";
import { type Statement, type Store, TRANSACTION_OPTIONS, type Transaction } from "./store";
import { parseTimestamp, TIMESTAMPTZ_OID } from "./timestamps";

/** Statement timeout of the server, in milliseconds. */
const STATEMENT_MS = 30_000;
/**
 * Query timeout of the client, in milliseconds: longer, so that it only applies if the server does not
 * respond.
 */
const QUERY_MS = 35_000;

const INT8 = 20;
const INT8_ARRAY = 1016;

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
}

/**
 * Opens and migrates the store on a PostgreSQL server.
 * @throws UnusableDatabaseError if the service must not start on this database
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { config, url, log, isNode, onLockLost } = options;
  let lock: NodeLock | undefined;
  try {
    if (isNode) {
      lock = await lockNode({ url, exclusive: config.REDIS_URL === undefined, log, onLockLost });
    }
    await migrateServer(url, log);
  } catch (error) {
    await lock?.release();
    throw explainConnectionError(error);
  }
  const pool = openPool(url, config.DATABASE_POOL, log);
  const prismaNames = new StatementNames();
  const db = new PrismaClient({
    adapter: new PrismaPg(pool, {
      statementNameGenerator: ({ sql }) => prismaNames.nameFor({ name: "prisma", text: sql }) ?? "",
    }),
    errorFormat: "minimal",
    transactionOptions: TRANSACTION_OPTIONS,
  });
  const names = new StatementNames();
  // The pool discards a connection whose query failed, and with it any open transaction.
  const { query, execute } = statementsOn(pool, names, log);

  return {
    kind: "postgresql",
    db,
    query,
    execute,
    transaction: (act) =>
      inTransaction(pool, (client) => act(statementsOn(client, names, log)), log),
    check: async () => {
      await query({ name: "check", text: "SELECT 1" }, []);
    },
    close: async () => {
      await db.$disconnect();
      await pool.end();
      await lock?.release();
    },
  };
}

/** Runs statements on the pool, or on the connection of a transaction. */
function statementsOn(connection: Pool | PoolClient, names: StatementNames, log: Log): Transaction {
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
        throw toQueryError(error, log);
      }
    },

    async execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
      try {
        const result: QueryResult | QueryResult[] = await connection.query(text, values);
        const last = Array.isArray(result) ? result.at(-1) : result;
        return { rows: last?.rows ?? [] };
      } catch (error) {
        throw toQueryError(error, log);
      }
    },
  };
}

async function inTransaction<T>(
  pool: Pool,
  act: (client: PoolClient) => Promise<T>,
  log: Log,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toQueryError(error, log);
  });
  try {
    await client.query("BEGIN").catch((error: unknown) => {
      throw toQueryError(error, log);
    });
    const result = await act(client);
    await client.query("COMMIT").catch((error: unknown) => {
      throw toQueryError(error, log);
    });
    client.release();
    return result;
  } catch (error) {
    // Discards the connection, so that the server rolls back the open transaction.
    client.release(true);
    throw error;
  }
}

function openPool(url: string, max: number, log: Log): Pool {
  const pool = new Pool({
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

/**
 * Migrates the database on a PostgreSQL server.
 * @returns the names of the migrations that were applied
 * @throws UnusableDatabaseError if the server cannot be reached, or a migration must not run
 */
export async function migrateServer(url: string, log: Log): Promise<string[]> {
  try {
    const { connection, close } = await openServerConnection(url);
    try {
      return await migrate(connection, await readMigrations(), log);
    } finally {
      await close();
    }
  } catch (error) {
    throw explainConnectionError(error);
  }
}
