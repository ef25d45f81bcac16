import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs, parseEnv } from "node:util";
import { readBoundedFile } from "./bounded-file";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum size of the file, in bytes. */
const FILE_BYTES_MAX = 65_536;
/** The file that is read if none is named. */
const DEFAULT_FILE = ".env";

/** An environment with the variables of a file. */
export interface ExtendedEnvironment {
  environment: Environment;
  /** Names of the variables that come from a `.env` which nobody has named: the person who made the folder has chosen them. */
  fromFolder: readonly string[];
}

/**
 * Adds the variables of a file to an environment: of the file that `--env-file` names, or else of `.env` in the folder if
 * there is one. A variable of the environment wins, also an empty one. The process's own environment stays as it is, so
 * that child processes inherit nothing from the file.
 * @param args the arguments of the command line
 * @param folder where the process was started
 * @throws Error whose message names the file and says what is wrong with it, without its content
 */
export function withEnvFile(
  environment: Environment,
  args: string[],
  folder: string,
): ExtendedEnvironment {
  const named = envFileOption(args);
  if (named === "") throw new Error("--env-file needs the path of a file");
  const path = resolve(folder, named ?? DEFAULT_FILE);
  // A folder of this name belongs to another program, such as a virtual environment of Python.
  if (named === undefined && !isFile(path)) return { environment, fromFolder: [] };
  try {
    const text = readBoundedFile(path, FILE_BYTES_MAX);
    const variables = parseEnv(text) as Record<string, string>;
    checkLines(text, Object.values(variables));
    const added = Object.keys(variables).filter((name) => environment[name] === undefined);
    return {
      environment: { ...variables, ...environment },
      fromFolder: named === undefined ? added : [],
    };
  } catch (error) {
    throw new Error(`${path} cannot be used as the environment file: ${(error as Error).message}`);
  }
}

/** Whether there is something at a path that can be read as a file. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

/** Reads `--env-file PATH` among arguments that belong to others. The last one counts; without a path it is empty. */
function envFileOption(args: string[]): string | undefined {
  const options = { "env-file": { type: "string" } } as const;
  const value = parseArgs({ args, options, strict: false }).values["env-file"];
  return typeof value === "boolean" ? "" : value;
}

/**
 * Node ignores a line that it does not understand.
 * @throws Error for a line that is no variable, no comment, and no part of a value with several lines
 */
function checkLines(text: string, values: string[]): void {
  const known = values.join("\n");
  text.split("\n").forEach((line, index) => {
    const content = line.trim();
    if (content === "" || content.startsWith("#") || content.includes("=")) return;
    // The last line of a value ends with a quotation mark.
    const [value = ""] = content.split(/["'`]/, 1);
    if (!known.includes(value)) throw new Error(`line ${index + 1} is not NAME=value`);
  });
}
