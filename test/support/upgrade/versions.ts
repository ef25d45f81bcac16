import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../scripts/services/binaries";
import { eventually } from "../moving-clock";
import { FREE_PORTS } from "../ports";
import { NO_ENV_FILE } from "../process";
import { outputOf } from "../ship/installed-package";

const run = promisify(execFile);
const ROOT = resolve(__dirname, "../../..");
/** What a version needs to run without a build, beside node_modules. */
const SOURCES = ["src", "prisma", "schema", "tools", "bin", "dist", "package.json"];

/** Runs the command line of the folder of the start. */
const COMMANDS = 'require("./src/transports/cli/commands").run(process.argv)';

/** A version of the service in a folder. */
export interface Version {
  folder: string;
  /** Arguments of Node.js that start a node. */
  server: string[];
  /** Arguments of Node.js that run the command line, before those of the command. */
  commands: string[];
  remove(): Promise<void>;
}

/** Installs and builds the version of a commit, as its README says. */
export async function installCommit(commit: string): Promise<Version> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-version-"));
  const archive = join(folder, "sources.tar");
  await run("git", ["archive", "--output", archive, commit], { cwd: ROOT });
  await run("tar", ["-xf", archive], { cwd: folder });
  const options = { cwd: folder, maxBuffer: 2 ** 26, env: { ...process.env, NODE_ENV: undefined } };
  await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], options);
  await run("npm", ["run", "build"], options);
  return {
    folder,
    server: ["bin/run.js", "src/main"],
    commands: ["bin/signalbox.js"],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** This version. */
export const THIS_VERSION: Version = {
  folder: ROOT,
  server: ["-r", "./tools/run-typescript.js", "--", "src/main.ts", ...NO_ENV_FILE],
  commands: ["-r", "./tools/run-typescript.js", "-e", COMMANDS, "--", "signalbox", ...NO_ENV_FILE],
  remove: async () => undefined,
};

/** This version with further migrations by name, as later versions may have. */
export async function laterVersion(scripts: Record<string, string>): Promise<Version> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-version-"));
  for (const name of [...SOURCES, "jest.suites.js"]) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [name, script] of Object.entries(scripts)) {
    const migration = join(folder, "prisma/migrations", name);
    await mkdir(migration);
    await writeFile(join(migration, "migration.sql"), script);
  }
  return { ...THIS_VERSION, folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A node of a version, in a process. */
export interface VersionNode {
  baseUrl: string;
  graphqlUrl: string;
  chatUrl: string;
  output(): string;
  /** Ends it by SIGTERM. @returns its exit code */
  stop(): Promise<number | null>;
}

/** Starts a node, and waits until it is ready. @throws Error with its output if it ends */
export async function startVersion(
  { folder, server }: Version,
  environment: Record<string, string>,
): Promise<VersionNode> {
  const [PORT, XMPP_WS_PORT] = [String(await freePort()), String(await freePort())];
  const child = spawn(process.execPath, server, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...FREE_PORTS, ...environment, PORT, XMPP_WS_PORT },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputOf(child);
  const ended = once(child, "close");
  const baseUrl = `http://127.0.0.1:${PORT}`;
  const failed = ended.then(() => {
    throw new Error(`the node ended:\n${output()}`);
  });
  failed.catch(() => undefined);
  const isReady = () =>
    fetch(`${baseUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await Promise.race([eventually(isReady, Boolean), failed]);
  return {
    baseUrl,
    graphqlUrl: `${baseUrl}/graphql`,
    chatUrl: `ws://127.0.0.1:${XMPP_WS_PORT}/`,
    output,
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code;
    },
  };
}

/** Runs a command of a version. @returns what it prints @throws Error with its output if it fails */
export async function runVersion(
  { folder, commands }: Version,
  args: string[],
  environment: Record<string, string>,
): Promise<string> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...environment } };
  return (await run(process.execPath, [...commands, ...args], options)).stdout;
}
