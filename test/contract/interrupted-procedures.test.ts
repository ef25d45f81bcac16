import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verify } from "@node-rs/argon2";
import { readConfig } from "../../src/core/config";
import { openLog } from "../../src/core/log";
import { newKey } from "../../src/core/random";
import { Sealer } from "../../src/core/sealer";
import {
  completeDeletion,
  deleteApplicationWithUsers,
} from "../../src/domain/applications/application-deletion";
import type { ApplicationDeletion } from "../../src/domain/applications/application-deps";
import { bootstrap, type DeploymentEndpoints } from "../../src/domain/applications/bootstrap";
import { openSealer, resealSecrets, verifySecrets } from "../../src/domain/applications/secret-key";
import { sealSettings } from "../../src/domain/applications/settings";
import {
  resealCredentials,
  verifyCredentialSecrets,
} from "../../src/domain/push/credentials/reseal-credentials";
import { purposeOf } from "../../src/domain/push/credentials/sealed-credentials";
import { removeUsers } from "../../src/domain/users/user-data";
import { openStore } from "../../src/platform/store/open";
import type { Store } from "../../src/platform/store/store";
import { openTestModules, type TestModules } from "../support/auth-modules";
import { DATABASE_NAME, type FreshDatabase, freshDatabase } from "../support/operations/database";
import { afterEachStep, EndingProcess } from "../support/operations/ending-process";

/**
 * Procedures of several transactions or files, whose process ends after any step: the next start completes them, and
 * nothing is recorded of what has not happened.
 */

const log = openLog("silent");
let database: FreshDatabase;
let store: Store;
let modules: TestModules;
const sealer = new Sealer([newKey()]);

beforeAll(async () => {
  database = await freshDatabase();
  const config = readConfig({ LOG_LEVEL: "silent", ...database.environment });
  store = await openStore({ config, log, isNode: true });
  modules = await openTestModules({ config, store, sealer });
});
afterAll(async () => {
  await modules.close();
  await store.close();
  await database.remove();
});
beforeEach(() => sql("DELETE FROM accounts"));

const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  store.query<Row>({ name: "test", text }, values);
const count = async (table: string) =>
  (await sql<{ count: number }>(`SELECT count(*) FROM ${table}`))[0]?.count;

