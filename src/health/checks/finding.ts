import type { Problem } from "../../core/startup/start-error";
import { errorMessage } from "../../store/error-properties";

/** Outcome of a check. Only `error` makes the command exit with 1. */
export type Status = "ok" | "warning" | "error" | "skipped";

/** One result of a check. */
export interface Finding {
  /** Name of the check, for example `database`. */
  check: string;
  status: Status;
  /** What was found, or what the problem is. */
  detail: string;
  /** How to fix it; set for `warning` and `error`. */
  fix?: string;
}

/** Passed. */
export function ok(check: string, detail: string): Finding {
  return { check, status: "ok", detail };
}

/** Works, but may fail later or for some clients. */
export function warning(check: string, detail: string, fix: string): Finding {
  return { check, status: "warning", detail, fix };
}

/** Does not work. */
export function failure(check: string, detail: string, fix: string): Finding {
  return { check, status: "error", detail, fix };
}

/** Does not work, and would keep the service from starting. */
export function problem(check: string, { detail, fix }: Problem): Finding {
  return failure(check, detail, `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`);
}

/** Not checked, with the reason. */
export function skipped(check: string, detail: string): Finding {
  return { check, status: "skipped", detail };
}

/** A count with its noun: `1 warning`, `2 warnings`. */
export const pluralize = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? "" : "s"}`;

/**
 * Runs a check with a timeout. An exception or a timeout becomes an `error` finding, so that one check cannot
 * block the others.
 */
export async function withTimeout(
  seconds: number,
  check: string,
  fix: string,
  act: () => Promise<Finding[]>,
): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<Finding[]>((resolve) => {
    const detail = `no answer within ${seconds} seconds`;
    timer = setTimeout(() => resolve([failure(check, detail, fix)]), seconds * 1000);
  });
  try {
    return await Promise.race([act(), timedOut]);
  } catch (error) {
    return [failure(check, errorMessage(error), fix)];
  } finally {
    clearTimeout(timer);
  }
}
