/** Where the time comes from. Tests put their own in its place, so that nothing has to sleep. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

const DAY_MS = 86_400_000;
const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);

let dayNumber = Number.NaN;
let dayText = "";

/**
 * ISO 8601 in UTC to the second, `2018-12-05T11:58:02Z`, the form of every date on the wire. Lists
 * hold hundreds of times, mostly of few days, so the last day's text is kept.
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

/** Milliseconds by a clock that nobody sets, for what lies between two looks at it. */
export const elapsed = (): number => performance.now();
