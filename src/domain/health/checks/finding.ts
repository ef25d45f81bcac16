import type { Problem } from "../../../core/startup/start-error";
import { errorMessage } from "../../../platform/store/error-properties";

/** Outcome of a check. Only `error` makes the command exit with 1. */
export type Status = "ok" | "warning" | "error" | "skipped";

/**
 * Names of all checks, in output order. test/flow/cli/doctor-breakages.test.ts breaks what each one checks.
 */
export const CHECK_ORDER = [
  "configuration",
  "server",
  "owner",
  "data folder",
  "secret files",
  "database",
  "migrations",
  "nodes",
  "jobs",
  "failed jobs",
  "secret key",
  "key strength",
  "redis",
  "redis access",
  "clock: database",
  "clock: redis",
  "port",
  "chat port",
  "chat port: wss",
  "chat port: tcp",
  "chat port: tls",
  "chat server",
  "media ports",
  "media server",
  "turn",
  "certificate",
  "mail",
  "encryption",
  "proxy",
  "limits",
  "private networks",
  "schema",
  "metrics",
  "exposure",
  "conference port",
  "conference port: wss",
  "providers",
  "provider: facebook",
  "provider: twitter",
  "provider: firebase",
] as const;

/** Name of a check. */
export type CheckName = (typeof CHECK_ORDER)[number];

/** One result of a check. */
export interface Finding {
  /** Name of the check, for example `database`. */
  check: CheckName;
  status: Status;
  /** What was found, or what the problem is. */
  detail: string;
  /** How to fix it; set for `warning` and `error`. */
  fix?: string;
}

/** Passed. */
export function ok(check: CheckName, detail: string): Finding {
  return { check, status: "ok", detail };
}

/** Works, but may fail later or for some clients. */
export function warning(check: CheckName, detail: string, fix: string): Finding {
  return { check, status: "warning", detail, fix };
}

/** Does not work. */
export function failure(check: CheckName, detail: string, fix: string): Finding {
  return { check, status: "error", detail, fix };
}

/** Does not work, and would keep the service from starting. */
export function problem(check: CheckName, { detail, fix }: Problem): Finding {
  return failure(check, detail, `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`);
}

/** Not checked, with the reason. */
export function skipped(check: CheckName, detail: string): Finding {
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
  check: CheckName,
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
