import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Config } from "../config";
import { describeUnknown } from "../unknown-variables";
import { fileVariable } from "../variables/variable";
import { inspectDataFolder } from "./data-folder";
import { FIRST_START_BYTES, freeSpace, sizeText } from "./disk-space";
import { equalPorts, portProblems } from "./ports";
import { type Problem, StartError } from "./start-error";

/**
 * Checks before anything is created that this machine lets the service start: its data folder and its ports, and whether
 * the database is the intended one.
 * @throws StartError with all problems
 */
export async function checkMachine(config: Config): Promise<void> {
  const equal = equalPorts(config);
  const folder = await inspectDataFolder(resolve(config.DATA_DIR));
  const found: Problem[] = [
    ...("detail" in folder ? [folder] : await spaceProblems(config)),
    ...unintendedDatabase(config),
    ...(equal === null ? await portProblems(config) : [equal]),
  ];
  if (found.length > 0) throw new StartError(found);
}

/** A disk that has no space for an embedded database that would be created. */
async function spaceProblems({ DATABASE_URL, DATA_DIR }: Config): Promise<Problem[]> {
  if (DATABASE_URL !== undefined || existsSync(join(DATA_DIR, "db", "PG_VERSION"))) return [];
  const folder = resolve(DATA_DIR);
  const free = await freeSpace(folder);
  if (free === null || free >= FIRST_START_BYTES) return [];
  return [
    {
      detail: `The disk of DATA_DIR (${folder}) has ${sizeText(free)} of free space, and a new database needs ${sizeText(FIRST_START_BYTES)}`,
      fix: "free some space, or choose another folder",
    },
  ];
}

/**
 * Refuses to create an embedded database where a variable of PostgreSQL is probably misspelled.
 * @throws StartError
 */
export function checkIntendedDatabase(config: Config): void {
  const found = unintendedDatabase(config);
  if (found.length > 0) throw new StartError(found);
}

/** The misspelled variables of PostgreSQL, if an embedded database would be created. */
function unintendedDatabase({ DATABASE_URL, DATA_DIR, unknownVariables }: Config): Problem[] {
  if (DATABASE_URL !== undefined || existsSync(join(DATA_DIR, "db", "PG_VERSION"))) return [];
  return unknownVariables
    .filter(({ meant }) => meant === "DATABASE_URL" || meant === fileVariable("DATABASE_URL"))
    .map((variable) => ({
      detail: `${describeUnknown(variable)} Without DATABASE_URL an embedded database would be created in ${resolve(DATA_DIR)}`,
      fix: `rename ${variable.given} to ${variable.meant}, or unset it`,
    }));
}
