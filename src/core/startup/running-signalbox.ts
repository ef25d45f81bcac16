import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { withEnvFile } from "../env-file";
import { packageName, packageRoot } from "../package-root";
import { VARIABLES } from "../variables/variables";

/** A node of Signalbox that runs on this machine. */
export interface RunningSignalbox {
  pid: number;
  /** Its data folder, as an absolute path. */
  dataDir: string;
}

/** State of a listening socket in /proc/net/tcp (proc(5)). */
const LISTENING = "0A";

/**
 * Finds the Signalbox that listens on a TCP port of this machine, by what Linux shows of processes.
 * @returns null if another program does, or on other systems, or if it belongs to a user whom this one may not look at
 */
export function signalboxOnPort(port: number): RunningSignalbox | null {
  try {
    const sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => listeners(path, port));
    const pid = sockets.length === 0 ? undefined : processes().find((id) => hasOpen(id, sockets));
    return pid === undefined ? null : describeProcess(pid);
  } catch {
    return null;
  }
}

/** The listening sockets of a port, as /proc/PID/fd names them. */
function listeners(path: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTENING)
    .map((fields) => `socket:[${fields[9]}]`);
}

function processes(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** Whether a process has one of the sockets open; false for a process that has ended or may not be looked at. */
function hasOpen(pid: number, sockets: string[]): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => sockets.includes(linkOf(join(folder, name))));
  } catch {
    return false;
  }
}

/** The target of a link; empty if it was closed in the meantime. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** @returns null for a process that is no node of Signalbox */
function describeProcess(pid: number): RunningSignalbox | null {
  const folder = readlinkSync(`/proc/${pid}/cwd`);
  const [, ...args] = readList(`/proc/${pid}/cmdline`);
  if (!isNode(args, folder)) return null;
  const variables = readList(`/proc/${pid}/environ`).map((entry): [string, string] => {
    const end = entry.indexOf("=");
    return [entry.slice(0, end), entry.slice(end + 1)];
  });
  const { DATA_DIR } = withEnvFile(Object.fromEntries(variables), args, folder).environment;
  return { pid, dataDir: resolve(folder, DATA_DIR || VARIABLES.DATA_DIR.default) };
}

/** Programs that are a node: compiled or not, or named to bin/run.js. */
const PROGRAMS = ["src/main.js", "src/main.ts", "src/main"];
/** The command line, which is a node with the command `start`. */
const COMMAND_LINE = "bin/signalbox.js";

/** Whether arguments of Node.js start a node of Signalbox, from this folder or another one. */
function isNode(args: string[], folder: string): boolean {
  const files = args.flatMap((text) => fileOfThisPackage(resolve(folder, text)) ?? []);
  if (files.length === 0) return false;
  return (
    args.some((text) => PROGRAMS.some((program) => text.endsWith(program))) ||
    (args.includes("start") && files.some((file) => file.endsWith(COMMAND_LINE)))
  );
}

/** The file at a path, if it is of a package with the name of this one. */
function fileOfThisPackage(path: string): string | null {
  try {
    const file = realpathSync(path);
    return packageName(packageRoot(dirname(file))) === packageName() ? file : null;
  } catch {
    return null;
  }
}

/** The values of a file in which each ends with a NUL. */
function readList(path: string): string[] {
  return readFileSync(path, "utf8").split("\0").slice(0, -1);
}
