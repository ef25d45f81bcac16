import { execute, startPostgres } from "../../scripts/services/postgres-server";
import { startRedis } from "../../scripts/services/redis-server";
import { openLog } from "../../src/core/log";
import { migrate } from "../../src/store/migrate";
import { openServerConnection } from "../../src/store/migration-connection";
import { readMigrations } from "../../src/store/migrations";
import { RUNNING } from "./services";
import stopServices from "./services-teardown";
import setup from "./setup";

/** Jest's global setup with services: starts them, and creates the migrated template database. */
export default async function setupServices(): Promise<void> {
  await setup();
  // Jest skips the teardown if the setup fails or the run is interrupted.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stopServices().finally(() => process.exit(1)));
  }
  try {
    const postgres = await startPostgres();
    RUNNING.push(postgres);
    const redis = await startRedis();
    RUNNING.push(redis);
    const template = postgres.url.replace(/postgres$/, "signalbox_template");
    await execute(postgres.url, "CREATE DATABASE signalbox_template");
    const { connection, close } = await openServerConnection(template);
    await migrate(connection, await readMigrations(), openLog("silent"));
    await close();
    process.env.TEST_DATABASE_URL = postgres.url;
    process.env.TEST_REDIS_URL = redis.url;
  } catch (error) {
    await stopServices();
    throw error;
  }
}
