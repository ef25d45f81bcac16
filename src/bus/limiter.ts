/** How often something may happen within a window of time. */
export interface Budget {
  /** Keys of budgets of other names are apart. */
  name: string;
  /** Times within a window; more are refused until it ends. */
  limit: number;
  /** Seconds of a window, which begins with the first time. */
  seconds: number;
}

/** What failures are counted by. */
export interface Track {
  key: string;
  /** Failures without a wait; 0 counts none. */
  free: number;
  /** Milliseconds of the longest wait. */
  longest: number;
}

/** Somebody's attempt to show that he knows a secret. */
export interface Attempt {
  /** The name together with the address: who guesses at one account waits here first. */
  pair: Track;
  /**
   * The name from any address. Does not bind an address that the right secret came from not long ago,
   * so that strangers cannot keep the owner out.
   */
  name: Track;
  /** The address with any name: who tries one secret on many accounts waits here. */
  address: Track;
}

/** Milliseconds that failures are remembered after the last one. */
export const FAILURES_MS = 3_600_000;
/** Milliseconds that an address is known for after the right secret came from it. */
export const KNOWN_MS = 7 * 86_400_000;
/** Milliseconds of the first wait; every further failure doubles it. */
export const FIRST_WAIT_MS = 1_000;

/** What a budget's window holds. */
export interface Added {
  count: number;
  endsInMs: number;
}

/**
 * Counts what must not happen too often, for all nodes of a deployment together. Nobody waits in here:
 * callers are told how long to stay away.
 */
export interface Limiter {
  /** Counts one more against a budget. Answers the milliseconds to stay away, 0 when it is within. */
  take(budget: Budget, key: string): Promise<number>;

  /**
   * Adds what was counted elsewhere to a budget, whether or not it is within.
   * @returns what its window holds by now; undefined where the others cannot be told
   */
  add(budget: Budget, key: string, count: number): Promise<Added | undefined>;

  /**
   * Counts an attempt as failed before it is judged, so that many at once gain nothing.
   * Answers the milliseconds to stay away, 0 when it may be judged; only then it was counted.
   */
  begin(attempt: Attempt): Promise<number>;

  /**
   * Takes an attempt's failure back: `right` also forgets the name's other failures and knows the
   * address from now on, `void` is for an attempt that could not be judged.
   */
  settle(attempt: Attempt, outcome: "right" | "void"): Promise<void>;
}

/** The wait after so many failures, in milliseconds. */
export function waitAfter(failures: number, { free, longest }: Track): number {
  if (failures < free) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures - free, 20), longest);
}
