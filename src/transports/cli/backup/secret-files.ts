import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../../../core/startup/replace-file";
import { SELF_SIGNED_CERT, SELF_SIGNED_KEY } from "../../../core/tls/self-signed";
import { CREDENTIALS_FILE, OWNER_FILE } from "../../../domain/applications/bootstrap";
import { SECRET_KEY_FILE } from "../../../domain/applications/secret-key";
import { stringPropertyOf } from "../../../platform/store/error-properties";
import { CommandError } from "../connection/command-error";

/**
 * The files of a data folder beside the database: the key that its secrets are encrypted with, the owner's password, the
 * credentials of the first application, and the self-signed certificate. A backup has them in a file of their own, so that
 * who gets the other one can decrypt nothing.
 */
const NAMES = [
  SECRET_KEY_FILE,
  OWNER_FILE,
  CREDENTIALS_FILE,
  SELF_SIGNED_CERT,
  SELF_SIGNED_KEY,
] as const;

/** Maximum size of a file of them, in bytes; they have some kilobytes. */
const BYTES_MAX = 2 ** 20;

const FORM = z.object({ files: z.partialRecord(z.enum(NAMES), z.string()) });

/** Contents by name. */
export type SecretFiles = z.infer<typeof FORM>["files"];

/** The file with the secrets of a backup. */
export function keyFileOf(backup: string): string {
  return `${backup}.key`;
}

/** Reads the files that a data folder has. */
export async function readSecretFiles(folder: string): Promise<SecretFiles> {
  const files: SecretFiles = {};
  for (const name of NAMES) {
    const text = await readOrNull(join(folder, name));
    if (text !== null) files[name] = text;
  }
  return files;
}

/** Writes the file with the secrets of a backup. */
export function writeKeyFile(path: string, files: SecretFiles): Promise<void> {
  return replaceFile(path, `${JSON.stringify({ files }, null, 2)}\n`, 0o600);
}

/** Reads the file with the secrets of a backup. @returns null if there is none */
export async function readKeyFile(path: string): Promise<SecretFiles | null> {
  const text = await readOrNull(path);
  if (text === null) return null;
  try {
    return FORM.parse(JSON.parse(text)).files;
  } catch {
    throw new CommandError(`${path} is damaged: use another copy of it.`);
  }
}

/** @throws CommandError if a folder has one of these files with other content */
export async function refuseOtherFiles(folder: string, files: SecretFiles): Promise<void> {
  const present = await readSecretFiles(folder);
  const other = NAMES.find((name) => present[name] !== undefined && present[name] !== files[name]);
  if (other === undefined) return;
  throw new CommandError(
    `${folder} has a ${other}, which is not overwritten. Choose an empty folder as DATA_DIR, or move this one away.`,
  );
}

/**
 * Adds to a data folder, which is locked, those of the files that it does not have. If one cannot be written, it removes
 * the others again.
 */
export async function addSecretFiles(folder: string, files: SecretFiles): Promise<void> {
  const present = await readSecretFiles(folder);
  const missing = NAMES.filter((name) => present[name] === undefined);
  try {
    for (const name of missing) {
      const text = files[name];
      if (text !== undefined) await replaceFile(join(folder, name), text, 0o600);
    }
  } catch (error) {
    // The reason counts, also if a file stays.
    for (const name of missing) await rm(join(folder, name), { force: true }).catch(() => {});
    throw error;
  }
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    const { size } = await stat(path);
    if (size > BYTES_MAX)
      throw new CommandError(`${path} is too large: it holds a key and passwords.`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (stringPropertyOf(error, "code") === "ENOENT") return null;
    throw error;
  }
}
