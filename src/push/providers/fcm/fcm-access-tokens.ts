import type { KeyObject } from "node:crypto";
import type { SecureContext } from "node:tls";
import type { Clock } from "../../../core/clock";
import type { Agents } from "../../../network/agents";
import type { Connector } from "../../../network/connector";
import type { HttpResponse } from "../../../network/http-response";
import {
  bodyOf,
  isTransient,
  outcomeOfError,
  RESPONSE_MAX,
  retryAfterOf,
  sanitizeReason,
} from "../http/response";
import type { Outcome } from "../port/provider";

const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Lifetime of the assertion in seconds: Google's maximum. */
const ASSERTION_SECONDS = 3600;

/** A token is renewed this long before it expires, so that it does not expire in transit. */
const RENEW_EARLY_MS = 60_000;

/** An access token, or the outcome for pushes if none is available. */
export type AccessResult = { token: string } | { outcome: Outcome };

/** The service account and the token endpoint. */
export interface AccessOptions {
  clientEmail: string;
  privateKey: KeyObject;
  tokenUrl: string | undefined;
  secureContext: SecureContext;
  connector: Connector;
  clock: Clock;
  timeoutMs: number;
}

/**
 * Obtains access tokens for a service account with signed assertions (RFC 7523; developers.google.com
 * "Using OAuth 2.0 for server to server applications"). Caches the token until a minute before it expires.
 * Concurrent callers share one request.
 */
export class FcmAccessTokens {
  private cached: { token: string; until: number } | null = null;
  private pending: Promise<AccessResult> | null = null;
  private readonly agents: Agents;

  constructor(private readonly options: AccessOptions) {
    this.agents = options.connector.agents(options.secureContext);
  }

  /** The current token. A failure goes to all waiting callers and is not cached. */
  async token(): Promise<AccessResult> {
    const { cached } = this;
    if (cached && this.options.clock.now() < cached.until) return { token: cached.token };
    this.pending ??= this.requestToken().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  /** Discards a refused token, so that the next push requests a new one. */
  discard(token: string): void {
    if (this.cached?.token === token) this.cached = null;
  }

  /** Closes the idle connection. */
  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private async requestToken(): Promise<AccessResult> {
    const { tokenUrl = TOKEN_URL, clock, connector, timeoutMs } = this.options;
    try {
      const form = { grant_type: GRANT, assertion: await this.sign(tokenUrl) };
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams(form).toString();
      const request = { method: "POST", headers, body, timeoutMs, bodyMax: RESPONSE_MAX } as const;
      const response = await connector.request(tokenUrl, request, this.agents);
      return this.readToken(response, clock.now());
    } catch (error) {
      return { outcome: outcomeOfError(error) };
    }
  }

  private async sign(audience: string): Promise<string> {
    const { clientEmail, privateKey, clock } = this.options;
    const { SignJWT } = await import("jose");
    const now = Math.floor(clock.now() / 1000);
    return new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(clientEmail)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + ASSERTION_SECONDS)
      .sign(privateKey);
  }

  private readToken(response: HttpResponse, now: number): AccessResult {
    const { access_token: token, expires_in: seconds, error, error_description } = bodyOf(response);
    const { status } = response;
    if (status === 200 && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) {
      const lifetimeMs = typeof seconds === "number" ? seconds * 1000 : 0;
      this.cached = { token, until: now + lifetimeMs - RENEW_EARLY_MS };
      return { token };
    }
    const details = [error, error_description].filter((each) => typeof each === "string");
    const reason = sanitizeReason(`access token: ${details.join(": ") || `status ${status}`}`);
    // A 200 without a token does not refuse the credentials.
    if (!isTransient(status) && status !== 200) return { outcome: { kind: "failed", reason } };
    return { outcome: { kind: "retry", reason, delayMs: retryAfterOf(response, now) } };
  }
}
