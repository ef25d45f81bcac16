import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, freePort, Server } from "./binaries";
import { execute, unprivilegedUser } from "./postgres-server";

/** A connection pooler in front of a PostgreSQL server. */
export interface PgBouncer {
  /** URL of the database behind it. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer on a free port of the loopback address.
 * @param url database that its users reach, as the user of the URL
 * @param settings further lines of its configuration, such as `pool_mode = session`
 */
export async function startPgBouncer(url: string, settings: string[]): Promise<PgBouncer> {
  const program = findProgram("pgbouncer", "pgbouncer");
  const folder = await mkdtemp(join(tmpdir(), "signalbox-pgbouncer-"));
  const user = await unprivilegedUser();
  const port = await freePort();
  const { hostname, port: serverPort, username, pathname } = new URL(url);
  const configuration = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  await writeFile(users, `"${username}" ""\n`);
  await writeFile(
    configuration,
    [
      "[databases]",
      `* = host=${hostname} port=${serverPort}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      ...settings,
      "",
    ].join("\n"),
  );
  if (user) {
    for (const path of [folder, configuration, users]) await chown(path, user.uid, user.gid);
  }
  const server = Server.start(program, [configuration], user?.uid, user?.gid);
  const own = `postgresql://${username}@127.0.0.1:${port}${pathname}`;
  const stop = async () => {
    await server.stop("SIGQUIT");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.ready(() => execute(own, "SELECT 1"));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: own, stop };
}
