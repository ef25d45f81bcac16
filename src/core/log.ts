import pino, { type DestinationStream, type Logger } from "pino";

/** Structured log: JSON lines on standard output. Never log secrets or tokens. */
export type Log = Logger;

/** Keys that hold secrets; their values are redacted in case such an object is logged by mistake. */
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

/** Paths where PostgreSQL errors repeat row values, directly and as wrapped by Prisma. */
const ROW_PATHS = ['*["detail"]', "err.meta.driverAdapterError.cause.detail"];

/**
 * Opens the log.
 * @param level a log level of pino
 * @param to replaces standard output
 */
export function openLog(level: string, to?: DestinationStream): Log {
  const secrets = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  const redact = { paths: [...secrets, ...ROW_PATHS], censor: "[secret]" };
  const options = { level, base: null, redact };
  return to ? pino(options, to) : pino(options);
}
