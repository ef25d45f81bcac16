import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Job, Report } from "./driver";
import type { LoadResult } from "./load-result";

/** Time that a job may take in addition to its window, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** The parent's handle of the driver process, which inherits the parent's core. */
export class Driver {
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(join(__dirname, "driver.js"));
  }

  /** Runs a job. @throws Error with the driver's reason or on a timeout */
  async run(job: Job): Promise<LoadResult> {
    const limit = AbortSignal.timeout(job.seconds * 1000 + TIMEOUT_MS);
    const answered = once(this.child, "message", { signal: limit });
    this.child.send(job);
    const [report] = (await answered) as [Report];
    if ("problem" in report) throw new Error(report.problem);
    return report.outcome;
  }

  stop(): void {
    this.child.kill();
  }
}
