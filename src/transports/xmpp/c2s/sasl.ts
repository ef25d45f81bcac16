import { LRUCache } from "lru-cache";
import { hashToken } from "../../../core/random";
import type { Party } from "../../../domain/calls/signals/signal";
import { formatUser, parseJid, parseUser } from "../stanza/jid";

/** Namespace of the SASL elements (RFC 6120 section 6.4). */
export const SASL_NS = "urn:ietf:params:xml:ns:xmpp-sasl";

/** SASL error conditions that the service sends (RFC 6120 section 6.5). */
export type SaslCondition =
  | "aborted"
  | "encryption-required"
  | "incorrect-encoding"
  | "invalid-authzid"
  | "invalid-mechanism"
  | "malformed-request"
  | "not-authorized"
  | "temporary-auth-failure";

/** The response to a failed attempt. */
export function saslFailure(condition: SaslCondition): string {
  return `<failure xmlns="${SASL_NS}"><${condition}/></failure>`;
}

/** Credentials of a SASL PLAIN message. */
export interface PlainCredentials {
  /** Application and user. */
  user: Party;
  /** A password or a session token. */
  secret: string;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the message of SASL PLAIN (RFC 4616 section 2), `authzid NUL authcid NUL password`. The
 * authcid is `{user_id}-{application_id}` or the bare JID; the authzid is empty or names the same user.
 * @param message base64, or `=` for an empty message
 * @returns the credentials, or the condition of the error
 */
export function readPlain(message: string, domain: string): PlainCredentials | SaslCondition {
  if (message !== "=" && !BASE64.test(message)) return "incorrect-encoding";
  let text: string;
  try {
    const bytes = Buffer.from(message === "=" ? "" : message, "base64");
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "malformed-request";
  }
  const parts = text.split("\0");
  const [authzid, authcid, secret] = parts;
  if (parts.length !== 3 || authzid === undefined || !authcid || !secret)
    return "malformed-request";
  const user = readName(authcid, domain);
  if (!user) return "not-authorized";
  const other = authzid === "" ? user : readName(authzid, domain);
  if (!other || formatUser(other) !== formatUser(user)) return "invalid-authzid";
  return { user, secret };
}

function readName(name: string, domain: string): Party | undefined {
  if (!name.includes("@")) return parseUser(name);
  const jid = parseJid(name);
  if (!jid || jid.domain !== domain || jid.resource !== undefined) return undefined;
  return parseUser(jid.local);
}

/** Failures without a delay. */
const FREE_FAILURES = 3;
/** Concurrent attempts per address and account without a delay. */
const FREE_CONCURRENT = 16;
/** Maximum number of tracked pairs of address and account; the least recently used are evicted. */
const MAX_TRACKED = 10_000;
const TRACKED_TTL_MS = 15 * 60_000;

/**
 * Throttles password guessing: each failure of an address and account increases the delay before the next
 * attempt is checked. Above {@link FREE_CONCURRENT}, attempts in flight count as failures, so that parallel
 * guessing gains nothing.
 */
export class SignInThrottle {
  private readonly pairs = new LRUCache<string, { failed: number; running: number }>({
    max: MAX_TRACKED,
    ttl: TRACKED_TTL_MS,
  });

  /** @param step first delay, in milliseconds; it doubles up to sixteen times this value */
  constructor(readonly step: number) {}

  /**
   * Counts an attempt.
   * @param ip null if unknown; attempts from unknown addresses share one count for the account
   * @returns `wait`, the delay in milliseconds, and `end`, to call with the outcome (null if the
   *   credentials could not be checked)
   */
  begin(ip: string | null, account: string): { wait: number; end(success: boolean | null): void } {
    // The client decides how long an account name is; a hash has a fixed length.
    const key = hashToken(`${ip} ${account}`).toString("base64url");
    const pair = this.pairs.get(key) ?? { failed: 0, running: 0 };
    const wait = this.wait(pair.failed + Math.max(0, pair.running - FREE_CONCURRENT));
    pair.running += 1;
    this.pairs.set(key, pair);
    const end = (success: boolean | null): void => {
      pair.running -= 1;
      if (success) pair.failed = 0;
      else if (success === false) pair.failed += 1;
      if (pair.failed + pair.running === 0) this.pairs.delete(key);
    };
    return { wait, end };
  }

  /** The delay after a number of failures, in milliseconds. */
  wait(failures: number): number {
    return failures < FREE_FAILURES ? 0 : this.step * 2 ** Math.min(failures - FREE_FAILURES, 4);
  }
}
