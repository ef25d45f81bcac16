import { cpus } from "node:os";
import { findProgram, run } from "../scripts/services/binaries";

/** The core of what is measured, and the core of what drives it: driver, PostgreSQL, Redis. */
export const CORES = { server: 0, driver: 1 } as const;

/**
 * Moves this process to the driver's core; what it starts from then on is born there.
 * @throws Error when the machine has one core only, or no taskset
 */
export async function pinDriver(): Promise<void> {
  if (cpus().length < 2) {
    throw new Error("Two cores are needed, one for the server and one for the driver");
  }
  await run(findProgram("taskset"), ["-a", "-p", "-c", String(CORES.driver), String(process.pid)]);
}

/** The words that start a program on the server's core; taskset keeps the process id. */
export function onServerCore(program: string, words: string[]): [program: string, words: string[]] {
  return [findProgram("taskset"), ["-c", String(CORES.server), program, ...words]];
}
