import type { Stats } from "node:fs";
import { access, constants, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CREDENTIALS_FILE, OWNER_FILE } from "../../admin/bootstrap";
import { SECRET_KEY_FILE } from "../../applications/secret-key";
import type { Config } from "../../core/config";
import { newId } from "../../core/random";
import { SELF_SIGNED_KEY } from "../../core/tls/self-signed";
import { errorMessage } from "../../store/error-properties";
import { type Finding, failure, ok, skipped, warning } from "./finding";

const FOLDER = "data folder";
const FILES = "secret files";
/** Files and folders of DATA_DIR that contain secrets. */
const SECRET = [...[OWNER_FILE, CREDENTIALS_FILE, SECRET_KEY_FILE, SELF_SIGNED_KEY, "db", "mail"]];

const GROUP = 0o070;
const OTHERS = 0o007;

/** Checks that DATA_DIR is writable, and that no other user can read the secrets in it. */
export async function checkDataFolder({ DATA_DIR }: Config): Promise<Finding[]> {
  const folder = resolve(DATA_DIR);
  const fix = "Make the server's user the owner of the folder, or set DATA_DIR to another.";
  const found = await statOrProblem(folder);
  if (typeof found === "string") return [failure(FOLDER, found, fix)];
  if (found === null) {
    return (await canCreateIn(dirname(folder)))
      ? [ok(FOLDER, `${folder} does not exist yet: the first start creates it`)]
      : [failure(FOLDER, `${folder} does not exist and cannot be created`, fix)];
  }
  if (!found.isDirectory()) return [failure(FOLDER, `${folder} is not a folder`, fix)];
  const problem = await writeProblem(folder);
  if (problem !== null) return [failure(FOLDER, `${folder} is not writable: ${problem}`, fix)];
  return [ok(FOLDER, `${folder} is writable`), ...(await checkModes(folder))];
}

/** @returns null if nothing exists at the path, the error's message if it cannot be read */
async function statOrProblem(path: string): Promise<Stats | string | null> {
  try {
    return await stat(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : errorMessage(error);
  }
}

async function canCreateIn(parent: string): Promise<boolean> {
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && parent !== dirname(parent) && canCreateIn(dirname(parent));
  }
}

/** Writes a file: permissions alone do not reveal a full disk or a read-only mount. */
async function writeProblem(folder: string): Promise<string | null> {
  const path = join(folder, `doctor.${newId()}`);
  try {
    await writeFile(path, "", { mode: 0o600, flag: "wx" });
    await rm(path);
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

async function checkModes(folder: string): Promise<Finding[]> {
  if (process.platform === "win32") return [skipped(FILES, "this system has no file modes")];
  const findings: Finding[] = [];
  let count = 0;
  for (const name of SECRET) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    count++;
    const mode = found.mode & 0o777;
    if ((mode & (GROUP | OTHERS)) === 0) continue;
    const detail = `${path} is readable by ${mode & OTHERS ? "every user of this machine" : "its group"} (mode ${mode.toString(8)})`;
    const fix = `chmod ${found.isDirectory() ? "700" : "600"} ${path}`;
    findings.push((mode & OTHERS ? failure : warning)(FILES, detail, fix));
  }
  if (findings.length > 0) return findings;
  return [
    count > 0 ? ok(FILES, "readable by their owner alone") : skipped(FILES, "none exist yet"),
  ];
}
