import { PrismaPg } from "@prisma/adapter-pg";
import { Pool, type PoolClient, type QueryResult, types } from "pg";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import { connectionOptions, connectionRefusal, SESSION } from "./connection";
import { queryFailure } from "./failure";
import { PrismaClient } from "./generated/client";
import { migrate } from "./migrate";
import { serverConnection } from "./migration-connection";
import { readMigrations } from "./migrations";
import { lockNode, type NodeLock } from "./node-lock";
import { StatementNames } from "./statement-names";
import { type Statement, type Store, TRANSACTIONS, type Transaction } from "./store";
import { readTime, TIMESTAMPTZ } from "./time";

/** The server ends a statement after 30 s; a little later the client gives up on a silent server. */
const STATEMENT_MS = 30_000;
const SILENCE_MS = 35_000;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** How `query` reads columns; given with each query, so that Prisma's own reading is left alone. */
const READERS = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format === "binary") return types.getTypeParser(oid, format);
    if (oid === INT8) return Number;
    if (oid === INT8_ARRAY) return readIntegers;
    if (oid === TIMESTAMPTZ) return readTime;
    return types.getTypeParser(oid, "text");
  },
};

/** An array of int8 in PostgreSQL's text form, of one dimension: digits, signs, commas and NULL. */
function readIntegers(text: string): (number | null)[] {
  const inside = text.slice(1, -1);
  if (inside === "") return [];
  return inside.split(",").map((part) => (part === "NULL" ? null : Number(part)));
}

/** What {@link openPostgres} needs. */
export interface PostgresOptions {
  config: Pick<Config, "DATABASE_POOL" | "REDIS_URL">;
  url: string;
  log: Log;
  /** Whether to hold the lock of the nodes; a tool does not. */
  exclusive: boolean;
  onLost?: (reason: string) => void;
}

/**
 * Opens the store on a PostgreSQL server, and migrates it.
 * @throws Refusal when the service must not start on this database
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { config, url, log, exclusive, onLost } = options;
  let lock: NodeLock | undefined;
  try {
    const lone = config.REDIS_URL === undefined;
    if (exclusive) lock = await lockNode({ url, lone, log, onLost });
    await migrateServer(url, log);
  } catch (error) {
    await lock?.release();
    throw connectionRefusal(error);
  }
  const pool = openPool(url, config.DATABASE_POOL, log);
  const prismaNames = new StatementNames();
  const db = new PrismaClient({
    adapter: new PrismaPg(pool, {
      statementNameGenerator: ({ sql }) => prismaNames.of({ name: "prisma", text: sql }) ?? "",
    }),
    errorFormat: "minimal",
    transactionOptions: TRANSACTIONS,
  });
  const names = new StatementNames();
  // The pool parts with a connection whose query failed, and so with a transaction left open.
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

/** Runs statements on the pool, or on the one connection that a transaction has. */
function statementsOn(on: Pool | PoolClient, names: StatementNames, log: Log): Transaction {
  return {
    async query<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
      try {
        const result = await on.query({
          name: names.of(statement),
          text: statement.text,
          values,
          types: READERS,
        });
        return result.rows as Row[];
      } catch (error) {
        throw queryFailure(error, log);
      }
    },

    async execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
      try {
        const result: QueryResult | QueryResult[] = await on.query(text, values);
        const last = Array.isArray(result) ? result.at(-1) : result;
        return { rows: last?.rows ?? [] };
      } catch (error) {
        throw queryFailure(error, log);
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
    throw queryFailure(error, log);
  });
  try {
    await client.query("BEGIN").catch((error: unknown) => {
      throw queryFailure(error, log);
    });
    const answer = await act(client);
    await client.query("COMMIT").catch((error: unknown) => {
      throw queryFailure(error, log);
    });
    client.release();
    return answer;
  } catch (error) {
    // The connection is parted with, and the server takes back what was open on it.
    client.release(true);
    throw error;
  }
}

function openPool(url: string, max: number, log: Log): Pool {
  const pool = new Pool({
    ...connectionOptions(url, "signalbox"),
    max,
    idleTimeoutMillis: 30_000,
    query_timeout: SILENCE_MS,
    onConnect: async (client) => {
      await client.query(`${SESSION}; SET statement_timeout = ${STATEMENT_MS}`);
    },
  });
  pool.on("error", (error) => log.warn({ err: error }, "a connection to the database was lost"));
  return pool;
}

/**
 * Migrates the database on a PostgreSQL server.
 * @returns the names of the migrations that ran now
 * @throws Refusal when the server cannot be reached, or a migration must not run
 */
export async function migrateServer(url: string, log: Log): Promise<string[]> {
  try {
    const { connection, close } = await serverConnection(url);
    try {
      return await migrate(connection, await readMigrations(), log);
    } finally {
      await close();
    }
  } catch (error) {
    throw connectionRefusal(error);
  }
}
