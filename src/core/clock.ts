/** Where the time comes from. Tests put their own in its place, so that nothing has to sleep. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 in UTC to the second, `2018-12-05T11:58:02Z`, the form of every date on the wire. */
export function isoSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
