import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { findProgram, freePort, run, Server } from "./binaries";

/** A throw-away PostgreSQL cluster, of a test run or a measurement. */
export interface PostgresServer {
  /** Address of the maintenance database, of a superuser. */
  url: string;
  /** Ends the server and keeps its data, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** Makes and starts a cluster in a temporary folder on a free port of the loopback address. */
export async function startPostgres(): Promise<PostgresServer> {
  const initdb = findProgram("initdb");
  const postgres = findProgram("postgres");
  const folder = await mkdtemp(join(tmpdir(), "signalbox-postgres-"));
  const user = await ordinaryUser();
  if (user) await chown(folder, user.uid, user.gid);
  try {
    await run(
      initdb,
      ["-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
      { ...user, cwd: folder },
    );
    const port = await freePort();
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    const words = [
      ...["-D", folder, "-p", String(port), "-k", folder, "-h", "127.0.0.1"],
      ...["-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off"],
      // A server elsewhere than UTC shows whoever relies on its time zone.
      ...["-c", "timezone=Asia/Kolkata", "-c", "max_connections=200"],
    ];
    const start = async () => {
      const server = Server.start(postgres, words, user?.uid, user?.gid);
      try {
        await server.ready(() => execute(url, "SELECT 1"));
      } catch (error) {
        await server.stop();
        throw error;
      }
      return server;
    };
    let server = await start();
    return {
      url,
      pause: () => server.stop(),
      resume: async () => {
        server = await start();
      },
      stop: async () => {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Runs statements on a database, over a connection that ends with them; answers the last rows. */
export async function execute(url: string, sql: string, values?: unknown[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL does not run as root; then it runs as the user that its package makes. */
async function ordinaryUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run("id", [flag, "postgres"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}
