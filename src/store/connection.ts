import { Client, type ClientConfig } from "pg";
import { unreachable } from "./conflicts";
import { messageOf, textOf } from "./error-parts";
import { Refusal } from "./refusal";

/** Milliseconds until an attempt to connect, or to get a free connection of the pool, is given up. */
const CONNECT_MS = 5_000;

/**
 * What every connection sets first. Prisma's adapter writes and reads dates without their offset, so
 * the session's time zone has to be UTC, whatever the server's is.
 */
export const SESSION = "SET TIME ZONE 'UTC'";

/** Options of any connection to PostgreSQL; the name shows in pg_stat_activity. */
export function connectionOptions(url: string, name: string): ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Opens a connection beside the pool. Errors of an idle connection end it and are told by `end`. */
export async function connect(url: string, name: string): Promise<Client> {
  const client = new Client(connectionOptions(url, name));
  client.on("error", () => {});
  await client.connect();
  await client.query(SESSION);
  return client;
}

/**
 * Says why a first connection failed.
 * @returns a Refusal that names the reason; the error itself when it is of another kind
 */
export function connectionRefusal(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const code = textOf(error, "code") ?? "";
  if (!unreachable(error) && !REFUSED.test(code)) return error;
  return new Refusal(`PostgreSQL (DATABASE_URL) cannot be reached: ${messageOf(error)}`, {
    cause: error,
  });
}

/** SQLSTATE: not allowed in, no such database. */
const REFUSED = /^(28...|3D000)$/;
