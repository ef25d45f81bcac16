import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { execute } from "../../../scripts/services/postgres-server";
import { REDIS_DATABASES, sendCommand } from "../../../scripts/services/redis-server";
import { embeddedTemplate } from "../template";

/** A database for a single test. */
export interface FreshDatabase {
  /** Environment variables with which the service uses it. */
  environment: Record<string, string>;
  /** Removes it; call it after the service has stopped. */
  remove(): Promise<void>;
}

/** Whether this run uses PostgreSQL and Redis. */
export const hasServices = process.env.TEST_SERVICES === "1";
/** Name of the database in test titles. */
export const DATABASE_NAME = hasServices ? "postgresql" : "embedded";
/** For tests that require PostgreSQL and Redis; `npm run test:services` runs them. */
export const describeServices = hasServices ? describe : describe.skip;
/** For tests of the embedded database. */
export const describeEmbedded = hasServices ? describe.skip : describe;

/**
 * Creates a migrated, empty database: on PostgreSQL with its own Redis database if this run uses services,
 * else a data folder of the embedded database.
 */
export function freshDatabase(): Promise<FreshDatabase> {
  return hasServices ? freshServices() : freshFolder();
}

/** A data folder with a copy of the migrated embedded database. */
export async function freshFolder(): Promise<FreshDatabase> {
  const template = await embeddedTemplate();
  const folder = await mkdtemp(join(tmpdir(), "signalbox-data-"));
  // Ten times faster than Node's fs.cp, which stats each of a thousand files.
  await promisify(execFile)("cp", ["-R", template, join(folder, "db")]);
  return {
    environment: { DATA_DIR: folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** An empty data folder. */
export async function emptyFolder(): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-data-"));
  return {
    environment: { DATA_DIR: folder },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Creates a PostgreSQL database and a Redis database.
 * @param template database to copy: the migrated one, or `template0` for an empty one
 */
export async function freshServices(template = "signalbox_template"): Promise<FreshDatabase> {
  const server = databaseUrl("postgres");
  const name = `signalbox_${randomBytes(6).toString("hex")}`;
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const { environment, remove } = await emptyFolder();
  return {
    environment: {
      ...environment,
      SECRET_KEY: "0".repeat(64),
      DATABASE_URL: databaseUrl(name),
      REDIS_URL: await freshRedis(),
      // Nothing listens there: mail can be requested, but is not sent.
      SMTP_URL: "smtp://127.0.0.1:9",
    },
    remove: async () => {
      await remove();
      await execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** URL of a database of the PostgreSQL server of this run. */
export function databaseUrl(name: string): string {
  return serviceUrl("TEST_DATABASE_URL").replace(/postgres$/, name);
}

/** URL of a Redis database that no other test uses. */
export async function freshRedis(): Promise<string> {
  const server = new URL(serviceUrl("TEST_REDIS_URL"));
  const count = Number((await sendCommand(Number(server.port), "INCR signalbox-tests")).slice(1));
  // Database 0 holds the count.
  return `redis://${server.host}/${1 + (count % (REDIS_DATABASES - 1))}`;
}

function serviceUrl(name: string): string {
  const url = process.env[name];
  if (!url) throw new Error(`${name} is not set: run npm run test:services`);
  return url;
}
