import { type ChildProcess, execFile, spawn } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

/** Runs a program until it exits. Rejects with its error output if it fails. */
export const run = promisify(execFile);

/**
 * Finds a program in Debian's PostgreSQL folders, newest version first, or in PATH.
 * @param packages Debian packages that contain it
 * @throws Error that names the packages to install
 */
export function findProgram(name: string, packages = "postgresql redis-server"): string {
  for (const folder of [...postgresFolders(), ...(process.env.PATH ?? "").split(":")]) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder; try the next one.
    }
  }
  throw new Error(
    `${name} is not installed; tests and benchmarks with real services need it: apt-get install ${packages}`,
  );
}

function postgresFolders(): string[] {
  const root = "/usr/lib/postgresql";
  try {
    return readdirSync(root)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(root, version, "bin"));
  } catch {
    return [];
  }
}

/** A TCP port of the loopback address that is currently free. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === "object") resolve(address.port);
        else reject(new Error("the listener has no port"));
      });
    });
  });
}

/** Retries every 50 ms until the attempt succeeds. @throws the last error after a minute */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === 1_200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** A server in a child process. */
export class Server {
  private constructor(
    private readonly child: ChildProcess,
    private readonly output: () => string,
    private readonly ended: Promise<void>,
  ) {}

  /** Starts a program in the foreground, optionally as another user. */
  static start(program: string, args: string[], uid?: number, gid?: number): Server {
    const child = spawn(program, args, { uid, gid, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", (error) => {
        output += String(error);
        resolve();
      });
    });
    return new Server(child, () => output, ended);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves with the signal by which the process has ended; null if it has exited. */
  async endedBy(): Promise<NodeJS.Signals | null> {
    await this.ended;
    return this.child.signalCode;
  }

  /** Waits until a probe succeeds. @throws Error with the server's output on a timeout or exit */
  async ready(probe: () => Promise<unknown>): Promise<void> {
    try {
      await eventually(async () => {
        if (this.child.exitCode !== null) return;
        await probe();
      });
    } catch (error) {
      throw new Error(`The server does not respond: ${String(error)}\n${this.output()}`);
    }
    if (this.child.exitCode !== null) throw new Error(`The server exited:\n${this.output()}`);
  }

  /** Stops the process and waits for its exit. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.ended;
  }
}
