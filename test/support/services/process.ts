import { execute, startPostgres } from "../../../scripts/services/postgres-server";
import { startRedis } from "../../../scripts/services/redis-server";
import { prepareDatabase } from "../prepared-database";

/**
 * The process of the services: starts PostgreSQL and Redis, creates the prepared template database, reports their URLs
 * as environment variables, and stops them when its parent disconnects or ends.
 */
const running: { stop(): Promise<void> }[] = [];

async function start(): Promise<void> {
  const postgres = await startPostgres({ programs: process.env.TEST_POSTGRES_PROGRAMS });
  running.push(postgres);
  const redis = await startRedis();
  running.push(redis);
  await execute(postgres.url, "CREATE DATABASE signalbox_template");
  await prepareDatabase({
    DATABASE_URL: postgres.url.replace(/postgres$/, "signalbox_template"),
    SECRET_KEY: "0".repeat(64),
  });
  if (process.connected)
    process.send?.({ TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url });
}

async function stop(code: number): Promise<void> {
  // What is still starting could not be stopped.
  await starting.catch(() => {});
  await Promise.all(running.splice(0).map((service) => service.stop()));
  process.exit(code);
}

// A terminal sends these to the parent as well, which disconnects once its tests have ended.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.once("disconnect", () => void stop(0));
const starting = start();
starting.catch((error) => {
  console.error(error);
  void stop(1);
});
