import { randomInteger } from "../../core/random";

/** Back-off before each further attempt, in milliseconds. */
const DELAYS_MS = [10_000, 30_000, 120_000, 600_000, 1_800_000];

/** Maximum number of attempts per delivery. */
export const ATTEMPTS_MAX = DELAYS_MS.length + 1;

/** Upper bound for a delay that a provider requests. */
const DELAY_MAX_MS = 6 * 60 * 60 * 1000;

/**
 * Back-off before the next attempt, in milliseconds: increasing, with jitter, and never shorter than the
 * provider requested.
 * @param attempts number of attempts so far
 * @param requested delay that the provider requested, in milliseconds; null without one
 * @returns null after the last attempt
 */
export function retryDelay(attempts: number, requested: number | null): number | null {
  const delay = DELAYS_MS[attempts - 1];
  if (delay === undefined) return null;
  return Math.min(DELAY_MAX_MS, Math.max(randomInteger(delay, delay * 1.5), requested ?? 0));
}
