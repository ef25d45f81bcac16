import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  checkDatabase,
  DATABASE,
  KEY,
  MIGRATIONS,
  VERIFIED_AT_START,
} from "../../../domain/health/checks/database";
import { type Finding, failure, ok, skipped, warning } from "../../../domain/health/checks/finding";
import { FolderInUseError } from "../../../platform/store/folder-lock";
import { openMigrationConnection } from "../../../platform/store/migration-connection";
import type { CheckContext } from "./check-context";

/** Checks the database from outside of the server, which may be using it. */
export async function checkStoredData({ config, server }: CheckContext): Promise<Finding[]> {
  const embedded = config.DATABASE_URL === undefined;
  if (embedded && !existsSync(join(config.DATA_DIR, "db", "PG_VERSION"))) {
    return [
      ok(DATABASE, `embedded; the first start creates it in ${resolve(config.DATA_DIR)}`),
      skipped(MIGRATIONS, "there is no database yet"),
      skipped(KEY, "is created with the database"),
    ];
  }
  try {
    const open = () => openMigrationConnection(config);
    return await checkDatabase(config, { open, decryptSecrets: true });
  } catch (error) {
    if (error instanceof FolderInUseError) return findingsInUse(server, error);
    throw error;
  }
}

/** Another process holds the embedded database, so the findings come from the running server's state. */
function findingsInUse(
  { state, url }: CheckContext["server"],
  { message }: FolderInUseError,
): Finding[] {
  if (state === "ready") {
    return [
      ok(DATABASE, `embedded, in use by the server at ${url}, which is ready`),
      ok(MIGRATIONS, VERIFIED_AT_START),
      ok(KEY, VERIFIED_AT_START),
    ];
  }
  if (state === "not ready") {
    const detail = `embedded, in use by the server at ${url}, which is not ready`;
    return [failure(DATABASE, detail, "Check the server's log, and restart it.")];
  }
  const fix = "If that process is the server, set its address: --url or SIGNALBOX_URL.";
  return [warning(DATABASE, `${message} No server answers at ${url}.`, fix)];
}
