import type { Config } from "../../core/config";
import { messageOf } from "../../store/error-parts";
import type { ServerAccess } from "../server";

/** How a check ended; only `wrong` makes the whole end with 1. */
export type Status = "ok" | "warning" | "wrong" | "skipped";

/** What a check found. */
export interface Finding {
  /** What was looked at, as `database`. */
  check: string;
  status: Status;
  /** What there is, or what is wrong with it. */
  detail: string;
  /** How to mend it, of a warning and of what is wrong. */
  mend?: string;
}

/** Nothing is wrong with it. */
export function ok(check: string, detail: string): Finding {
  return { check, status: "ok", detail };
}

/** It works, and may fail one day or for somebody. */
export function warning(check: string, detail: string, mend: string): Finding {
  return { check, status: "warning", detail, mend };
}

/** It does not work. */
export function wrong(check: string, detail: string, mend: string): Finding {
  return { check, status: "wrong", detail, mend };
}

/** It was not looked at, and why. */
export function skipped(check: string, detail: string): Finding {
  return { check, status: "skipped", detail };
}

/** A number with the word for what is counted, as `1 warning`, `2 warnings`. */
export const counted = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? "" : "s"}`;

/** What the checks look at: the configuration, and the server that may run with it. */
export interface Patient {
  config: Config;
  access: ServerAccess;
  server: RunningServer;
}

/** A server at the address that the command line asks. */
export interface RunningServer {
  url: string;
  /** `none` answers, or a `stranger` does that is no Signalbox. */
  state: "none" | "stranger" | "not ready" | "ready";
  /** Null where it does not say. */
  version: string | null;
}

/**
 * Does a check, which fails by a word where it throws, and is given up after some seconds: nothing that
 * is looked at may keep the rest waiting.
 */
export async function within(
  seconds: number,
  check: string,
  mend: string,
  act: () => Promise<Finding[]>,
): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    const detail = `gives no answer within ${seconds} seconds`;
    timer = setTimeout(() => resolve([wrong(check, detail, mend)]), seconds * 1000);
  });
  try {
    return await Promise.race([act(), late]);
  } catch (error) {
    return [wrong(check, messageOf(error), mend)];
  } finally {
    clearTimeout(timer);
  }
}
