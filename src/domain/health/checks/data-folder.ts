import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../../core/config";
import { inspectDataFolder } from "../../../core/startup/data-folder";
import {
  DISK_FULL_BYTES,
  DISK_LOW_BYTES,
  freeSpace,
  sizeText,
} from "../../../core/startup/disk-space";
import { SELF_SIGNED_KEY } from "../../../core/tls/self-signed";
import { CREDENTIALS_FILE, OWNER_FILE } from "../../applications/bootstrap";
import { SECRET_KEY_FILE } from "../../applications/secret-key";
import { type Finding, failure, ok, problem, skipped, warning } from "./finding";

const FOLDER = "data folder";
const FILES = "secret files";
/** Files and folders of DATA_DIR that contain secrets. */
const SECRET = [OWNER_FILE, CREDENTIALS_FILE, SECRET_KEY_FILE, SELF_SIGNED_KEY, "db", "mail"];

const GROUP = 0o070;
const OTHERS = 0o007;

/** Checks that DATA_DIR is writable, that its disk has space, and that no other user can read the secrets in it. */
export async function checkDataFolder({ DATA_DIR }: Config): Promise<Finding[]> {
  const folder = resolve(DATA_DIR);
  const found = await inspectDataFolder(folder);
  if ("detail" in found) return [problem(FOLDER, found)];
  if (!found.exists) return [ok(FOLDER, `${folder} does not exist: it is created when needed`)];
  return [await checkSpace(folder), ...(await checkModes(folder))];
}

/** Checks the free space of the disk. The embedded database stores nothing once it is full. */
async function checkSpace(folder: string): Promise<Finding> {
  const free = await freeSpace(folder);
  if (free === null) return ok(FOLDER, `${folder} is writable`);
  const detail = `the disk of ${folder} has ${sizeText(free)} of free space`;
  const fix = "Free some space, or move DATA_DIR to a larger disk.";
  if (free < DISK_FULL_BYTES) return failure(FOLDER, `the disk is full: ${detail}`, fix);
  if (free < DISK_LOW_BYTES) return warning(FOLDER, `the disk is almost full: ${detail}`, fix);
  return ok(FOLDER, `${folder} is writable, ${sizeText(free)} are free`);
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
  return [count > 0 ? ok(FILES, "readable only by their owner") : skipped(FILES, "there are none")];
}
