import type { ErrorCode } from "../../core/errors";
import {
  type Counter,
  ERROR_COUNTERS,
  EVENT_COUNTERS,
  type SocketCounts,
} from "../../core/statistics/application-counters";
import type { StatisticsDeps } from "./statistics-deps";
import { RESOLUTIONS, readStatistics, type StatisticsRow } from "./statistics-queries";

/** The periods of statistics: their resolution in seconds, and the number of rows of that resolution. */
export const STATISTICS_PERIODS = {
  hour: { seconds: RESOLUTIONS.minute, buckets: 60 },
  day: { seconds: RESOLUTIONS.hour, buckets: 24 },
  month: { seconds: RESOLUTIONS.day, buckets: 30 },
} as const;

/** A period of {@link STATISTICS_PERIODS}. */
export type Period = keyof typeof STATISTICS_PERIODS;

/** The counters of a time. */
export type Counts = Record<Counter, number>;

/** The statistics of one bucket of a period. */
export interface StatisticsPoint {
  startsAt: Date;
  counts: Counts;
  sockets: SocketCounts;
  /** Null without a sample. */
  sessions: number | null;
}

/** The statistics of a period, with a point for each of its buckets, oldest first. */
export interface PeriodStatistics {
  period: Period;
  from: Date;
  bucketSeconds: number;
  totals: Counts;
  series: StatisticsPoint[];
}

/** The first and the last bucket of a period that ends now; the last one is not over yet. */
export function bucketRange(period: Period, now: number): readonly [from: Date, to: Date] {
  const { seconds, buckets } = STATISTICS_PERIODS[period];
  const ms = seconds * 1000;
  const last = Math.floor(now / ms) * ms;
  return [new Date(last - (buckets - 1) * ms), new Date(last)];
}

/** Makes a point for each bucket of a period, of stored rows that leave out buckets without traffic. */
export function toPeriodStatistics(
  period: Period,
  [from]: readonly [Date, Date],
  rows: readonly StatisticsRow[],
): PeriodStatistics {
  const { seconds, buckets } = STATISTICS_PERIODS[period];
  const stored = new Map(rows.map((row) => [row.startsAt.getTime(), row]));
  const series = Array.from({ length: buckets }, (_, index): StatisticsPoint => {
    const at = from.getTime() + index * seconds * 1000;
    return stored.get(at) ?? emptyPoint(new Date(at));
  });
  return { period, from, bucketSeconds: seconds, totals: sumOf(series), series };
}

/** The statistics of applications together, in a period that ends now. */
export async function statisticsOf(
  { store, clock }: StatisticsDeps,
  applicationIds: readonly number[],
  period: Period,
): Promise<PeriodStatistics> {
  const range = bucketRange(period, clock.now());
  const { seconds } = STATISTICS_PERIODS[period];
  return toPeriodStatistics(
    period,
    range,
    await readStatistics(store, applicationIds, seconds, range),
  );
}

/** The codes of errors that occurred, with their numbers, the most frequent first. */
export function errorCounts(counts: Counts): Array<{ code: ErrorCode; count: number }> {
  return ERROR_COUNTERS.map((code) => ({ code, count: counts[code] }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

const COUNTERS: readonly Counter[] = [...EVENT_COUNTERS, ...ERROR_COUNTERS];

function sumOf(points: readonly StatisticsPoint[]): Counts {
  return Object.fromEntries(
    COUNTERS.map((counter) => [
      counter,
      points.reduce((sum, { counts }) => sum + counts[counter], 0),
    ]),
  ) as Counts;
}

function emptyPoint(startsAt: Date): StatisticsPoint {
  const counts = Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Counts;
  return { startsAt, counts, sockets: { graphql: 0, xmpp: 0, janus: 0 }, sessions: null };
}
