import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  execute,
  type PostgresServer,
  startPostgres,
} from "../../scripts/services/postgres-server";
import { openLog } from "../../src/core/log";
import { generateSelfSigned } from "../../src/core/tls/self-signed";
import { explainConnectionError } from "../../src/platform/store/connection";
import { migrateStore } from "../../src/platform/store/open";
import { runChecks } from "../../src/transports/cli/doctor/checks";
import { NOWHERE, only } from "../support/cli/doctor";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { describeServices, emptyFolder, freshRedis } from "../support/operations/database";
import { FREE_PORTS } from "../support/ports";
import { addDevice, payload, postEvent } from "../support/push/push";
import { RecordingProviders } from "../support/push/recording-provider";
import { newUser, signIn } from "../support/rest-client";

/**
 * PostgreSQL as managed services offer it: TLS with a certificate of their own authority, a password, and a role
 * without superuser.
 */

const log = openLog("silent");
const PASSWORD = "pa%20ss";
const ACCESS = `local all all trust
host all postgres 127.0.0.1/32 trust
hostssl all signalbox 127.0.0.1/32 scram-sha-256
`;

describeServices("a managed PostgreSQL", () => {
  let server: PostgresServer;
  let folder: string;
  /** File with the certificate of the server's authority. */
  let authority: string;
  beforeAll(async () => {
    const { cert, key } = await generateSelfSigned("db.example", Date.now());
    server = await startPostgres({
      files: { "server.crt": cert, "server.key": key, "pg_hba.conf": ACCESS },
      settings: ["ssl=on"],
    });
    folder = await mkdtemp(join(tmpdir(), "signalbox-managed-"));
    authority = join(folder, "authority.pem");
    await writeFile(authority, cert);
    await execute(server.url, "CREATE ROLE signalbox LOGIN PASSWORD 'pa ss'");
    await execute(server.url, "CREATE DATABASE app OWNER signalbox");
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (parameters: string) => {
    const { port } = new URL(server.url);
    return `postgresql://signalbox:${PASSWORD}@localhost:${port}/app${parameters}`;
  };
  const verified = () => `?sslmode=verify-full&sslrootcert=${authority}`;
  const configOf = (DATABASE_URL: string) => ({ DATA_DIR: folder, DATABASE_URL });

  test("serves a node whose role is no superuser, and every connection is encrypted", async () => {
    const database = await emptyFolder();
    const environment = {
      ...database.environment,
      SECRET_KEY: "0".repeat(64),
      DATABASE_URL: urlOf(verified()),
      REDIS_URL: await freshRedis(),
    };
    const providers = new RecordingProviders();
    const known = { environment } as Partial<TestNode> as TestNode;
    const parts = { pushProvider: providers.open, jobsPollMs: 100 };
    const node = await startNode({}, parts, known);
    try {
      const user = await newUser(node);
      await signIn(node, user);
      const device = await addDevice(node, user);
      await postEvent(node, user, {
        push_type: "gcm",
        message: payload({ data: { text: "Hello" } }),
        user: { ids: user.id },
      });
      await eventually(
        () => providers.tokens(),
        (tokens) => tokens.includes(device),
      );
      const connections = await execute(
        server.url,
        `SELECT DISTINCT s.ssl, r.rolsuper AS super FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
          JOIN pg_roles r ON r.oid = a.usesysid WHERE a.usename = 'signalbox'`,
      );
      expect(connections).toEqual([{ ssl: true, super: false }]);
      const extensions = await execute(
        server.url.replace(/postgres$/, "app"),
        "SELECT extname FROM pg_extension",
      );
      expect(extensions).toEqual([{ extname: "plpgsql" }]);
    } finally {
      await node.stop();
    }
    const quiet = { ...FREE_PORTS, SIGNALBOX_URL: `http://${NOWHERE}` };
    const findings = await runChecks({ environment: { ...quiet, ...environment } });
    for (const check of ["database", "migrations", "jobs", "secret key"]) {
      expect([check, only(findings, check).status]).toEqual([check, "ok"]);
    }
    await database.remove();
  });

  test.each([
    ["without TLS", () => urlOf(""), /no pg_hba.conf entry .* no encryption/],
    ["of an unknown authority", () => urlOf("?sslmode=require"), /sslrootcert=FILE/],
    [
      "with a file that is missing",
      () => urlOf("?sslmode=verify-full&sslrootcert=/nowhere.pem"),
      /cannot be reached: ENOENT.*nowhere\.pem/,
    ],
    [
      "at a socket that is missing",
      () => "postgresql://user@%2Fnowhere/app",
      /cannot be reached: connect ENOENT/,
    ],
    [
      "with another password",
      () => urlOf(verified()).replace(PASSWORD, "no"),
      /password authentication/,
    ],
  ])("%s is refused with the reason", async (_how, url, reason) => {
    const refused: unknown = await migrateStore(configOf(url()), log).catch((error) => error);
    expect(String(refused)).toMatch(reason);
    expect((refused as Error).name).toBe("UnusableDatabaseError");
    expect(String(refused)).not.toContain("pa ss");
  });

  test("is not blamed for another file that is missing", () => {
    const missing = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
    expect(explainConnectionError(missing)).toBe(missing);
  });

  test("whose certificate is refused is explained in the words of docs/OPERATIONS.md", async () => {
    const refused = await migrateStore(configOf(urlOf("?sslmode=require")), log).catch(String);
    const advice = String(refused).slice(String(refused).indexOf("Append sslmode"));
    const text = await readFile(join(__dirname, "../../docs/OPERATIONS.md"), "utf8");
    expect(text.replace(/\s+/g, " ")).toContain(advice);
  });

  test("can be used encrypted without verification, if the operator says so", async () => {
    for (const mode of ["sslmode=no-verify", "uselibpqcompat=true&sslmode=require"]) {
      const migrated = await migrateStore(configOf(urlOf(`?${mode}`)), log);
      expect(migrated.applied.length).toBeLessThan(100);
    }
  });
});
