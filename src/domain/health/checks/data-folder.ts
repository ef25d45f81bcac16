import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../../core/config";
import { inspectDataFolder } from "../../../core/startup/data-folder";
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

/** Checks that DATA_DIR is writable, and that no other user can read the secrets in it. */
export async function checkDataFolder({ DATA_DIR }: Config): Promise<Finding[]> {
  const folder = resolve(DATA_DIR);
  const found = await inspectDataFolder(folder);
  if ("detail" in found) return [problem(FOLDER, found)];
  return found.exists
    ? [ok(FOLDER, `${folder} is writable`), ...(await checkModes(folder))]
    : [ok(FOLDER, `${folder} does not exist yet: the first start creates it`)];
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
  return [count > 0 ? ok(FILES, "readable only by their owner") : skipped(FILES, "none exist yet")];
}
