import { ConfigError, readConfig } from "../../../core/config";
import { configurationProblems } from "../../../domain/health/checks/configuration";
import { DATABASE, MIGRATIONS } from "../../../domain/health/checks/database";
import {
  type Finding,
  failure,
  ok,
  pluralize,
  warning,
} from "../../../domain/health/checks/finding";
import { explainConnectionError } from "../../../platform/store/connection";
import { errorMessage } from "../../../platform/store/error-properties";
import { FolderInUseError } from "../../../platform/store/folder-lock";
import type { TableWork } from "../../../platform/store/migration/statement-effects";
import { openMigrationConnection } from "../../../platform/store/migration-connection";
import { readMigrations } from "../../../platform/store/migrations";
import {
  type PlannedLock,
  type PlannedMigration,
  type PlannedStatement,
  planUpgrade,
  type TableSize,
  type UpgradePlan,
} from "../../../platform/store/upgrade-plan";
import type { CheckOptions } from "./checks";

/** Length of the printed part of a statement, in characters. */
const STATEMENT_LENGTH = 80;
/** Shorter waits are not worth planning for, in seconds. */
const NOTICEABLE_SECONDS = 1;

const WORK: Readonly<Record<TableWork, string>> = {
  catalogs: "reads no row",
  scan: "reads all rows",
  index: "builds an index",
  rows: "changes rows",
  rewrite: "rewrites the table",
};

/** Locks that keep nodes from writing to a table, and what they keep them from. */
const BLOCKED: Readonly<Record<string, string>> = {
  SHARE: "write to",
  "SHARE ROW EXCLUSIVE": "write to",
  "ACCESS EXCLUSIVE": "read or write",
};

/**
 * Lists what the migrations of this version will do to the configured database, while nodes of the earlier version use
 * it. Nothing is changed.
 */
export async function checkUpgrade({ environment }: CheckOptions): Promise<Finding[]> {
  try {
    const config = readConfig(environment);
    const { connection, close } = await openMigrationConnection(config);
    try {
      return toFindings(await planUpgrade(connection, await readMigrations()));
    } finally {
      await close();
    }
  } catch (error) {
    if (error instanceof ConfigError) return configurationProblems(error.problems);
    if (error instanceof FolderInUseError) {
      const fix = "Stop the server first: an upgrade of the embedded database needs that as well.";
      return [warning(DATABASE, error.message, fix)];
    }
    return [failure(DATABASE, errorMessage(explainConnectionError(error)), "Follow the message.")];
  }
}

/** What {@link checkUpgrade} says of a plan. */
export function toFindings({ migrations, indexes, isEmpty }: UpgradePlan): Finding[] {
  if (isEmpty) return [ok(MIGRATIONS, "the database is empty: the migrations lock nothing in use")];
  const built = indexes.map(({ name, lock }) =>
    ok(MIGRATIONS, `index ${name}, while nodes write: ${lockText(lock)}`),
  );
  if (migrations.length === 0) return [ok(MIGRATIONS, "none is pending"), ...built];
  const count = ok(MIGRATIONS, `${pluralize(migrations.length, "migration")} pending`);
  return [count, ...migrations.map(toFinding), ...built];
}

function toFinding(migration: PlannedMigration): Finding {
  const statements = migration.statements
    .filter(({ known, locks }) => !known || locks.length > 0)
    .map(statementText);
  const detail = `${migration.name}: ${statements.join("; ") || "locks no table in use"}`;
  const problems = [
    ...migration.held
      .filter(({ lock, seconds }) => lock in BLOCKED && seconds >= NOTICEABLE_SECONDS)
      .map(
        (each) => `Nobody can ${BLOCKED[each.lock]} ${each.table} for ${duration(each.seconds)}.`,
      ),
    ...(migration.statements.every(({ known }) => known)
      ? []
      : ["Read the unknown statements: they may take any lock."]),
  ];
  if (problems.length === 0) return ok(MIGRATIONS, detail);
  return warning(MIGRATIONS, detail, `${problems.join(" ")} Migrate when few clients are active.`);
}

function statementText({ text, known, locks }: PlannedStatement): string {
  const start = text.length > STATEMENT_LENGTH ? `${text.slice(0, STATEMENT_LENGTH)}…` : text;
  return `${start} (${known ? locks.map(lockText).join("; ") : "unknown"})`;
}

function lockText({ lock, table, work, seconds }: PlannedLock): string {
  const time = work === "catalogs" ? "" : `, ${duration(seconds)}`;
  return `${lock} on ${table.name}, ${sizeText(table)}, ${WORK[work]}${time}`;
}

function sizeText({ bytes, rows }: TableSize): string {
  const known = rows === null ? "" : ` with about ${Math.round(rows).toLocaleString("en")} rows`;
  const size =
    bytes < 1e6 ? "less than 1 MB" : `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;
  return `${size}${known}`;
}

function duration(seconds: number): string {
  if (seconds < NOTICEABLE_SECONDS) return "less than a second";
  if (seconds < 90) return `about ${pluralize(Math.ceil(seconds), "second")}`;
  return `about ${pluralize(Math.ceil(seconds / 60), "minute")}`;
}
