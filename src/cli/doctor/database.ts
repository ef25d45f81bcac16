import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openSealer, SECRET_KEY_FILE, verifySecrets } from "../../applications/secret-key";
import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { verifyCredentialSecrets } from "../../push/credentials/reseal-credentials";
import { explainConnectionError } from "../../store/connection";
import { errorMessage } from "../../store/error-properties";
import { FolderInUseError } from "../../store/folder-lock";
import { type DatabaseStatus, inspectDatabase, MIN_SERVER_VERSION } from "../../store/health-check";
import type { MigrationConnection } from "../../store/migrate";
import { openMigrationConnection } from "../../store/migration-connection";
import { checkClockOffset } from "./clock";
import {
  type CheckContext,
  type Finding,
  failure,
  ok,
  pluralize,
  skipped,
  warning,
} from "./finding";

const DATABASE = "database";
const MIGRATIONS = "migrations";
const JOBS = "jobs";
const KEY = "secret key";
const CLOCK = "clock: database";

/** Checks the database, its migrations, the job queue, the secret key, and the database's clock. */
export async function checkDatabase({ config, server }: CheckContext): Promise<Finding[]> {
  const embedded = config.DATABASE_URL === undefined;
  if (embedded && !existsSync(join(config.DATA_DIR, "db", "PG_VERSION"))) {
    return [
      ok(DATABASE, `embedded; the first start creates it in ${resolve(config.DATA_DIR)}`),
      skipped(MIGRATIONS, "there is no database yet"),
      skipped(KEY, "is created with the database"),
    ];
  }
  try {
    const { connection, close } = await openMigrationConnection(config);
    try {
      return await checkConnected(connection, config);
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof FolderInUseError) return findingsInUse(server, error);
    const refusal = explainConnectionError(error);
    const detail = errorMessage(refusal);
    const fix = embedded
      ? "Follow the message."
      : "Start PostgreSQL, or correct DATABASE_URL: host, port, user, password, name.";
    return [failure(DATABASE, detail, fix)];
  }
}

/** Another process holds the embedded database, so the findings come from the running server's state. */
function findingsInUse(
  { state, url }: CheckContext["server"],
  { message }: FolderInUseError,
): Finding[] {
  const atStart = "the running server verified it at its start";
  if (state === "ready") {
    return [
      ok(DATABASE, `embedded, in use by the server at ${url}, which is ready`),
      ok(MIGRATIONS, atStart),
      ok(KEY, atStart),
    ];
  }
  if (state === "not ready") {
    const detail = `embedded, in use by the server at ${url}, which is not ready`;
    return [failure(DATABASE, detail, "Check the server's log, and restart it.")];
  }
  const fix = "If that process is the server, set its address: --url or SIGNALBOX_URL.";
  return [warning(DATABASE, `${message} No server answers at ${url}.`, fix)];
}

async function checkConnected(connection: MigrationConnection, config: Config): Promise<Finding[]> {
  const facts = await inspectDatabase(connection, systemClock);
  return [
    ...checkPostgres(facts, config),
    ...checkMigrations(facts),
    await checkKey(connection, config, facts),
    checkClockOffset(CLOCK, "the database's clock", facts.clockAheadMs),
  ];
}

function checkPostgres(facts: DatabaseStatus, config: Config): Finding[] {
  const { version, versionNumber, encoding, readOnly, mayCreateTables, mayKeepJobs } = facts;
  const problems: Finding[] = [];
  if (versionNumber < MIN_SERVER_VERSION) {
    const detail = `PostgreSQL ${version} is too old`;
    problems.push(
      failure(DATABASE, detail, `Use PostgreSQL ${MIN_SERVER_VERSION / 10_000} or later.`),
    );
  }
  if (encoding !== "UTF8") {
    const detail = `its encoding is ${encoding}, which cannot hold every text`;
    problems.push(failure(DATABASE, detail, "Create one: CREATE DATABASE … ENCODING 'UTF8'."));
  }
  if (readOnly) {
    const detail = "it is read-only: a standby, or read-only by its settings";
    problems.push(failure(DATABASE, detail, "Point DATABASE_URL at the primary."));
  }
  if (!mayCreateTables && facts.pending.length > 0) {
    const detail = "its user may not create tables, which migrations need";
    problems.push(failure(DATABASE, detail, "GRANT CREATE ON SCHEMA public TO the user."));
  }
  if (!mayKeepJobs) {
    const detail = "the database's user may not create the schema pgboss of the job queue";
    problems.push(failure(JOBS, detail, "GRANT CREATE ON DATABASE … TO the user."));
  } else problems.push(ok(JOBS, "the job queue can be kept in the database"));
  if (problems.some(({ check }) => check === DATABASE)) return problems;
  const kind = config.DATABASE_URL === undefined ? "embedded, " : "";
  return [ok(DATABASE, `${kind}PostgreSQL ${version}`), ...problems];
}

function checkMigrations({ refusal, pending, migrationCount }: DatabaseStatus): Finding[] {
  if (refusal !== null) return [failure(MIGRATIONS, refusal, "Follow the message.")];
  if (pending.length === 0) return [ok(MIGRATIONS, `all ${migrationCount} are applied`)];
  const fix = "Run signalbox migrate, or start the server, which migrates as well.";
  if (pending.length === migrationCount) {
    return [warning(MIGRATIONS, "the database is empty", fix)];
  }
  return [failure(MIGRATIONS, `not applied: ${pending.join(", ")}`, fix)];
}

async function checkKey(
  connection: MigrationConnection,
  config: Config,
  { refusal, pending }: DatabaseStatus,
): Promise<Finding> {
  const path = join(config.DATA_DIR, SECRET_KEY_FILE);
  // Checked first, because openSealer creates a missing key.
  if (config.SECRET_KEY === undefined && !existsSync(path)) {
    const fix = "Restore the file from a backup of the folder.";
    return failure(KEY, `${path} is missing: secrets in the database cannot be read`, fix);
  }
  if (refusal !== null || pending.length > 0) {
    return skipped(KEY, "cannot be tested before every migration is applied");
  }
  const sealer = await openSealer(config);
  const query = <Row>({ text }: { text: string }, values: unknown[]) =>
    connection.query<Row>(text, values);
  try {
    const counts = [
      pluralize(await verifySecrets({ query }, sealer), "application"),
      pluralize(await verifyCredentialSecrets({ query }, sealer), "push credential"),
    ];
    return ok(KEY, `decrypts the secrets of ${counts.join(" and ")}`);
  } catch (error) {
    const fix = "Restore the SECRET_KEY (or secret.key) that they were encrypted with.";
    return failure(KEY, errorMessage(error), fix);
  }
}
