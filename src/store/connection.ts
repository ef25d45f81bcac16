import { Client, type ClientConfig } from "pg";
import { isUnreachable } from "./database-errors";
import { errorMessage, stringPropertyOf } from "./error-properties";
import { UnusableDatabaseError } from "./unusable-database-error";

/** Timeout to connect, or to get a free connection from the pool, in milliseconds. */
const CONNECT_MS = 5_000;

/**
 * Settings of every connection. Prisma's adapter writes and reads dates without an offset, so the session
 * must use UTC, whatever the time zone of the server.
 */
export const SESSION_SETTINGS = "SET TIME ZONE 'UTC'";

/** Options of a PostgreSQL connection; pg_stat_activity shows the name. */
export function connectionOptions(url: string, name: string): ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Opens a connection outside of the pool. An error while it is idle ends it and emits `end`. */
export async function connect(url: string, name: string): Promise<Client> {
  const client = new Client(connectionOptions(url, name));
  client.on("error", () => {});
  await client.connect();
  await client.query(SESSION_SETTINGS);
  return client;
}

/**
 * Explains why the first connection failed.
 * @returns an UnusableDatabaseError with the reason; any other error unchanged
 */
export function explainConnectionError(error: unknown): unknown {
  if (error instanceof UnusableDatabaseError) return error;
  const code = stringPropertyOf(error, "code") ?? "";
  if (!isUnreachable(error) && !ACCESS_DENIED.test(code)) return error;
  return new UnusableDatabaseError(
    `PostgreSQL (DATABASE_URL) cannot be reached: ${errorMessage(error)}`,
    {
      cause: error,
    },
  );
}

/** SQLSTATE: class 28, invalid authorization; 3D000, the database does not exist. */
const ACCESS_DENIED = /^(28...|3D000)$/;
