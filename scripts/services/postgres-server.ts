import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { findProgram, freePort, run, Server } from "./binaries";

/** A temporary PostgreSQL cluster for tests and benchmarks. */
export interface PostgresServer {
  /** URL of the maintenance database, as superuser. */
  url: string;
  /** Stops the server and keeps its data for `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

/** Options of {@link startPostgres}. */
export interface PostgresOptions {
  /** Folder of the programs initdb and postgres; by default those of the machine. */
  programs?: string;
  /** Files to add to the data folder, by name: certificates, or pg_hba.conf in place of its default. */
  files?: Record<string, string>;
  /** Settings of the server, for example `ssl=on`. */
  settings?: string[];
}

/** Creates and starts a cluster in a temporary folder, on a free port of the loopback address. */
export function startPostgres({
  programs,
  files = {},
  settings,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const program = (name: string) => (programs ? join(programs, name) : findProgram(name));
  return startCluster(
    async (folder, user) => {
      await run(
        program("initdb"),
        ["-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
        { ...user, cwd: folder },
      );
      for (const [name, text] of Object.entries(files)) {
        const path = join(folder, name);
        await writeFile(path, text, { mode: 0o600 });
        if (user) await chown(path, user.uid, user.gid);
      }
    },
    { postgres: program("postgres"), settings },
  );
}

/** Starts a standby that follows a cluster. `SELECT pg_promote()` makes it a primary. */
export function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  return startCluster((folder, user) =>
    run(
      findProgram("pg_basebackup"),
      ["-D", folder, "-d", primary.url, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
      { ...user, cwd: folder },
    ),
  );
}

/** Starts a cluster in a temporary folder that `fill` has filled as the given user. */
async function startCluster(
  fill: (folder: string, user: Awaited<ReturnType<typeof unprivilegedUser>>) => Promise<unknown>,
  { postgres = findProgram("postgres"), settings = [] as string[] } = {},
): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-postgres-"));
  const user = await unprivilegedUser();
  if (user) await chown(folder, user.uid, user.gid);
  try {
    await fill(folder, user);
    const port = await freePort();
    const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
    const args = [
      "-D",
      folder,
      "-p",
      String(port),
      "-k",
      folder,
      "-h",
      "127.0.0.1",
      "-c",
      "fsync=off",
      "-c",
      "full_page_writes=off",
      "-c",
      "synchronous_commit=off",
      // A time zone other than UTC reveals code that depends on the server's time zone.
      "-c",
      "timezone=Asia/Kolkata",
      "-c",
      "max_connections=200",
      ...settings.flatMap((setting) => ["-c", setting]),
    ];
    const start = async () => {
      const server = Server.start(postgres, args, user?.uid, user?.gid);
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

/** Runs statements on a database over a new connection. @returns the rows of the last statement */
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

/** The user of the PostgreSQL package, as whom poolers run too, if this process is root, because PostgreSQL refuses to run as root. */
export async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run("id", [flag, "postgres"])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}
