import { integerBetween } from "../../core/random";

/** Milliseconds before each further attempt. */
const DELAYS = [10_000, 30_000, 120_000, 600_000, 1_800_000];

/** Attempts of a delivery at most. */
export const ATTEMPTS_MAX = DELAYS.length + 1;

/** The longest that a provider's own word is heeded. */
const DELAY_MAX = 6 * 60 * 60 * 1000;

/**
 * Milliseconds to wait before a delivery is tried again: longer each time, with chance added so that
 * what failed together does not come back together, and never shorter than the provider said.
 * @param attempts how many there have been
 * @param asked what the provider said; null if it did not
 * @returns null when it was the last attempt
 */
export function retryDelay(attempts: number, asked: number | null): number | null {
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return null;
  return Math.min(DELAY_MAX, Math.max(integerBetween(delay, delay * 1.5), asked ?? 0));
}
