import pino, { type Logger } from "pino";

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
];

/** Opens the log at a level of pino's. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    redact: {
      paths: SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]),
      censor: "[secret]",
    },
  });
}
