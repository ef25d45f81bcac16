import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "../../core/clock";
import type { Config } from "../../core/config";
import { toFault } from "../../core/errors";
import { newId, newToken } from "../../core/random";
import { resetMemberPassword } from "../../domain/accounts/lost-password";
import { OWNER_FILE, writeOwnerFile } from "../../domain/applications/bootstrap";
import { checkPassword } from "../../domain/passwords/password";
import { FolderInUseError } from "../../platform/store/folder-lock";
import { openStore } from "../../platform/store/open";
import type { Store } from "../../platform/store/store";
import { CommandError } from "./connection/command-error";
import { progressLog } from "./connection/progress-log";

/** A password that was replaced. */
export interface PasswordReset {
  email: string;
  /** The new password if it was made here; null for a given one. */
  password: string | null;
  /** The owner.json of DATA_DIR if it is this member's, and whether it has the new password; null otherwise. */
  ownerFile: { path: string; isCurrent: boolean } | null;
}

/**
 * Replaces the password of a member in the configured database, without the old one. A random password goes to owner.json
 * of DATA_DIR as well, if that file is of this member; a given one is written nowhere.
 * @param email null for the only owner
 * @param given the new password; undefined for a random one
 * @throws CommandError if there is no such member, the password breaks the rules, there is no database, or a server uses
 * the embedded one; UnusableDatabaseError
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
    const ownerFile = await updateOwnerFile(config.DATA_DIR, found.email, given ?? null, password);
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
    return await openStore({ config, log: progressLog(), isNode: false });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new CommandError(
      `${error.message}\nIf that process is the server, stop it, repeat this command, and start it again. While it runs, another owner can remove the member and invite it again.`,
    );
  }
}

function unknownText(email: string | undefined, owners: string[]): string {
  const list = owners.length === 0 ? "There is no owner." : `Owners: ${owners.join(", ")}.`;
  return email === undefined
    ? `Name the member with --email. ${list}`
    : `No member has the address ${email}. ${list}`;
}

/** Writes a random password to the owner's file of this member. A given one is in no file. */
async function updateOwnerFile(
  dataDir: string,
  email: string,
  given: string | null,
  password: string,
): Promise<PasswordReset["ownerFile"]> {
  const path = resolve(dataDir, OWNER_FILE);
  const stored = await readFile(path, "utf8")
    .then((text): unknown => JSON.parse(text)?.email)
    .catch(() => undefined);
  if (stored !== email) return null;
  if (given === null) await writeOwnerFile(dataDir, { email, password });
  return { path, isCurrent: given === null };
}
