import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Clean-up steps of a benchmark run, which are executed in reverse order. */
export class BenchmarkRun {
  private readonly steps: Array<() => unknown> = [];

  /** Registers the clean-up of what was just started or created. */
  onCleanUp(step: () => unknown): void {
    this.steps.push(step);
  }

  /** Runs the most recent clean-up step. */
  async cleanUpLast(): Promise<void> {
    await this.steps.pop()?.();
  }

  async cleanUp(): Promise<void> {
    while (this.steps.length > 0) await this.cleanUpLast();
  }

  /** Creates a temporary folder, which is deleted at the end of the run. */
  async createTempFolder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "signalbox-bench-"));
    this.onCleanUp(() => rm(path, { recursive: true, force: true }));
    return path;
  }
}

/**
 * Runs a benchmark and cleans up afterwards, also if it fails, is interrupted or exceeds the time limit.
 */
export function startRun(limitMs: number, work: (run: BenchmarkRun) => Promise<void>): void {
  const run = new BenchmarkRun();
  const abort = (reason: unknown) => {
    console.error(reason);
    void run.cleanUp().finally(() => process.exit(1));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, abort);
  setTimeout(abort, limitMs, "The run exceeded its time limit").unref();
  work(run)
    .then(() => run.cleanUp())
    .catch(abort);
}
