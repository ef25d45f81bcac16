import pino, { type DestinationStream, type Logger } from "pino";
import { monotonicNow } from "./clock";
import { formatLogLine } from "./log-lines";
import { isTracingOn, openTracing, traceIds } from "./tracing";

/** Structured log on standard output: JSON lines, or text on a terminal. Never log secrets or tokens. */
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
  "svc-api-key",
  "svc-account-key",
  "cookie",
  "credential",
];

/** Paths where PostgreSQL errors repeat row values, directly and as wrapped by Prisma. */
const ROW_PATHS = ['*["detail"]', "err.meta.driverAdapterError.cause.detail"];

/**
 * Opens the log. In a process with an SDK of OpenTelemetry, its lines have the ids of the span that they are written in.
 * @param level a log level of pino
 * @param to replaces standard output, and gets JSON lines
 * @param output standard output, which decides the form
 */
export function openLog(
  level: string,
  to?: DestinationStream,
  output: NodeJS.WriteStream = process.stdout,
): Log {
  const secrets = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);
  const redact = { paths: [...secrets, ...ROW_PATHS], censor: "[secret]" };
  openTracing();
  const options = { level, base: null, redact, ...(isTracingOn() && { mixin: traceIds }) };
  if (to) return pino(options, to);
  if (!output.isTTY) return pino(options);
  return pino(options, {
    write: (line) => void output.write(formatLogLine(line, output.hasColors())),
  });
}

/** Minimum time between two warnings of {@link warnRarely} with the same message, in milliseconds. */
export const WARNING_MS = 10_000;

/** When each log has warned last, by message. */
const lastWarnings = new WeakMap<Log, Map<string, number>>();

/**
 * Warns of what each request of a client may meet, such as a database that cannot be reached: once in ten seconds with the
 * same message, so that clients cannot flood the log. The others are for the level debug.
 * @param message a constant
 * @param now monotonic time in milliseconds
 */
export function warnRarely(log: Log, fields: object, message: string, now = monotonicNow()): void {
  const last = lastWarnings.get(log) ?? new Map<string, number>();
  lastWarnings.set(log, last);
  if (now - (last.get(message) ?? -WARNING_MS) < WARNING_MS) {
    log.debug(fields, message);
    return;
  }
  last.set(message, now);
  log.warn(fields, message);
}
