import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import ts from "typescript";
import { AsyncQueue } from "../../tools/async-queue";
import type { TestNode } from "./node";
import { PRINTED_FILES } from "./printed-code";

const ROOT = join(__dirname, "../..");
const MODULES = {
  compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
};

/** A running program. */
export interface PrintedProgram {
  child: ChildProcess;
  /** The next line of its standard output. Rejects with what it wrote to standard error once it has ended. */
  next(): Promise<string>;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

/**
 * A project folder with the printed files as the documents print them, except for the addresses of the service.
 * `./signalbox-client/index.js` is @signalbox/client.
 */
export interface PrintedFolder {
  /** Runs a printed file. */
  run(file: string, args?: string[], environment?: Record<string, string>): PrintedProgram;
  /** Runs a module that uses the printed files. */
  runCode(code: string, environment?: Record<string, string>): Promise<PrintedProgram>;
  /** Ends the programs and removes the folder. */
  close(): Promise<void>;
}

/** Makes a folder for the clients of a node. @param preload code that runs before each program */
export async function printedFolder(node: TestNode, preload = ""): Promise<PrintedFolder> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-printed-"));
  const write = (file: string, code: string) => writeFile(join(folder, file), code);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await symlink(node.environment.DATA_DIR ?? "", join(folder, ".data"));
  await write("package.json", '{"type": "module"}');
  await cp(join(ROOT, "dist/client/src"), join(folder, "signalbox-client"), { recursive: true });
  // The documents require Node.js 22, which has a WebSocket.
  await write(
    "preload.js",
    `import { WebSocket } from "ws";\nglobalThis.WebSocket ??= WebSocket;\n${preload}`,
  );
  for (const [file, code] of PRINTED_FILES) {
    const own = code
      .replaceAll("127.0.0.1:4000", new URL(node.baseUrl).host)
      .replaceAll("ws://127.0.0.1:5291", node.chatUrl);
    if (file.endsWith(".ts")) {
      await write(file.replace(/ts$/, "js"), ts.transpileModule(own, MODULES).outputText);
    } else await write(file, own);
  }
  const programs: PrintedProgram[] = [];
  const run: PrintedFolder["run"] = (file, args = [], environment = {}) => {
    const child = spawn(process.execPath, ["--import", "./preload.js", file, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines = new AsyncQueue<string>();
    let errors = "";
    child.stderr.on("data", (data) => {
      errors += data;
    });
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", (code) => {
        lines.end(`${file} ended: ${errors}`);
        resolve(code);
      });
    });
    programs.push({ child, next: () => lines.next(), ended });
    return programs.at(-1) as PrintedProgram;
  };
  let count = 0;
  return {
    run,
    async runCode(code, environment) {
      const file = `code-${++count}.js`;
      await write(file, code);
      return run(file, [], environment);
    },
    async close() {
      for (const { child, ended } of programs) {
        child.kill("SIGKILL");
        await ended;
      }
      await rm(folder, { recursive: true });
    },
  };
}
