/** Source of the current time. Tests replace it, so that they need not sleep. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

const DAY_MS = 86_400_000;
const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);

let dayNumber = Number.NaN;
let dayText = "";

/**
 * Formats a date as ISO 8601 in UTC with seconds, `2018-12-05T11:58:02Z`, as every date on the wire.
 * A list holds hundreds of dates, most of them of the same few days, so the text of the last day is cached.
 */
export function isoSeconds(date: Date): string {
  const ms = date.getTime();
  const day = Math.floor(ms / DAY_MS);
  if (day !== dayNumber) {
    dayText = date.toISOString().slice(0, -13);
    dayNumber = day;
  }
  const seconds = Math.floor((ms - day * DAY_MS) / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${dayText}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}Z`;
}

/** Milliseconds of a monotonic clock, to measure durations. */
export const monotonicNow = (): number => performance.now();
