import { LRUCache } from "lru-cache";
import type { Party } from "../calls/signal";
import { hashToken } from "../core/random";
import { formatUser, parseJid, parseUser } from "./jid";

/** Namespace of the SASL elements (RFC 6120 section 6.4). */
export const SASL = "urn:ietf:params:xml:ns:xmpp-sasl";

/** Conditions of RFC 6120 section 6.5 that are answered here. */
export type SaslCondition =
  | "aborted"
  | "encryption-required"
  | "incorrect-encoding"
  | "invalid-authzid"
  | "invalid-mechanism"
  | "malformed-request"
  | "not-authorized"
  | "temporary-auth-failure";

/** The answer to an attempt that failed. */
export function saslFailure(condition: SaslCondition): string {
  return `<failure xmlns="${SASL}"><${condition}/></failure>`;
}

/** What a client said about itself. */
export interface PlainCredentials {
  /** Application and user. */
  user: Party;
  /** A password or a session token. */
  secret: string;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the message of SASL PLAIN (RFC 4616 section 2), `authzid NUL authcid NUL password`. The
 * authcid is `{user_id}-{application_id}` or the bare JID; the authzid is empty or says the same.
 * @param message base64, `=` standing for an empty one
 * @returns the credentials, or the condition to answer with
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

/** Failures that cost no wait. */
const FREE_FAILURES = 3;
/** Attempts of one address and account that may be under way together and cost no wait. */
const FREE_PARALLEL = 16;
/** Pairs of address and account that are remembered at most; the longest unused go first. */
const REMEMBERED = 10_000;
const REMEMBERED_MS = 15 * 60_000;

/**
 * Slows guessing: the more attempts of one address and account have failed, the longer the next waits
 * before it is looked at. Many at once count as failures before they are judged, so that guessing in
 * parallel gains nothing.
 */
export class SignInThrottle {
  readonly #pairs = new LRUCache<string, { failed: number; running: number }>({
    max: REMEMBERED,
    ttl: REMEMBERED_MS,
  });

  /** @param step milliseconds of the first wait; it doubles up to sixteen times that */
  constructor(readonly step: number) {}

  /**
   * Counts an attempt that begins.
   * @param ip null where it is not known; the account is then slowed as from one address
   * @returns the milliseconds it has to wait, and what to call with its outcome; null for an attempt
   *   that could not be judged
   */
  begin(ip: string | null, account: string): { wait: number; end(success: boolean | null): void } {
    // An account is as long as a client makes it; a hash is not.
    const key = hashToken(`${ip} ${account}`).toString("base64url");
    const pair = this.#pairs.get(key) ?? { failed: 0, running: 0 };
    const wait = this.wait(pair.failed + Math.max(0, pair.running - FREE_PARALLEL));
    pair.running += 1;
    this.#pairs.set(key, pair);
    const end = (success: boolean | null): void => {
      pair.running -= 1;
      if (success) pair.failed = 0;
      else if (success === false) pair.failed += 1;
      if (pair.failed + pair.running === 0) this.#pairs.delete(key);
    };
    return { wait, end };
  }

  /** Milliseconds to wait after so many failures. */
  wait(failures: number): number {
    return failures < FREE_FAILURES ? 0 : this.step * 2 ** Math.min(failures - FREE_FAILURES, 4);
  }
}
