import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Job, Outcome, Report } from "./driver";

/** Milliseconds beyond its window that a job may take. */
const PATIENCE_MS = 60_000;

/** The driver, as its parent sees it. It is born on the core of its parent. */
export class Driver {
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(join(__dirname, "driver.js"));
  }

  /** Does a job. @throws Error with the driver's reason, or when it falls silent */
  async run(job: Job): Promise<Outcome> {
    const limit = AbortSignal.timeout(job.seconds * 1000 + PATIENCE_MS);
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
