import { type ChildProcess, execFile, spawn } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

/** Runs a program to its end; rejects with its error output when it fails. */
export const run = promisify(execFile);

/**
 * Finds a program in PATH or where Debian keeps PostgreSQL's, the newest version first.
 * @param packages Debian's packages that have it
 * @throws Error that says what to install
 */
export function findProgram(name: string, packages = "postgresql redis-server"): string {
  for (const folder of [...postgresFolders(), ...(process.env.PATH ?? "").split(":")]) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not there; the next folder may have it.
    }
  }
  throw new Error(
    `${name} is not installed, which tests and measurements on real services need: apt-get install ${packages}`,
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

/** A TCP port of the loopback address that is free now. */
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

/** Tries until it succeeds, every 50 ms; after a minute and more the last error counts. */
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

/** A server that was started as a process of its own. */
export class Server {
  private constructor(
    private readonly child: ChildProcess,
    private readonly output: () => string,
    private readonly ended: Promise<void>,
  ) {}

  /** Starts a program in the foreground; with a user id, as that user. */
  static start(program: string, words: string[], uid?: number, gid?: number): Server {
    const child = spawn(program, words, { uid, gid, stdio: ["ignore", "pipe", "pipe"] });
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

  /** Waits until a probe succeeds. @throws Error with what the server printed, when it never does */
  async ready(probe: () => Promise<unknown>): Promise<void> {
    try {
      await eventually(async () => {
        if (this.child.exitCode !== null) return;
        await probe();
      });
    } catch (error) {
      throw new Error(`The server does not answer: ${String(error)}\n${this.output()}`);
    }
    if (this.child.exitCode !== null) throw new Error(`The server ended:\n${this.output()}`);
  }

  /** Ends the process and waits until it has ended. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.ended;
  }
}
