import { partOf, textOf } from "./error-parts";
import { UNIQUE_INDEXES } from "./unique-indexes";

/** SQLSTATE of a broken unique index (PostgreSQL, appendix A). */
const UNIQUE_VIOLATION = "23505";

/** Prisma's word for, and the SQLSTATE of, a transaction that was ended so that another could go on. */
const DEADLOCK_CODES = new Set(["P2034", "40P01"]);

/** The database cannot be reached, or went away meanwhile. */
const UNREACHABLE_CODES = new Set([
  // Prisma: cannot reach, timed out, connection closed, no free connection in time, too many.
  ...["P1001", "P1002", "P1008", "P1011", "P1017", "P2024", "P2037"],
  ...["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["EPIPE", "EAI_AGAIN"],
  // SQLSTATE: shut down, crashed, starting up, too many connections.
  ...["57P01", "57P02", "57P03", "53300"],
]);
/** SQLSTATE class 08 is about connections. */
const CONNECTION_CLASS = /^08[0-9A-Z]{3}$/;
/** What Prisma's adapters call the same. */
const UNREACHABLE_KINDS = new Set([
  "DatabaseNotReachable",
  "ConnectionClosed",
  "SocketTimeout",
  "TlsConnectionError",
  "TooManyConnections",
]);
/** What pg, its pool and PGlite say without a code. */
const UNREACHABLE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after|PGlite is clos)/;

/**
 * The fields of a unique index that a statement broke, by their names in the Prisma model
 * (`["applicationId", "loginKey"]`), on either database, from Prisma as well as from `query`.
 * @returns null when the error is of another kind
 */
export function uniqueViolation(error: unknown): string[] | null {
  for (const part of parts(error)) {
    const code = textOf(part, "originalCode") ?? textOf(part, "code");
    if (code !== UNIQUE_VIOLATION) continue;
    const index = indexName(part);
    return [...(UNIQUE_INDEXES[index ?? ""] ?? [])];
  }
  return null;
}

/**
 * Whether a transaction was ended so that another, each waiting for what the other held, could go on:
 * nothing of it was done, and it may be tried again at once.
 */
export function deadlocked(error: unknown): boolean {
  return parts(error).some((part) =>
    DEADLOCK_CODES.has(textOf(part, "originalCode") ?? textOf(part, "code") ?? ""),
  );
}

/** Whether an error of Prisma or of a driver says that the database cannot be reached. */
export function unreachable(error: unknown): boolean {
  return parts(error).some((part) => {
    const code = textOf(part, "originalCode") ?? textOf(part, "code") ?? "";
    return (
      UNREACHABLE_CODES.has(code) ||
      CONNECTION_CLASS.test(code) ||
      UNREACHABLE_KINDS.has(textOf(part, "kind") ?? "") ||
      UNREACHABLE_TEXT.test(textOf(part, "message") ?? "")
    );
  });
}

/** A driver names the index; Prisma's adapter keeps the name in what the database said. */
function indexName(part: object): string | undefined {
  return (
    textOf(part, "constraint") ??
    textOf(partOf(part, "constraint"), "index") ??
    (textOf(part, "originalMessage")?.split('"', 2)[1] || undefined)
  );
}

/**
 * An error and what it holds of its causes: Prisma keeps the adapter's error in `meta`, that keeps the
 * database's words in `cause`, and attempts on several addresses come together in `errors`.
 */
function parts(error: unknown, depth = 0): object[] {
  if (typeof error !== "object" || error === null || depth > 4) return [];
  const held = [partOf(error, "cause"), partOf(partOf(error, "meta"), "driverAdapterError")];
  const several = partOf(error, "errors");
  if (Array.isArray(several)) held.push(...several);
  return [error, ...held.flatMap((part) => parts(part, depth + 1))];
}
