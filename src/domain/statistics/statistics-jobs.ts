import type { Clock } from "../../core/clock";
import type { Jobs } from "../../platform/jobs/jobs";
import type { Store } from "../../platform/store/store";
import { countLiveSessionsOfEach } from "../sessions/application-session-queries";
import { LIVE_COUNT_MAX } from "./activity";
import { deleteGoneNodes } from "./open-sockets-queries";
import { bucketRange, type Period, STATISTICS_PERIODS } from "./statistics";
import {
  addSamples,
  deleteOldStatistics,
  findActiveApplications,
  STATISTICS_BATCH,
  STATISTICS_PURGE_BATCH,
} from "./statistics-queries";

/** Interval between two samples of open sockets and live sessions, in seconds. */
const SAMPLE_SECONDS = 60;
/** Interval between two purges, in seconds. */
const PURGE_SECONDS = 600;
/** Time without traffic after which an application without sockets is not sampled any more, in milliseconds. */
const ACTIVE_MS = 3 * 60_000;

type JobDeps = { store: Store; clock: Clock };

/** Starts the jobs of this module; one node runs each. */
export function startStatisticsJobs(deps: JobDeps & { jobs: Jobs }): void {
  const { jobs } = deps;
  jobs.work("statistics-sample", () => sampleApplications(deps), { everySeconds: SAMPLE_SECONDS });
  jobs.work("statistics-purge", () => purgeStatistics(deps), { everySeconds: PURGE_SECONDS });
}

/** Adds the open sockets and live sessions of the applications that are in use to their statistics. */
export async function sampleApplications({ store, clock }: JobDeps): Promise<void> {
  const now = clock.now();
  const minute = now - (now % 60_000);
  let after = 0;
  for (;;) {
    const since = new Date(now - ACTIVE_MS);
    const active = await findActiveApplications(store, since, after);
    const ids = active.map(({ applicationId }) => applicationId);
    const sessions = await countLiveSessionsOfEach(store, ids, new Date(now), LIVE_COUNT_MAX);
    await addSamples(
      store,
      active.map((sockets) => ({
        ...sockets,
        minute,
        sessions: sessions.get(sockets.applicationId) ?? 0,
      })),
    );
    if (active.length < STATISTICS_BATCH) return;
    after = ids.at(-1) ?? after;
  }
}

/** Deletes the statistics from before each period, and what nodes have left that are gone. */
export async function purgeStatistics({ store, clock }: JobDeps): Promise<void> {
  const now = clock.now();
  for (const period of Object.keys(STATISTICS_PERIODS) as Period[]) {
    const [from] = bucketRange(period, now);
    const { seconds } = STATISTICS_PERIODS[period];
    while ((await deleteOldStatistics(store, seconds, from)) === STATISTICS_PURGE_BATCH);
  }
  await deleteGoneNodes(store);
}
