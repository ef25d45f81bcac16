import { formatNumber } from "../../formats.ts";
import type {
  ActivityFieldsFragment,
  CountFieldsFragment,
  StatisticsFieldsFragment,
} from "./overview.generated.ts";
import { overviewStrings } from "./strings.ts";

const texts = overviewStrings;

/** The time that statistics cover. */
export type Period = StatisticsFieldsFragment["period"];
export type Activity = ActivityFieldsFragment;
export type Statistics = StatisticsFieldsFragment;
export type Counts = CountFieldsFragment;

/** What the page shows of an application, or of the account. */
export interface Overview {
  statistics: Statistics;
  activity: Activity;
}

const FORMATS: Readonly<Record<Period, Intl.DateTimeFormat>> = {
  HOUR: new Intl.DateTimeFormat(undefined, { timeStyle: "short" }),
  DAY: new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }),
  // Buckets are days of UTC.
  MONTH: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" }),
};

/** The name of a bucket on the axis of a chart. */
export function bucketLabel(startsAt: string, period: Period): string {
  return FORMATS[period].format(new Date(startsAt));
}

/** A number that is counted up to a limit, such as “10,000+”. */
export function formatCount({ count, isExact }: { count: number; isExact: boolean }): string {
  return isExact ? formatNumber(count) : texts.orMore(formatNumber(count));
}

/** All attempts to send a push, beside those that another one follows. */
export function pushTotal({ pushes: { accepted, failed, unregistered } }: Counts): number {
  return accepted + failed + unregistered;
}

/** Errors of all codes. */
export function errorTotal({ errors }: Counts): number {
  return errors.reduce((sum, { count }) => sum + count, 0);
}
