import { openLog } from "../../../src/core/log";
import { migrate } from "../../../src/platform/store/migrate";
import { openServerConnection } from "../../../src/platform/store/migration-connection";
import { TWO_MIGRATIONS } from "./interrupted-migrations";

/** A process that migrates a PostgreSQL database as a node does, and stops at SIGTERM. */
async function main(url: string): Promise<void> {
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  const { connection, close } = await openServerConnection(url);
  try {
    await migrate(connection, TWO_MIGRATIONS, openLog("silent"), stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    await close();
  }
}

void main(process.argv[2] ?? "");
