/**
 * Seconds until an expiration, limited to 0 to `max`; undefined without an expiration.
 * @param expiration Unix seconds
 * @param now Unix milliseconds
 */
export function secondsLeft(
  expiration: number | null,
  now: number,
  max: number,
): number | undefined {
  if (expiration === null) return undefined;
  return Math.min(Math.max(Math.floor(expiration - now / 1000), 0), max);
}
