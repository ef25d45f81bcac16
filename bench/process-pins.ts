import { cpus } from "node:os";
import { findProgram, run } from "../scripts/services/binaries";

/** The core of the measured server, and the core of everything else: driver, PostgreSQL, Redis. */
export const CORES = { server: 0, driver: 1 } as const;

/**
 * Moves this process to the driver's core; processes that it starts afterwards inherit the affinity.
 * @throws Error if the machine has only one core or no taskset
 */
export async function pinDriver(): Promise<void> {
  if (cpus().length < 2) {
    throw new Error("Benchmarks need two cores, one for the server and one for the driver");
  }
  await pin(process.pid, CORES.driver);
}

/** Moves a process that was started otherwise to the server's core. */
export async function pinServer(pid: number): Promise<void> {
  await pin(pid, CORES.server);
}

/** Moves a process with all its threads to a core. */
async function pin(pid: number, core: number): Promise<void> {
  await run(findProgram("taskset"), ["-a", "-p", "-c", String(core), String(pid)]);
}

/** The command line that starts a program on the server's core; taskset keeps the process id. */
export function onServerCore(program: string, args: string[]): [program: string, args: string[]] {
  return [findProgram("taskset"), ["-c", String(CORES.server), program, ...args]];
}
