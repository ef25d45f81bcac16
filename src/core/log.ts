import pino, { type DestinationStream, type Logger } from "pino";

/** Structured log lines, JSON on standard output. Secrets and tokens never go into one. */
export type Log = Logger;

/** Keys that hold secrets, blanked wherever an object with them is logged by mistake. */
const SECRET_KEYS = [
  "password",
  "old_password",
  "token",
  "auth_secret",
  "authSecret",
  "account_key",
  "accountKey",
  "signature",
  "authorization",
  "svc-token",
  "svc-account-key",
  "cookie",
  "credential",
];

/** Where PostgreSQL's errors repeat the row that they are about; Prisma keeps them deeper. */
const ROWS = ['*["detail"]', "err.meta.driverAdapterError.cause.detail"];

/**
 * Opens the log at a level of pino's.
 * @param to where the lines go in place of standard output
 */
export function openLog(level: string, to?: DestinationStream): Log {
  const secrets = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  const redact = { paths: [...secrets, ...ROWS], censor: "[secret]" };
  const options = { level, base: null, redact };
  return to ? pino(options, to) : pino(options);
}
