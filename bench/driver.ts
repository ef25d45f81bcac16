import { type FanOutJob, runFanOut } from "./fan-out";
import { type LoadJob, runLoad } from "./load";
import { runSignals } from "./signals/crowd";
import type { SignalJob } from "./signals/job";

/** What the driver is asked for. */
export type Job = LoadJob | FanOutJob | SignalJob;

/** What came of a job. */
export interface Outcome {
  /** Requests that were answered, or messages that were delivered, within the window. */
  count: number;
  /** Length of the window. */
  seconds: number;
  /** Milliseconds from sending to having, half of them and 99 % of them. */
  p50: number;
  p99: number;
  /** Answers by HTTP status, and `error` for connections that broke; of a load that offers a rate alone. */
  statuses?: Record<string, number>;
}

/** What the driver answers. */
export type Report = { outcome: Outcome } | { problem: string };

/**
 * The driver, a process of its own on a core of its own: takes one job after the other from its
 * parent, and ends with it.
 */
process.on("message", (job: Job) => {
  run(job).then(
    (outcome) => process.send?.({ outcome } satisfies Report),
    (error: unknown) => process.send?.({ problem: String(error) } satisfies Report),
  );
});

function run(job: Job): Promise<Outcome> {
  if (job.kind === "load") return runLoad(job);
  if (job.kind === "fan-out") return runFanOut(job);
  return runSignals(job);
}

process.once("disconnect", () => process.exit(0));
