import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a run of measurements started or made, and how each is undone, the last first. */
export class Run {
  private readonly steps: Array<() => unknown> = [];

  /** Remembers how to undo what was just done. */
  undo(step: () => unknown): void {
    this.steps.push(step);
  }

  /** Undoes what was done last. */
  async undoLast(): Promise<void> {
    await this.steps.pop()?.();
  }

  async undoAll(): Promise<void> {
    while (this.steps.length > 0) await this.undoLast();
  }

  /** Makes a folder that goes with the run. */
  async folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "signalbox-bench-"));
    this.undo(() => rm(path, { recursive: true, force: true }));
    return path;
  }
}

/**
 * Does the work of a program that measures, and undoes what it left, also when it fails, is interrupted
 * or takes longer than the limit.
 */
export function startRun(limitMs: number, work: (run: Run) => Promise<void>): void {
  const run = new Run();
  const breakOff = (reason: unknown) => {
    console.error(reason);
    void run.undoAll().finally(() => process.exit(1));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, breakOff);
  setTimeout(breakOff, limitMs, "The run took too long").unref();
  work(run)
    .then(() => run.undoAll())
    .catch(breakOff);
}
