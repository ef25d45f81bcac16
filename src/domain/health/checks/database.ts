import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { explainConnectionError } from "../../../platform/store/connection";
import { isDiskFull } from "../../../platform/store/database-errors";
import { errorMessage } from "../../../platform/store/error-properties";
import { FolderInUseError } from "../../../platform/store/folder-lock";
import {
  type DatabaseStatus,
  inspectDatabase,
  MIN_SERVER_VERSION,
  poolerRefusal,
  READ_ONLY,
} from "../../../platform/store/health-check";
import type { MigrationConnection } from "../../../platform/store/migration/stoppable-connection";
import type { OpenMigrationConnection } from "../../../platform/store/migration-connection";
import { openSealer, SECRET_KEY_FILE, verifySecrets } from "../../applications/secret-key";
import { verifyCredentialSecrets } from "../../push/credentials/reseal-credentials";
import { probeWrites } from "../nodes/node-queries";
import { checkClockOffset } from "./clock";
import { type Finding, failure, ok, pluralize, skipped, warning } from "./finding";
import { checkJobs } from "./jobs";
import { checkNodes } from "./nodes";
import { statementsOver } from "./statements";

/** Names of the checks of the database. */
export const DATABASE = "database";
export const MIGRATIONS = "migrations";
export const KEY = "secret key";
const JOBS = "jobs";
const CLOCK = "clock: database";

/** What a running server has verified before it serves anybody. */
export const VERIFIED_AT_START = "the running server verified it at its start";

/** How {@link checkDatabase} reaches the database. */
export interface DatabaseAccess {
  open(): Promise<OpenMigrationConnection>;
  /** Whether to decrypt all secrets in the database. A running server did so at its start. */
  decryptSecrets: boolean;
}

/**
 * Checks the database, its migrations, the job queue, the secret key, the database's clock, and the nodes and jobs in
 * it.
 * @throws FolderInUseError while another process uses the embedded database
 */
export async function checkDatabase(config: Config, access: DatabaseAccess): Promise<Finding[]> {
  const url = config.DATABASE_URL;
  try {
    const pooled = url === undefined ? null : await poolerRefusal(url);
    if (pooled !== null) return [failure(DATABASE, pooled.detail, pooled.fix)];
    const { connection, close } = await access.open();
    try {
      return await checkConnected(connection, config, access);
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof FolderInUseError) throw error;
    const refusal = explainConnectionError(error);
    const detail = errorMessage(refusal);
    const fix =
      url === undefined
        ? "Follow the message."
        : "Start PostgreSQL, or correct DATABASE_URL: host, port, user, password, name.";
    return [failure(DATABASE, detail, fix)];
  }
}

async function checkConnected(
  connection: MigrationConnection,
  config: Config,
  { decryptSecrets }: DatabaseAccess,
): Promise<Finding[]> {
  const facts = await inspectDatabase(connection, systemClock);
  const isCurrent = facts.refusal === null && facts.pending.length === 0;
  const refused = isCurrent && !facts.readOnly ? await checkWrites(connection, config) : [];
  return [
    ...checkPostgres(facts, config, refused),
    ...checkMigrations(facts),
    decryptSecrets ? await checkKey(connection, config, facts) : ok(KEY, VERIFIED_AT_START),
    checkClockOffset(CLOCK, "the database's clock", facts.clockAheadMs),
    ...(isCurrent ? [...(await checkNodes(connection)), await checkJobs(connection)] : []),
  ];
}

/** Writes as the service does, and changes nothing. */
async function checkWrites(connection: MigrationConnection, config: Config): Promise<Finding[]> {
  try {
    await probeWrites(statementsOver(connection));
    return [];
  } catch (error) {
    if (isDiskFull(error)) {
      const place = config.DATABASE_URL === undefined ? "DATA_DIR" : "the PostgreSQL server";
      const detail = `refuses writes, because its disk is full: ${errorMessage(error)}`;
      return [failure(DATABASE, detail, `Free some space on the disk of ${place}.`)];
    }
    const fix = "Give its user the rights of the tables' owner.";
    return [failure(DATABASE, `refuses writes: ${errorMessage(error)}`, fix)];
  }
}

function checkPostgres(facts: DatabaseStatus, config: Config, refused: Finding[]): Finding[] {
  const { version, versionNumber, encoding, readOnly, mayCreateTables, mayKeepJobs } = facts;
  const problems: Finding[] = [...refused];
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
    problems.push(failure(DATABASE, READ_ONLY.detail, READ_ONLY.fix));
  }
  if (!mayCreateTables && facts.pending.length > 0) {
    const detail = "its user may not create tables, which migrations need";
    problems.push(failure(DATABASE, detail, "GRANT CREATE ON SCHEMA public TO the user."));
  }
  if (!mayKeepJobs) {
    const detail = "the database's user may not create the schema pgboss of the job queue";
    problems.push(failure(JOBS, detail, "GRANT CREATE ON DATABASE … TO the user."));
  } else problems.push(ok(JOBS, "the database can hold the job queue"));
  if (problems.some(({ check }) => check === DATABASE)) return problems;
  const kind = config.DATABASE_URL === undefined ? "embedded, " : "";
  return [ok(DATABASE, `${kind}PostgreSQL ${version}`), ...problems];
}

function checkMigrations(facts: DatabaseStatus): Finding[] {
  const { refusal, pending, newer, unbuilt, migrationCount } = facts;
  if (refusal !== null) return [failure(MIGRATIONS, refusal, "Follow the message.")];
  if (pending.length === 0) {
    const others = newer.length === 0 ? "" : `, and ${newer.length} of a newer version`;
    const applied = ok(MIGRATIONS, `all ${migrationCount} are applied${others}`);
    if (unbuilt.length === 0) return [applied];
    const fix = "Run signalbox migrate, or wait for a node that builds them.";
    return [applied, warning(MIGRATIONS, `indexes not built: ${unbuilt.join(", ")}`, fix)];
  }
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
  const query = statementsOver(connection);
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
