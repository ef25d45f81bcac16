import { propertyOf, stringPropertyOf } from "./error-properties";
import { UNIQUE_INDEXES } from "./unique-indexes";

/** SQLSTATE of unique_violation (PostgreSQL, appendix A). */
const UNIQUE_VIOLATION = "23505";

/** Prisma code and SQLSTATE of a deadlock. */
const DEADLOCK_CODES = new Set(["P2034", "40P01"]);

/** Codes for a database that cannot be reached or does not answer in time, or whose connection was lost. */
const UNREACHABLE_CODES = new Set([
  // Prisma: unreachable, timeout, connection closed, pool timeout, too many connections.
  ...["P1001", "P1002", "P1008", "P1011", "P1017", "P2024", "P2037"],
  ...["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["EPIPE", "EAI_AGAIN"],
  // SQLSTATE: shutdown, crash, starting up, too many connections.
  ...["57P01", "57P02", "57P03", "53300"],
  // SQLSTATE: a statement that was cancelled, by the time limit of statements if it waits for a lock of a migration. The
  // time limit of the client, which is longer, counts as well.
  "57014",
]);
/** Codes of Node.js for a server whose certificate is not that of its name, or of no known authority. */
const UNTRUSTED_CODES = new Set([
  ...[
    "SELF_SIGNED_CERT_IN_CHAIN",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  ],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_HAS_EXPIRED"],
  ...["CERT_NOT_YET_VALID", "CERT_SIGNATURE_FAILURE", "ERR_TLS_CERT_ALTNAME_INVALID"],
]);
/**
 * SQLSTATE of a write that the server refuses because it is not, or no longer, the primary: read_only_sql_transaction,
 * and object_not_in_prerequisite_state for what assigns a transaction id.
 */
const READ_ONLY_CODES = new Set(["25006", "55000"]);
/** SQLSTATE of disk_full, and the system's code. */
const DISK_FULL_CODES = new Set(["53100", "ENOSPC"]);
/** The system's text, in errors of PostgreSQL and of the embedded database that have another code. */
const DISK_FULL_TEXT = "No space left on device";
/** SQLSTATE of out_of_memory. */
const OUT_OF_MEMORY = "53200";
/** SQLSTATE class 08: connection exceptions. */
const CONNECTION_CLASS = /^08[0-9A-Z]{3}$/;
/** The same, as named by Prisma's adapters. */
const UNREACHABLE_KINDS = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TlsConnectionError",
  "TooManyConnections",
]);
/** Messages of pg, its pool and PGlite that come without a code. */
const UNREACHABLE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|The server does not support SSL|Cannot use a pool after|PGlite is clos)/;

/**
 * The fields of the unique index that a statement violated, by their names in the Prisma model
 * (`["applicationId", "loginKey"]`). Works with both databases, for errors of Prisma and of `query`.
 * @returns null for any other error
 */
export function uniqueViolation(error: unknown): string[] | null {
  for (const part of errorChain(error)) {
    if (codeOf(part) !== UNIQUE_VIOLATION) continue;
    const index = indexName(part);
    return [...(UNIQUE_INDEXES[index ?? ""] ?? [])];
  }
  return null;
}

/**
 * Whether the database aborted a transaction because of a deadlock. It was rolled back and can be retried at
 * once.
 */
export function isDeadlock(error: unknown): boolean {
  return errorChain(error).some((part) => DEADLOCK_CODES.has(codeOf(part)));
}

/** Whether the database refused a write because it is read-only, such as a primary that has become a standby. */
export function isReadOnlyServer(error: unknown): boolean {
  return errorChain(error).some((part) => READ_ONLY_CODES.has(codeOf(part)));
}

/** Whether the database has no memory left for a statement. */
export function isExhausted(error: unknown): boolean {
  return errorChain(error).some((part) => codeOf(part) === OUT_OF_MEMORY);
}

/** Whether the disk of the database, or of a file, has no space left. */
export function isDiskFull(error: unknown): boolean {
  return errorChain(error).some(
    (part) =>
      DISK_FULL_CODES.has(codeOf(part)) ||
      [stringPropertyOf(part, "message"), stringPropertyOf(part, "stderr")].some((text) =>
        text?.includes(DISK_FULL_TEXT),
      ),
  );
}

/** Whether the certificate of the server was refused. */
export function isUntrusted(error: unknown): boolean {
  return errorChain(error).some((part) => UNTRUSTED_CODES.has(codeOf(part)));
}

/** Whether an error of Prisma or of a driver means that the database cannot be reached, or not in time. */
export function isUnreachable(error: unknown): boolean {
  return errorChain(error).some((part) => {
    const code = codeOf(part);
    return (
      UNREACHABLE_CODES.has(code) ||
      UNTRUSTED_CODES.has(code) ||
      CONNECTION_CLASS.test(code) ||
      UNREACHABLE_KINDS.has(stringPropertyOf(part, "kind") ?? "") ||
      UNREACHABLE_TEXT.test(stringPropertyOf(part, "message") ?? "")
    );
  });
}

/** The database's code of an error, or the driver's; empty without one. */
function codeOf(part: object): string {
  return stringPropertyOf(part, "originalCode") ?? stringPropertyOf(part, "code") ?? "";
}

/** Name of the violated index: a property of driver errors, part of the message of Prisma's adapter. */
function indexName(part: object): string | undefined {
  return (
    stringPropertyOf(part, "constraint") ??
    stringPropertyOf(propertyOf(part, "constraint"), "index") ??
    (stringPropertyOf(part, "originalMessage")?.split('"', 2)[1] || undefined)
  );
}

/**
 * An error and its nested causes: Prisma wraps the adapter's error in `meta`, the adapter wraps the
 * database's error in `cause`, and failed attempts on several addresses are in `errors`.
 */
function errorChain(error: unknown, depth = 0): object[] {
  if (typeof error !== "object" || error === null || depth > 4) return [];
  const nested = [
    propertyOf(error, "cause"),
    propertyOf(propertyOf(error, "meta"), "driverAdapterError"),
  ];
  const several = propertyOf(error, "errors");
  if (Array.isArray(several)) nested.push(...several);
  return [error, ...nested.flatMap((part) => errorChain(part, depth + 1))];
}
