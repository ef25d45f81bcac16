import fs from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { openLog } from "../../../src/core/log";
import { migrate } from "../../../src/platform/store/migrate";
import { embeddedConnection } from "../../../src/platform/store/migration-connection";
import { TWO_MIGRATIONS } from "./interrupted-migrations";

/** A process that migrates an embedded database and is killed while the second script writes to its files. */
async function main(dataDir: string): Promise<void> {
  const lite = await PGlite.create({ dataDir });
  const { exec, query } = embeddedConnection(lite);
  const { writeSync } = fs;
  let writing = false;
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    const written = writeSync(...args);
    if (writing) process.kill(process.pid, "SIGKILL");
    return written;
  }) as typeof writeSync;
  const connection = {
    exec: (sql: string) => {
      writing = sql === TWO_MIGRATIONS[1]?.script;
      return exec(sql);
    },
    query,
  };
  await migrate(connection, TWO_MIGRATIONS, openLog("silent"));
}

void main(process.argv[2] ?? "");
