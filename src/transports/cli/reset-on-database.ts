import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { toFault } from "../../core/errors";
import { newId, newToken } from "../../core/random";
import { resetMemberPassword } from "../../domain/accounts/lost-password";
import type { MemberCredentials } from "../../domain/accounts/member-queries";
import { OWNER_FILE, writeOwnerFile } from "../../domain/applications/bootstrap";
import { checkPassword, matchesHash } from "../../domain/passwords/password";
import { explainConnectionError } from "../../platform/store/connection";
import { FolderInUseError } from "../../platform/store/folder-lock";
import { pendingMigrations } from "../../platform/store/migrate";
import { openMigrationConnection } from "../../platform/store/migration-connection";
import { readMigrations } from "../../platform/store/migrations";
import { openStore } from "../../platform/store/open";
import type { Store } from "../../platform/store/store";
import { CommandError } from "./connection/command-error";
import { progressLog } from "./connection/progress-log";

/** A password that was replaced. */
export interface PasswordReset {
  email: string;
  /** The new password if it was made here; null for a given one. */
  password: string | null;
  /** The owner.json of DATA_DIR if it had the replaced password, and whether it has the new one; null otherwise. */
  ownerFile: { path: string; isCurrent: boolean } | null;
}

/**
 * Replaces the password of a member in the configured database, without the old one. A random password goes to owner.json
 * of DATA_DIR as well, if that file has the replaced one; a given one is written nowhere.
 * @param email null for the only owner
 * @param given the new password; undefined for a random one
 * @throws CommandError if there is no such member, the password breaks the rules, there is no database or one that lacks
 * migrations, or a server uses the embedded one; UnusableDatabaseError
 */
export async function resetOnDatabase(
  config: Config,
  email: string | undefined,
  given: string | undefined,
): Promise<PasswordReset> {
  const password = given ?? newToken();
  try {
    checkPassword(password);
  } catch (error) {
    throw new CommandError(toFault(error).message);
  }
  const log = progressLog();
  const store = await open(config);
  try {
    const deps = { store, clock: systemClock, log };
    const target = email === undefined ? "only owner" : { email };
    const found = await resetMemberPassword(deps, target, password, newId());
    if (!("id" in found)) throw new CommandError(unknownText(email, found.owners));
    const ownerFile = await updateOwnerFile(config.DATA_DIR, found, given ?? null, password);
    return { email: found.email, password: given === undefined ? password : null, ownerFile };
  } finally {
    await store.close();
  }
}

async function open(config: Config): Promise<Store> {
  if (config.DATABASE_URL === undefined && !existsSync(join(config.DATA_DIR, "db"))) {
    throw new CommandError(
      `${resolve(config.DATA_DIR)} has no database. Set the server's DATA_DIR, or DATABASE_URL and SECRET_KEY for PostgreSQL.`,
    );
  }
  try {
    await refusePending(config);
    return await openStore({ config, log: progressLog(), isNode: false });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `${error.message}\nIf that process is the server, stop it, repeat this command, and start it again. While it runs, another owner can remove the member and invite it again.`,
    );
  }
}

/** Nodes of an earlier version may use the database, which opening it would migrate. @throws CommandError */
async function refusePending(config: Config): Promise<void> {
  const { connection, close } = await openMigrationConnection(config).catch((error: unknown) => {
    throw explainConnectionError(error);
  });
  try {
    const { pending } = await pendingMigrations(connection, await readMigrations());
    if (pending.length === 0) return;
  } finally {
    await close();
  }
  throw new CommandError(
    "This version has migrations that are not applied: use the version of the nodes, or run signalbox migrate first.",
  );
}

function unknownText(email: string | undefined, owners: string[]): string {
  const list = owners.length === 0 ? "There is no owner." : `Owners: ${owners.join(", ")}.`;
  return email === undefined
    ? `Name the member with --email. ${list}`
    : `No member has the address ${email}. ${list}`;
}

/**
 * Writes a random password to the owner's file that has the replaced one: DATA_DIR may be of another deployment. A given
 * one is in no file.
 */
async function updateOwnerFile(
  dataDir: string,
  { email, passwordHash }: Pick<MemberCredentials, "email" | "passwordHash">,
  given: string | null,
  password: string,
): Promise<PasswordReset["ownerFile"]> {
  const path = resolve(dataDir, OWNER_FILE);
  const isMembers = await readFile(path, "utf8")
    .then((text) => {
      const stored = JSON.parse(text);
      return stored.email === email && matchesHash(passwordHash, stored.password);
    })
    .catch(() => false);
  if (!isMembers) return null;
  if (given !== null) return { path, isCurrent: false };
  // The database has the new password, which has to be printed.
  const isCurrent = await writeOwnerFile(dataDir, { email, password }).then(
    () => true,
    () => false,
  );
  return { path, isCurrent };
}
