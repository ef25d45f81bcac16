import { closedError } from "../errors.ts";

/** First wait, in milliseconds. */
const FIRST_MS = 500;
/** Longest wait, in milliseconds. */
export const LONGEST_MS = 15_000;

/**
 * Exponential back-off with jitter: half of the wait is fixed, half is random.
 * @param failures number of attempts in a row that have failed, from 1
 * @returns wait before the next attempt, in milliseconds
 */
export function backoffMs(failures: number): number {
  const wait = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
  return wait * (0.5 + Math.random() / 2);
}

/**
 * Waits for a promise, or until the signal is aborted.
 * @throws what the promise is rejected with; SignalboxError CLOSED if it was aborted
 */
export function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(closedError());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/**
 * Waits, until the time has passed or the signal is aborted. Never rejects.
 * @param wake called with a function that ends the wait early; it returns a function that undoes this
 */
export function sleep(
  ms: number,
  signal?: AbortSignal,
  wake?: (end: () => void) => () => unknown,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      undo?.();
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    const undo = wake?.(end);
  });
}