/** Inserts an account with an application. */
async function newApplication(authSecret = "secret", settings = {}): Promise<ApplicationDeletion> {
  const [row] = await sql<ApplicationDeletion>(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at)
        VALUES ('a', gen_random_uuid()::text, now()) RETURNING id)
      INSERT INTO applications (account_id, name, auth_key, auth_secret, settings, web_origins, updated_at)
        SELECT id, 'x', gen_random_uuid()::text, $1, $2::text::jsonb, '{}', now() FROM a
      RETURNING account_id AS "accountId", id AS "applicationId"`,
    [authSecret, JSON.stringify(settings)],
  );
  return row!;
}

/** Inserts users, who all take part in one call. @returns the id of the first one */
async function newUsers(applicationId: number, number: number): Promise<number> {
  const rows = await sql<{ id: number }>(
    `INSERT INTO users (application_id, login, login_key, updated_at)
      SELECT $1, 'u' || n, 'u' || n, now() FROM generate_series(1, $2::int) AS n RETURNING id`,
    [applicationId, number],
  );
  await sql(
    `WITH c AS (INSERT INTO calls (application_id, session_id, caller_id)
        VALUES ($1, 'call', $2) RETURNING id)
      INSERT INTO call_participants (call_id, user_id, session_id, rang_at)
        SELECT c.id, u.id, 'call', now() FROM c, users u WHERE u.application_id = $1`,
    [applicationId, rows[0]?.id],
  );
  return rows[0]?.id ?? 0;
}

describe(`a process that ends on the ${DATABASE_NAME} database`, () => {
  test("while it encrypts secrets under a new key, leaves secrets that the next start moves to it", async () => {
    const [old, fresh] = [newKey(), newKey()];
    const [before, both, after] = [
      new Sealer([old]),
      new Sealer([fresh, old]),
      new Sealer([fresh]),
    ];
    for (const name of ["one", "two"]) {
      const settings = sealSettings({ facebook: { appId: "1", appSecret: name } }, before);
      const secret = before.seal(name, "auth_secret");
      const { applicationId } = await newApplication(secret, settings);
      await sql(
        `INSERT INTO push_credentials (application_id, environment, service, secret, settings, updated_at)
          VALUES ($1, 'production', 'fcm', $2, '{}', now())`,
        [applicationId, before.seal(name, purposeOf("fcm"))],
      );
    }
    const reseal = async (through: Store, keys: Sealer) => {
      await resealSecrets(through, keys);
      await resealCredentials(through, keys);
    };
    const steps = await afterEachStep(async (lastStep) => {
      await reseal(store, new Sealer([old, fresh]));
      const ending = new EndingProcess(lastStep);
      await reseal(ending.store(store), both).catch(() => undefined);
      // Nodes with both keys start at any time.
      expect(await verifySecrets(store, both)).toBe(2);
      await reseal(store, both);
      expect(await verifySecrets(store, after)).toBe(2);
      expect(await verifyCredentialSecrets(store, after)).toBe(2);
      return ending;
    });
    expect(steps).toBeGreaterThanOrEqual(8);
  });

  test("while it deletes an application, leaves nothing of it once the job has run, or has changed nothing", async () => {
    const steps = await afterEachStep(async (lastStep) => {
      const deletion = await newApplication();
      // Two windows.
      await newUsers(deletion.applicationId, 501);
      const ending = new EndingProcess(lastStep);
      const jobs: ApplicationDeletion[] = [];
      const enqueueDeletion = (job: ApplicationDeletion) =>
        ending.run(async () => void jobs.push(job));
      const { applications } = modules;
      const through = { ...applications, store: ending.store(store), enqueueDeletion };
      await deleteApplicationWithUsers(through, deletion).catch(() => undefined);
      if (jobs.length === 0)
        expect([await count("users"), await count("applications")]).toEqual([501, 1]);
      for (const job of jobs) await completeDeletion(applications, job);
      const left = [await count("users"), await count("calls"), await count("applications")];
      expect({ lastStep, left }).toEqual({
        lastStep,
        left: lastStep === 0 ? [501, 1, 1] : [0, 0, 0],
      });
      await sql("DELETE FROM accounts");
      return ending;
    });
    expect(steps).toBeGreaterThanOrEqual(15);
  });

  test("while it erases a user, leaves the user with all its data, or without any", async () => {
    const { applicationId } = await newApplication();
    const steps = await afterEachStep(async (lastStep) => {
      const userId = await newUsers(applicationId, 1);
      const ending = new EndingProcess(lastStep);
      const through = { ...modules.users, store: ending.store(store) };
      await removeUsers(through, [userId]).catch(() => undefined);
      const left = [await count("users"), await count("calls"), await count("call_participants")];
      expect(new Set(left).size).toBe(1);
      await removeUsers(modules.users, [userId]);
      expect([await count("users"), await count("calls")]).toEqual([0, 0]);
      return ending;
    });
    expect(steps).toBeGreaterThanOrEqual(6);
  });

  describe("while it creates the first account", () => {
    const addresses = { base_url: "http://one" } as DeploymentEndpoints;
    let folders: string[] = [];
    const folder = async () => {
      const path = await mkdtemp(join(tmpdir(), "signalbox-bootstrap-"));
      folders.push(path);
      return path;
    };
    afterEach(async () => {
      for (const path of folders) await rm(path, { recursive: true });
      folders = [];
    });

    const read = async (path: string, name: string) =>
      JSON.parse(await readFile(join(path, name), "utf8"));

    /** Expects the files of a folder to hold the credentials in the database. */
    async function expectCredentials(path: string): Promise<void> {
      expect((await readdir(path)).sort()).toEqual(["credentials.json", "owner.json"]);
      const [owner, credentials] = [
        await read(path, "owner.json"),
        await read(path, "credentials.json"),
      ];
      const [member] = await sql<{ password_hash: string }>(
        "SELECT password_hash FROM account_members",
      );
      expect(await verify(member?.password_hash ?? "", owner.password)).toBe(true);
      const applications = await sql<{ auth_key: string; auth_secret: string }>(
        "SELECT auth_key, auth_secret FROM applications",
      );
      expect(
        applications.map((row) => [row.auth_key, sealer.open(row.auth_secret, "auth_secret")]),
      ).toEqual([[credentials.auth_key, credentials.auth_secret]]);
    }

    test("leaves an account whose credentials the next start writes, or none", async () => {
      const steps = await afterEachStep(async (lastStep) => {
        const path = await folder();
        const ending = new EndingProcess(lastStep);
        await bootstrap(ending.store(store), sealer, path, addresses).catch(() => undefined);
        await bootstrap(store, sealer, path, addresses);
        await expectCredentials(path);
        await sql("DELETE FROM accounts");
        return ending;
      });
      expect(steps).toBeGreaterThanOrEqual(6);
    });

    test("and another node creates it first, keeps no credentials that do not exist", async () => {
      await afterEachStep(async (lastStep) => {
        const [path, other] = [await folder(), await folder()];
        const ending = new EndingProcess(lastStep);
        await bootstrap(ending.store(store), sealer, path, addresses).catch(() => undefined);
        const created = await bootstrap(store, sealer, other, addresses);
        await bootstrap(store, sealer, path, addresses);
        await expectCredentials(created ? other : path);
        expect(await readdir(created ? path : other)).toEqual([]);
        await sql("DELETE FROM accounts");
        return ending;
      });
    });

    test("between its files, writes the others at the next start", async () => {
      const path = await folder();
      for (let step = 1; !existsSync(join(path, "first-account.json")); step++) {
        await sql("DELETE FROM accounts");
        const next = new EndingProcess(step);
        await bootstrap(next.store(store), sealer, path, addresses).catch(() => undefined);
        if ((await count("accounts")) === 0)
          await rm(join(path, "first-account.json"), { force: true });
      }
      const draft = await readFile(join(path, "first-account.json"));
      await bootstrap(store, sealer, path, addresses);
      await rm(join(path, "credentials.json"));
      await writeFile(join(path, "first-account.json"), draft);
      await bootstrap(store, sealer, path, addresses);
      await expectCredentials(path);
    });

    test("leaves no key file, or one with a key: an empty one of an earlier version is replaced", async () => {
      const path = await folder();
      await writeFile(join(path, "secret.key"), "");
      const config = { SECRET_KEY: undefined, DATA_DIR: path };
      const sealed = (await openSealer(config)).seal("text", "auth_secret");
      expect((await openSealer(config)).open(sealed, "auth_secret")).toBe("text");
      expect(await readdir(path)).toEqual(["secret.key"]);
    });
  });
});
