import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../scripts/services/binaries";
import { eventually } from "../moving-clock";
import { FREE_PORTS } from "../ports";

const run = promisify(execFile);

/** The used part of package-lock.json and npm-shrinkwrap.json: packages by path. */
export interface LockFile {
  packages: Record<
    string,
    {
      /** The package's own name, if it is installed under another one. */
      name?: string;
      version?: string;
      optional?: boolean;
      /** The platforms of a package with a program. */
      os?: string[];
      cpu?: string[];
    }
  >;
}

/** The packages on the disk below a folder, by path: name and version. */
export function installedTree(root: string, at = ""): Record<string, string> {
  const folder = at === "" ? "node_modules" : `${at}/node_modules`;
  if (!existsSync(join(root, folder))) return {};
  const names = readdirSync(join(root, folder)).flatMap((name) => {
    if (name.startsWith(".")) return [];
    if (!name.startsWith("@")) return [name];
    return readdirSync(join(root, folder, name)).map((part) => `${name}/${part}`);
  });
  const packages = names.flatMap((name) => {
    const path = `${folder}/${name}`;
    const manifest = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
    const own = [path, `${manifest.name}@${manifest.version}`];
    return [own, ...Object.entries(installedTree(root, path))];
  });
  return Object.fromEntries(packages);
}

/** The packages of a lock file in the same form, without optional ones that are missing: those of other platforms. */
export function lockedTree(
  packages: LockFile["packages"],
  installed: Record<string, string>,
): Record<string, string> {
  const expected = Object.entries(packages)
    .filter(([path, { optional }]) => path !== "" && (!optional || path in installed))
    .map(([path, { name, version }]) => {
      return [path, `${name ?? path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`];
    });
  return Object.fromEntries(expected);
}

/** Size and time of each file below a folder. */
export function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => {
    const { size, mtimeMs } = statSync(join(folder, path));
    return [path, `${size} ${mtimeMs}`];
  });
  return Object.fromEntries(files);
}

/** The space that a folder takes on the disk, in MiB. */
export async function diskUsage(folder: string): Promise<number> {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number.parseInt(stdout, 10) / 1024;
}

/** A server that a command has started. */
export interface StartedServer {
  url: string;
  /** What a command needs to reach it. */
  environment: Record<string, string>;
  /** Ends it by SIGTERM. @returns its exit code */
  stop(): Promise<number | null>;
}

/** Starts a server by a command, in a folder, and waits until it is ready. @throws Error with its output if it ends */
export async function startServer(
  [program = "", ...args]: string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<StartedServer> {
  const ports = { ...FREE_PORTS, PORT: String(await freePort()) };
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...environment, ...ports },
    stdio: ["ignore", "pipe", "pipe"],
    // npx runs it as a child, which gets the signal as well.
    detached: true,
  });
  const output = outputOf(child);
  const ended = once(child, "close");
  const url = `http://127.0.0.1:${ports.PORT}`;
  const failed = ended.then(() => {
    throw new Error(`the server ended:\n${output()}`);
  });
  failed.catch(() => undefined);
  await Promise.race([eventually(() => isReady(url), Boolean), failed]);
  return {
    url,
    environment: { PORT: ports.PORT },
    async stop() {
      process.kill(-(child.pid ?? 0), "SIGTERM");
      const [code] = await ended;
      return code;
    },
  };
}

/** Collects what a process prints. */
export function outputOf(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return () => output;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
