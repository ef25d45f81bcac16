import type { Log } from "../../core/log";
import type { ApplicationCounters } from "../../core/statistics/application-counters";
import type { Jobs } from "../../platform/jobs/jobs";
import type { StatisticsDeps } from "./statistics-deps";
import { startStatisticsJobs } from "./statistics-jobs";
import { StatisticsWriter } from "./statistics-writer";

/** The open module. */
export interface StatisticsModule extends StatisticsDeps {
  /** Writes what this node has counted so far. */
  flush(): Promise<void>;
  /** Writes the last counts. */
  close(): Promise<void>;
}

/** Opens the statistics: writes what this node counts, and starts the jobs. */
export function openStatistics(
  deps: StatisticsDeps & {
    log: Log;
    jobs: Jobs;
    counters: ApplicationCounters;
    nodeId: string;
    intervalMs?: number | undefined;
  },
): StatisticsModule {
  const { store, clock } = deps;
  const writer = new StatisticsWriter(deps);
  startStatisticsJobs(deps);
  return {
    store,
    clock,
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}
