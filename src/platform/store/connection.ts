import { AsyncLocalStorage } from "node:async_hooks";
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from "pg";
import { monotonicNow } from "../../core/clock";
import { isUnreachable, isUntrusted } from "./database-errors";
import { errorMessage, stringPropertyOf } from "./error-properties";
import { UnusableDatabaseError } from "./unusable-database-error";

/** Timeout to connect, or to get a free connection from the pool, in milliseconds. */
const CONNECT_MS = 5_000;

/** Age of the youngest connection that `retire` retires, in milliseconds: bounds how often the pool connects again. */
const RETIRED_AGE_MS = 1_000;

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

/**
 * Opens a connection outside of the pool. An error while it is idle ends it and emits `end`.
 * @param queryMs timeout of a query, in milliseconds; none when omitted
 * @throws UnusableDatabaseError if a file that the URL names cannot be read; the driver's error
 */
export async function connect(url: string, name: string, queryMs?: number): Promise<Client> {
  const client = await openClient({ ...connectionOptions(url, name), query_timeout: queryMs });
  await client.query(SESSION_SETTINGS);
  return client;
}

/** The client reads the files that the URL names when it is made, and opens a Unix socket when it connects. */
async function openClient(options: ClientConfig): Promise<Client> {
  try {
    const client = new Client(options);
    client.on("error", () => {});
    await client.connect();
    return client;
  } catch (error) {
    if (!UNREADABLE.has(stringPropertyOf(error, "code") ?? "")) throw error;
    throw unreachableError(error);
  }
}

/**
 * Explains why the first connection failed.
 * @returns an UnusableDatabaseError with the reason; any other error unchanged
 */
export function explainConnectionError(error: unknown): unknown {
  if (error instanceof UnusableDatabaseError) return error;
  const code = stringPropertyOf(error, "code") ?? "";
  if (!isUnreachable(error) && !ACCESS_DENIED.test(code)) return error;
  return unreachableError(error);
}

function unreachableError(cause: unknown): UnusableDatabaseError {
  const hint = isUntrusted(cause) ? `. ${TRUST}` : "";
  return new UnusableDatabaseError(
    `PostgreSQL (DATABASE_URL) cannot be reached: ${errorMessage(cause)}${hint}`,
    { cause },
  );
}

/** What helps against a certificate that is not trusted. docs/OPERATIONS.md has the same sentence. */
const TRUST =
  "Append sslmode=verify-full&sslrootcert=FILE to DATABASE_URL, where FILE has the certificate of the server's authority, and use the host's name that its certificate has.";

/** Codes of a file of sslrootcert, sslcert or sslkey, or of a socket, that cannot be read. */
const UNREADABLE: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EISDIR"]);

/** SQLSTATE: class 28, invalid authorization; 3D000, the database does not exist. */
const ACCESS_DENIED = /^(28...|3D000)$/;

/**
 * A pool that can leave its server, and from which Prisma gets the open connection within a transaction's scope.
 */
export class ServerPool extends Pool {
  readonly transactionScope = new AsyncLocalStorage<PoolClient>();
  /** When each connection was opened, by the monotonic clock. */
  private readonly openedAt = new WeakMap<PoolClient, number>();
  private retiredBefore = Number.NEGATIVE_INFINITY;

  constructor(options: PoolConfig) {
    super(options);
    this.on("connect", (client) => this.openedAt.set(client, monotonicNow()));
  }

  /**
   * Retires every connection that is older than a second: none is used again after its current use. New ones look the
   * address up again.
   */
  retire(): void {
    this.retiredBefore = monotonicNow() - RETIRED_AGE_MS;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Parameters<Pool["connect"]>[0]): void;
  override connect(callback?: Parameters<Pool["connect"]>[0]): Promise<PoolClient> | undefined {
    if (callback === undefined) {
      const transactionConnection = this.transactionScope.getStore();
      return transactionConnection === undefined
        ? this.connectCurrent()
        : Promise.resolve(transactionConnection);
    }
    super.connect((error, client, release) => {
      if (client === undefined || !this.isRetired(client)) return callback(error, client, release);
      release(true);
      this.connect(callback);
    });
    return undefined;
  }

  private async connectCurrent(): Promise<PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (!this.isRetired(client)) return client;
      client.release(true);
    }
  }

  private isRetired(client: PoolClient): boolean {
    return (this.openedAt.get(client) ?? 0) < this.retiredBefore;
  }
}
