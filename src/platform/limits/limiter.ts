/** How often something may happen within a time window. */
export interface RateLimit {
  /** Namespace of the keys. */
  name: string;
  /** Maximum count within a window; beyond it, requests are refused until the window ends. */
  limit: number;
  /** Length of a window in seconds; it begins with the first request. */
  seconds: number;
}

/** A counter of failed attempts. */
export interface FailureCounter {
  key: string;
  /** Number of failures without a wait; 0 disables the counter. */
  allowed: number;
  /** Longest wait in milliseconds. */
  longest: number;
}

/** An attempt to prove knowledge of a secret. */
export interface AttemptCounters {
  /** Counts by name and address together; limits guesses at one account first. */
  pair: FailureCounter;
  /**
   * Counts by name, from any address. It does not apply to an address that recently sent the correct secret,
   * so that strangers cannot lock out the owner.
   */
  name: FailureCounter;
  /** Counts by address, for any name; limits trying one secret on many accounts. */
  address: FailureCounter;
}

/** How long failures are kept after the last one, in milliseconds. */
export const FAILURES_TTL_MS = 3_600_000;
/** How long an address counts as known after it sent the correct secret, in milliseconds. */
export const KNOWN_ADDRESS_TTL_MS = 7 * 86_400_000;
/** The first wait in milliseconds; every further failure doubles it. */
export const FIRST_WAIT_MS = 1_000;

/** The state of a rate limit's window. */
export interface WindowState {
  count: number;
  endsInMs: number;
}

/**
 * Enforces rate limits for all nodes of a deployment together. It never delays a caller; it returns how long
 * the caller has to wait.
 */
export interface Limiter {
  /**
   * Counts a request against a rate limit. Returns the wait in milliseconds, 0 if it is allowed.
   * @param points weight of the request; 1 when omitted
   */
  take(rateLimit: RateLimit, key: string, points?: number): Promise<number>;

  /**
   * Adds to a rate limit what was counted elsewhere, even beyond the limit.
   * @returns the state of its window; undefined if the other nodes cannot be reached
   */
  add(rateLimit: RateLimit, key: string, count: number): Promise<WindowState | undefined>;

  /** Returns the wait in milliseconds before the next attempt, 0 if there is none. Counts nothing. */
  waitBefore(attempt: AttemptCounters): Promise<number>;

  /**
   * Counts an attempt as failed before the secret is checked, so that parallel attempts gain nothing.
   * Returns the wait in milliseconds, or 0 if the secret may be checked; only then the attempt was counted.
   */
  reserve(attempt: AttemptCounters): Promise<number>;

  /**
   * Undoes the failure that was counted for an attempt. `correct` also clears the name's other failures and
   * marks the address as known; `unchecked` is for an attempt whose secret could not be checked.
   */
  commit(attempt: AttemptCounters, outcome: "correct" | "unchecked"): Promise<void>;
}

/** The wait after a number of failures, in milliseconds. @param first the first wait */
export function waitAfter(
  failures: number,
  { allowed, longest }: FailureCounter,
  first: number,
): number {
  if (failures < allowed) return 0;
  return Math.min(first * 2 ** Math.min(failures - allowed, 20), longest);
}
