import type { Stats } from "node:fs";
import { access, constants, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newId } from "../random";
import type { Problem } from "./start-error";

const FIX = "make the server's user the owner of that folder, or choose another";
const FIX_FILE = "set it to a folder";

/**
 * Checks whether a folder can be the data folder: it is writable, or does not exist and can be created.
 * @returns whether it exists, or the problem
 */
export async function inspectDataFolder(folder: string): Promise<{ exists: boolean } | Problem> {
  let found: Stats | null;
  try {
    found = await statOrNull(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTDIR")
      return { detail: `DATA_DIR (${folder}) is below a file`, fix: FIX_FILE };
    return { detail: `DATA_DIR (${folder}) cannot be read, ${code}`, fix: FIX };
  }
  if (found === null) {
    if (await canCreateIn(dirname(folder))) return { exists: false };
    return { detail: `DATA_DIR (${folder}) does not exist and cannot be created`, fix: FIX };
  }
  if (!found.isDirectory()) return { detail: `DATA_DIR (${folder}) is a file`, fix: FIX_FILE };
  const code = await writeError(folder);
  if (code === null) return { exists: true };
  return { detail: `DATA_DIR (${folder}) is not writable, ${code}`, fix: FIX };
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

async function canCreateIn(parent: string): Promise<boolean> {
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isMissing = codeOf(error) === "ENOENT";
    return isMissing && parent !== dirname(parent) && canCreateIn(dirname(parent));
  }
}

/** Writes a file: permissions alone do not reveal a full disk or a read-only mount. */
async function writeError(folder: string): Promise<string | null> {
  const path = join(folder, `probe.${newId()}`);
  try {
    await writeFile(path, "", { mode: 0o600, flag: "wx" });
    await rm(path);
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
