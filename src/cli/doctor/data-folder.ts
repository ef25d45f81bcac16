import type { Stats } from "node:fs";
import { access, constants, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../../core/config";
import { newId } from "../../core/random";
import { SELF_SIGNED_KEY } from "../../core/tls/self-signed";
import { CREDENTIALS_FILE, OWNER_FILE } from "../../identity/application/bootstrap";
import { SECRET_KEY_FILE } from "../../identity/application/secret-key";
import { messageOf } from "../../store/error-parts";
import { type Finding, ok, skipped, warning, wrong } from "./finding";

const FOLDER = "data folder";
const FILES = "secret files";
/** What holds secrets in it, files and folders alike. */
const SECRET = [...[OWNER_FILE, CREDENTIALS_FILE, SECRET_KEY_FILE, SELF_SIGNED_KEY, "db", "mail"]];

const GROUP = 0o070;
const OTHERS = 0o007;

/** Whether DATA_DIR can be written to, and who else can read what is secret in it. */
export async function checkDataFolder({ DATA_DIR }: Config): Promise<Finding[]> {
  const folder = resolve(DATA_DIR);
  const mend = "Let the user who runs the server own the folder, or set DATA_DIR to another.";
  const found = await look(folder);
  if (typeof found === "string") return [wrong(FOLDER, found, mend)];
  if (found === null) {
    return (await canBeMade(dirname(folder)))
      ? [ok(FOLDER, `${folder} is not there yet: the first start makes it`)]
      : [wrong(FOLDER, `${folder} is not there, and cannot be made`, mend)];
  }
  if (!found.isDirectory()) return [wrong(FOLDER, `${folder} is no folder`, mend)];
  const problem = await writeProblem(folder);
  if (problem !== null) return [wrong(FOLDER, `${folder} cannot be written to: ${problem}`, mend)];
  return [ok(FOLDER, `${folder} can be written to`), ...(await checkModes(folder))];
}

/** What stands at a path: null for nothing, a text for what forbids to look. */
async function look(path: string): Promise<Stats | string | null> {
  try {
    return await stat(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? null : messageOf(error);
  }
}

async function canBeMade(parent: string): Promise<boolean> {
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && parent !== dirname(parent) && canBeMade(dirname(parent));
  }
}

/** Writes, as rights alone do not tell: a disk may be full, or mounted to be read. */
async function writeProblem(folder: string): Promise<string | null> {
  const path = join(folder, `doctor.${newId()}`);
  try {
    await writeFile(path, "", { mode: 0o600, flag: "wx" });
    await rm(path);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function checkModes(folder: string): Promise<Finding[]> {
  if (process.platform === "win32") return [skipped(FILES, "this system has no such modes")];
  const findings: Finding[] = [];
  let count = 0;
  for (const name of SECRET) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    count++;
    const mode = found.mode & 0o777;
    if ((mode & (GROUP | OTHERS)) === 0) continue;
    const detail = `${path} is open to ${mode & OTHERS ? "every user of this machine" : "its group"} (mode ${mode.toString(8)})`;
    const mend = `chmod ${found.isDirectory() ? "700" : "600"} ${path}`;
    findings.push((mode & OTHERS ? wrong : warning)(FILES, detail, mend));
  }
  if (findings.length > 0) return findings;
  return [
    count > 0 ? ok(FILES, "open to their owner alone") : skipped(FILES, "there are none yet"),
  ];
}
