import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { openSealer, openSecrets, SECRET_KEY_FILE } from "../../identity/application/secret-key";
import { openCredentialSecrets } from "../../push/credential/reseal-credentials";
import { connectionRefusal } from "../../store/connection";
import { messageOf } from "../../store/error-parts";
import { type DatabaseFacts, examineDatabase, VERSION_MIN } from "../../store/examine";
import { FolderInUse } from "../../store/folder-lock";
import type { MigrationConnection } from "../../store/migrate";
import { openMigrationConnection } from "../../store/migration-connection";
import { clockFinding } from "./clock";
import { counted, type Finding, ok, type Patient, skipped, warning, wrong } from "./finding";

const DATABASE = "database";
const MIGRATIONS = "migrations";
const JOBS = "jobs";
const KEY = "secret key";
const CLOCK = "clock: database";

/** The database with all that hangs on it: migrations, the list of jobs, the key, its clock. */
export async function checkDatabase({ config, server }: Patient): Promise<Finding[]> {
  const embedded = config.DATABASE_URL === undefined;
  if (embedded && !existsSync(join(config.DATA_DIR, "db", "PG_VERSION"))) {
    return [
      ok(DATABASE, `the embedded one, which the first start makes in ${resolve(config.DATA_DIR)}`),
      skipped(MIGRATIONS, "there is no database yet"),
      skipped(KEY, "made with the database"),
    ];
  }
  try {
    const { connection, close } = await openMigrationConnection(config);
    try {
      return await examine(connection, config);
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof FolderInUse) return askedOf(server, error);
    const refusal = connectionRefusal(error);
    const detail = messageOf(refusal);
    const mend = embedded
      ? "See what it says."
      : "Start PostgreSQL, or correct DATABASE_URL: host, port, user, password, name.";
    return [wrong(DATABASE, detail, mend)];
  }
}

/** The embedded database belongs to the server that runs, so that is asked in its place. */
function askedOf({ state, url }: Patient["server"], { message }: FolderInUse): Finding[] {
  const asServer = "the server that runs saw to it at its start";
  if (state === "ready") {
    return [
      ok(DATABASE, `the embedded one, in use by the server at ${url}, which says that it is ready`),
      ok(MIGRATIONS, asServer),
      ok(KEY, asServer),
    ];
  }
  if (state === "not ready") {
    const detail = `the embedded one, in use by the server at ${url}, which is not ready`;
    return [wrong(DATABASE, detail, "Look at the server's log, and restart it.")];
  }
  const mend = "Where that is the server, name its address: --url, or SIGNALBOX_URL.";
  return [warning(DATABASE, `${message} No server answers at ${url}.`, mend)];
}

async function examine(connection: MigrationConnection, config: Config): Promise<Finding[]> {
  const facts = await examineDatabase(connection, systemClock);
  return [
    ...checkServerItself(facts, config),
    ...checkMigrations(facts),
    await checkKey(connection, config, facts),
    clockFinding(CLOCK, "the database's clock", facts.clockAheadMs),
  ];
}

function checkServerItself(facts: DatabaseFacts, config: Config): Finding[] {
  const { version, versionNumber, encoding, readOnly, mayCreateTables, mayKeepJobs } = facts;
  const problems: Finding[] = [];
  if (versionNumber < VERSION_MIN) {
    const detail = `PostgreSQL ${version} is too old`;
    problems.push(wrong(DATABASE, detail, `Use PostgreSQL ${VERSION_MIN / 10_000} or later.`));
  }
  if (encoding !== "UTF8") {
    const detail = `its encoding is ${encoding}, which cannot hold every text`;
    problems.push(wrong(DATABASE, detail, "Make one with: CREATE DATABASE … ENCODING 'UTF8'."));
  }
  if (readOnly) {
    const detail = "it takes no writes: it is a standby, or read-only by its settings";
    problems.push(wrong(DATABASE, detail, "Let DATABASE_URL name the primary."));
  }
  if (!mayCreateTables && facts.pending.length > 0) {
    const detail = "its user may not create tables, which migrations do";
    problems.push(wrong(DATABASE, detail, "GRANT CREATE ON SCHEMA public TO the user."));
  }
  if (!mayKeepJobs) {
    const detail = "the database's user may not create the schema pgboss, in which jobs are listed";
    problems.push(wrong(JOBS, detail, "GRANT CREATE ON DATABASE … TO the user."));
  } else problems.push(ok(JOBS, "may keep their list in the database"));
  if (problems.some(({ check }) => check === DATABASE)) return problems;
  const kind = config.DATABASE_URL === undefined ? "the embedded one, " : "";
  return [ok(DATABASE, `${kind}PostgreSQL ${version}`), ...problems];
}

function checkMigrations({ refusal, pending, migrations }: DatabaseFacts): Finding[] {
  if (refusal !== null) return [wrong(MIGRATIONS, refusal, "See what it says.")];
  if (pending.length === 0) return [ok(MIGRATIONS, `all ${migrations} are applied`)];
  const mend = "Run: signalbox migrate. A server does the same at its start.";
  if (pending.length === migrations) {
    return [warning(MIGRATIONS, "the database is empty", mend)];
  }
  return [wrong(MIGRATIONS, `not applied: ${pending.join(", ")}`, mend)];
}

async function checkKey(
  connection: MigrationConnection,
  config: Config,
  { refusal, pending }: DatabaseFacts,
): Promise<Finding> {
  const path = join(config.DATA_DIR, SECRET_KEY_FILE);
  // Looked for first: what opens a key makes one where there is none.
  if (config.SECRET_KEY === undefined && !existsSync(path)) {
    const mend = "Put back the file from a copy of the folder.";
    return wrong(KEY, `${path} is missing: secrets in the database cannot be read`, mend);
  }
  if (refusal !== null || pending.length > 0) {
    return skipped(KEY, "it is tried on secrets once every migration is applied");
  }
  const sealer = await openSealer(config);
  const query = <Row>({ text }: { text: string }, values: unknown[]) =>
    connection.query<Row>(text, values);
  try {
    const counts = [
      counted(await openSecrets({ query }, sealer), "application"),
      counted(await openCredentialSecrets({ query }, sealer), "push credential"),
    ];
    return ok(KEY, `opens the secrets of ${counts.join(" and ")}`);
  } catch (error) {
    const mend = "Set SECRET_KEY (or put back secret.key) as it was when they were written.";
    return wrong(KEY, messageOf(error), mend);
  }
}
