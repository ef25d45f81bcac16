import { type FanOutBenchmark, runFanOut } from "./fan-out";
import { type LoadJob, runLoad } from "./load";
import type { LoadResult } from "./load-result";
import type { SignalJob } from "./signals/job";
import { runSignals } from "./signals/signal-driver";

/** A job of the driver. */
export type Job = LoadJob | FanOutBenchmark | SignalJob;

/** A message of the driver to its parent. */
export type Report = { outcome: LoadResult } | { problem: string };

/**
 * The driver: a separate process on its own core. It runs the jobs of its parent in sequence and exits with the
 * parent.
 */
process.on("message", (job: Job) => {
  run(job).then(
    (outcome) => process.send?.({ outcome } satisfies Report),
    (error: unknown) => process.send?.({ problem: String(error) } satisfies Report),
  );
});

function run(job: Job): Promise<LoadResult> {
  if (job.kind === "load") return runLoad(job);
  if (job.kind === "fan-out") return runFanOut(job);
  return runSignals(job);
}

process.once("disconnect", () => process.exit(0));
