import { copyFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execute } from "../../../scripts/services/postgres-server";
import { sendCommand, startRedis } from "../../../scripts/services/redis-server";
import { Sealer } from "../../../src/core/sealer";
import { openMigrationConnection } from "../../../src/platform/store/migration-connection";
import { readMigrations } from "../../../src/platform/store/migrations";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { runCommand } from "../../support/cli/command-line";
import { about, NOWHERE, only } from "../../support/cli/doctor";
import { startNode } from "../../support/node";
import {
  describeEmbedded,
  describeServices,
  emptyFolder,
  type FreshDatabase,
  freshFolder,
  freshServices,
} from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";

/** `signalbox doctor` on databases and Redis while no server uses them. */

const databases: FreshDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove();
});

async function fresh(made: Promise<FreshDatabase>): Promise<Record<string, string>> {
  const database = await made;
  databases.push(database);
  return database.environment;
}

const QUIET = { ...FREE_PORTS, SIGNALBOX_URL: `http://${NOWHERE}` };
const runDoctor = (environment: Record<string, string>) =>
  runChecks({ environment: { ...QUIET, ...environment } });
const folderOf = async (made: Promise<FreshDatabase>) => (await fresh(made)).DATA_DIR ?? "";

describeEmbedded("the embedded database", () => {
  const runWith = (DATA_DIR: string) => runDoctor({ DATA_DIR });

  it("of a stopped server is opened and its secrets are decrypted", async () => {
    const DATA_DIR = await folderOf(freshFolder());
    const own = await startNode({ DATA_DIR, DATABASE_URL: "", REDIS_URL: "", SECRET_KEY: "" });
    const inUse = await runWith(DATA_DIR);
    expect(only(inUse, "database")).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(/No server answers/),
    });
    await own.stop();
    const findings = await runWith(DATA_DIR);
    expect(only(findings, "migrations").detail).toMatch(/^all \d+ are applied$/);
    expect(only(findings, "secret key").detail).toBe(
      "decrypts the secrets of 1 application and 0 push credentials",
    );
    expect(only(findings, "jobs").status).toBe("ok");
    expect(only(findings, "clock: database").status).toBe("ok");

    const key = join(DATA_DIR, "secret.key");
    await rename(key, `${key}.away`);
    expect(only(await runWith(DATA_DIR), "secret key")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/is missing/),
    });
    await expect(stat(key)).rejects.toThrow("ENOENT");
    await writeFile(key, Buffer.alloc(32, 1).toString("base64"));
    expect(only(await runWith(DATA_DIR), "secret key").detail).toMatch(
      /encrypted with another key/,
    );
    await rm(key);
    await copyFile(`${key}.away`, key);
    expect(only(await runWith(DATA_DIR), "secret key").status).toBe("ok");
  });

  it("is an error with a message if it is corrupt", async () => {
    const DATA_DIR = await folderOf(emptyFolder());
    await mkdir(join(DATA_DIR, "db"), { mode: 0o700 });
    await writeFile(join(DATA_DIR, "db/PG_VERSION"), "nothing of the kind");
    expect(only(await runWith(DATA_DIR), "database")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/cannot be opened/),
    });
  });

  it("is an error if it lacks a migration or comes from a newer version", async () => {
    const DATA_DIR = await folderOf(freshFolder());
    const last = (await readMigrations()).at(-1)?.name ?? "";
    const { connection, close } = await openMigrationConnection({ DATA_DIR } as never);
    await connection.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [last]);
    await close();
    expect(only(await runWith(DATA_DIR), "migrations")).toMatchObject({
      status: "error",
      detail: `not applied: ${last}`,
      fix: expect.stringMatching(/signalbox migrate/),
    });
    const again = await openMigrationConnection({ DATA_DIR } as never);
    await again.connection.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
        VALUES ('x', 'x', '29990101000000_later', now())`,
    );
    await again.close();
    const newer = only(await runWith(DATA_DIR), "migrations");
    expect([newer.status, newer.detail]).toEqual([
      "error",
      expect.stringMatching(/which this version does not know/),
    ]);
  });
});

describeServices("PostgreSQL", () => {
  it("is ok after use, with its key and its clock", async () => {
    const environment = await fresh(freshServices());
    await (await startNode({ ...environment, REDIS_URL: environment.REDIS_URL ?? "" })).stop();
    const findings = await runDoctor(environment);
    expect(only(findings, "database").detail).toMatch(/^PostgreSQL \d+/);
    for (const check of ["database", "migrations", "jobs", "secret key", "clock: database"]) {
      expect([check, only(findings, check).status]).toEqual([check, "ok"]);
    }
    const elsewhere = new Sealer([Buffer.alloc(32, 1)]).seal("{}", "push.fcm");
    const url = environment.DATABASE_URL ?? "";
    await execute(
      url,
      `INSERT INTO push_credentials (application_id, environment, service, settings, secret, updated_at)
        SELECT id, 'production', 'fcm', '{}', $1, now() FROM applications`,
      [elsewhere],
    );
    expect(only(await runDoctor(environment), "secret key").detail).toMatch(/with another key/);
    await execute(url, "DELETE FROM push_credentials");
    const other = await runDoctor({ ...environment, SECRET_KEY: "1".repeat(64) });
    expect(only(other, "secret key")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/encrypted with another key/),
    });
  });

  it("is a warning if it is empty, and an error if it belongs to another program", async () => {
    const environment = await fresh(freshServices("template0"));
    expect(only(await runDoctor(environment), "migrations")).toMatchObject({
      status: "warning",
      detail: "the database is empty",
    });
    await execute(environment.DATABASE_URL ?? "", "CREATE TABLE somebody_elses (id int)");
    expect(only(await runDoctor(environment), "migrations").status).toBe("error");
  });

  it("is an error if it is read-only or its encoding is not UTF-8", async () => {
    const environment = await fresh(freshServices("template0"));
    const url = environment.DATABASE_URL ?? "";
    const name = new URL(url).pathname.slice(1);
    await execute(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const readOnly = await runDoctor(environment);
    expect(only(readOnly, "database").detail).toMatch(/is read-only/);

    const server = url.replace(/[^/]*$/, "postgres");
    await execute(
      server,
      `CREATE DATABASE ${name}_narrow TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`,
    );
    const narrow = await runDoctor({ ...environment, DATABASE_URL: `${url}_narrow` });
    expect(only(narrow, "database")).toMatchObject({
      status: "error",
      detail: expect.stringMatching(/LATIN1/),
    });
    await execute(server, `DROP DATABASE ${name}_narrow`);
  });

  it("is an error if its user may not create the job queue or cannot connect", async () => {
    const environment = await fresh(freshServices());
    const url = environment.DATABASE_URL ?? "";
    const name = new URL(url).pathname.slice(1);
    const user = `${name}_user`;
    await execute(url, `CREATE ROLE ${user} LOGIN`);
    try {
      const as = (role: string) => ({
        ...environment,
        DATABASE_URL: url.replace("//postgres@", `//${role}@`),
      });
      await execute(url, "DROP SCHEMA pgboss CASCADE");
      await execute(url, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${user}`);
      const findings = await runDoctor(as(user));
      expect(only(findings, "jobs")).toMatchObject({
        status: "error",
        fix: expect.stringMatching(/^GRANT CREATE ON DATABASE/),
      });
      await execute(url, `GRANT CREATE ON DATABASE ${name} TO ${user}`);
      expect(only(await runDoctor(as(user)), "jobs").status).toBe("ok");
      expect(only(await runDoctor(as("nobody_of_the_name")), "database")).toMatchObject({
        status: "error",
        detail: expect.stringMatching(/cannot be reached: role/),
      });
    } finally {
      await execute(url, `DROP OWNED BY ${user}`);
      await execute(url, `DROP ROLE ${user}`);
    }
  });
});

describe("doctor --before-upgrade", () => {
  const upgrade = (environment: Record<string, string>) =>
    runCommand(["doctor", "--before-upgrade", "--json"], environment);

  describeServices("PostgreSQL", () => {
    it("lists what pending migrations lock while a node runs, and changes nothing", async () => {
      const environment = await fresh(freshServices());
      const node = await startNode({ ...environment, REDIS_URL: environment.REDIS_URL ?? "" });
      try {
        const url = environment.DATABASE_URL ?? "";
        const nothing = await upgrade(environment);
        expect(nothing.code).toBe(0);
        expect(JSON.parse(nothing.out)).toEqual({
          ok: true,
          checks: [{ check: "migrations", status: "ok", detail: "none is pending" }],
        });
        const name = "20261129000000_lost_calls";
        await execute(url, "DELETE FROM _prisma_migrations WHERE migration_name = $1", [name]);
        const { code, out } = await upgrade(environment);
        expect([code, JSON.parse(out).checks[1]]).toEqual([
          0,
          {
            check: "migrations",
            status: "ok",
            detail: expect.stringMatching(
              /^20261129000000_lost_calls: ALTER TABLE "calls" ADD COLUMN .* \(ACCESS EXCLUSIVE on calls, .*; CREATE INDEX .* \(SHARE on calls, /,
            ),
          },
        ]);
        const rows = await execute(
          url,
          "SELECT FROM _prisma_migrations WHERE migration_name = $1",
          [name],
        );
        expect(rows).toEqual([]);
      } finally {
        await node.stop();
      }
    });

    it("fails on a database that this version cannot migrate or reach", async () => {
      const environment = await fresh(freshServices("template0"));
      await execute(environment.DATABASE_URL ?? "", "CREATE TABLE somebody_elses (id int)");
      const { code, out } = await upgrade(environment);
      expect([code, out]).toEqual([1, expect.stringContaining("no migration history")]);
      const DATABASE_URL = "postgresql://user:hunter2@127.0.0.1:1/db";
      const away = await upgrade({ ...environment, DATABASE_URL });
      expect([away.code, away.out]).toEqual([1, expect.stringContaining("cannot be reached")]);
      expect(away.out).not.toContain("hunter2");
    });
  });

  describeEmbedded("the embedded database", () => {
    it("is looked at once its server has stopped", async () => {
      const { DATA_DIR = "" } = await fresh(freshFolder());
      const node = await startNode({ DATA_DIR, DATABASE_URL: "", REDIS_URL: "" });
      const inUse = await upgrade({ DATA_DIR });
      await node.stop();
      expect([inUse.code, inUse.out]).toEqual([
        0,
        expect.stringContaining("Stop the server first"),
      ]);
      const stopped = await upgrade({ DATA_DIR });
      expect([stopped.code, stopped.out]).toEqual([0, expect.stringContaining("none is pending")]);
    });
  });
});

describeServices("Redis", () => {
  it("is ok if it is persistent, and a warning if it can lose or evict data", async () => {
    const { DATA_DIR = "" } = await fresh(emptyFolder());
    const redis = await startRedis();
    const look = () => runDoctor({ DATA_DIR, REDIS_URL: `${redis.url}/3` });
    try {
      expect(about(await look(), "redis")).toMatchObject([
        { status: "warning", fix: expect.stringMatching(/appendonly yes/) },
      ]);
      await sendCommand(redis.port, "CONFIG SET appendonly yes");
      for (const often of ["everysec", "no"]) {
        await sendCommand(redis.port, `CONFIG SET appendfsync ${often}`);
        expect(only(await look(), "redis")).toMatchObject({
          status: "warning",
          detail: expect.stringContaining(`appendfsync ${often}`),
          fix: expect.stringMatching(/appendfsync always/),
        });
      }
      await sendCommand(redis.port, "CONFIG SET appendfsync always");
      await sendCommand(redis.port, "ACL SETUSER guest on >secret ~* &* +@all -config");
      const REDIS_URL = redis.url.replace("//", "//guest:secret@");
      expect(about(await runDoctor({ DATA_DIR, REDIS_URL }), "redis")).toMatchObject([
        { status: "ok", detail: expect.stringMatching(/^Redis \d+\./) },
        { status: "skipped", detail: expect.stringMatching(/CONFIG GET is refused/) },
      ]);
      const healthy = await look();
      expect(only(healthy, "redis")).toMatchObject({
        status: "ok",
        detail: expect.stringMatching(/^Redis \d+\./),
      });
      expect(only(healthy, "clock: redis").status).toBe("ok");
      const beyond = await runDoctor({ DATA_DIR, REDIS_URL: `${redis.url}/10001` });
      expect(only(beyond, "redis").detail).toMatch(/DB index is out of range/);
      await sendCommand(redis.port, "CONFIG SET maxmemory 100mb");
      expect(only(await look(), "redis")).toMatchObject({
        status: "warning",
        detail: expect.stringMatching(/INBOXES_BYTES/),
      });
      await sendCommand(redis.port, "CONFIG SET maxmemory 512mb");
      expect(only(await look(), "redis").status).toBe("ok");
      await sendCommand(redis.port, "CONFIG SET maxmemory-policy allkeys-lru");
      expect(about(await look(), "redis")).toMatchObject([
        { status: "warning", fix: expect.stringMatching(/noeviction/) },
      ]);
      await sendCommand(redis.port, `REPLICAOF 127.0.0.1 ${redis.port + 1}`);
      expect(about(await look(), "redis")).toContainEqual(
        expect.objectContaining({ status: "error", detail: expect.stringMatching(/replica/) }),
      );
      await sendCommand(redis.port, "CONFIG SET requirepass hunter2");
      const locked = await look();
      expect(only(locked, "redis")).toMatchObject({
        status: "error",
        detail: expect.stringMatching(/NOAUTH/),
      });
      const wrongPassword = await runDoctor({
        DATA_DIR,
        REDIS_URL: redis.url.replace("//", "//:hunter3@"),
      });
      expect(only(wrongPassword, "redis").detail).toMatch(/WRONGPASS|invalid/);
      expect(JSON.stringify(wrongPassword)).not.toContain("hunter");
    } finally {
      await redis.stop("SIGKILL");
    }
  });
});
