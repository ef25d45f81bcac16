import type { KeyObject } from "node:crypto";
import type { SecureContext } from "node:tls";
import type { Clock } from "../../core/clock";
import type { Agents } from "../../network/agents";
import type { Answer } from "../../network/answer";
import type { Connector } from "../../network/connector";
import type { Outcome } from "./provider";
import { ANSWER_MAX, bodyOf, isPassing, outcomeOf, quoteReason, retryAfterOf } from "./wire/answer";

const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Seconds that the assertion is good for, the most that Google takes. */
const ASSERTION_S = 3600;

/** A token is renewed so long before its end, so that none is on its way when it ends. */
const EARLY_MS = 60_000;

/** An access token, or what becomes of the pushes that there is none for. */
export type Access = { token: string } | { outcome: Outcome };

/** Who asks for access tokens, and where. */
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
 * The access token of a service account, by an assertion that it signs (RFC 7523; developers.google.com
 * "Using OAuth 2.0 for server to server applications"). It is kept until a minute before its end, and
 * asked for once for however many wait.
 */
export class FcmAccess {
  private held: { token: string; until: number } | null = null;
  private asking: Promise<Access> | null = null;
  private readonly agents: Agents;

  constructor(private readonly options: AccessOptions) {
    this.agents = options.connector.agents(options.secureContext);
  }

  /** The token as of now; a failure is told to all who wait, and not remembered. */
  async token(): Promise<Access> {
    if (this.held && this.options.clock.now() < this.held.until) return { token: this.held.token };
    this.asking ??= this.ask().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  /** Takes note that a token was refused: the next push asks for another. */
  refused(token: string): void {
    if (this.held?.token === token) this.held = null;
  }

  /** Ends the connection that is idle. */
  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private async ask(): Promise<Access> {
    const { tokenUrl = TOKEN_URL, clock, connector, timeoutMs } = this.options;
    try {
      const form = { grant_type: GRANT, assertion: await this.sign(tokenUrl) };
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams(form).toString();
      const request = { method: "POST", headers, body, timeoutMs, bodyMax: ANSWER_MAX } as const;
      const answer = await connector.request(tokenUrl, request, this.agents);
      return this.read(answer, clock.now());
    } catch (error) {
      return { outcome: outcomeOf(error) };
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
      .setExpirationTime(now + ASSERTION_S)
      .sign(privateKey);
  }

  private read(answer: Answer, now: number): Access {
    const { access_token: token, expires_in: seconds, error, error_description } = bodyOf(answer);
    if (answer.status === 200 && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) {
      const life = typeof seconds === "number" ? seconds * 1000 : 0;
      this.held = { token, until: now + life - EARLY_MS };
      return { token };
    }
    const words = [error, error_description].filter((each) => typeof each === "string");
    const reason = quoteReason(`access token: ${words.join(": ") || `status ${answer.status}`}`);
    // A 200 without a token is nobody's refusal.
    if (!isPassing(answer.status) && answer.status !== 200)
      return { outcome: { kind: "refused", reason } };
    return { outcome: { kind: "later", reason, delayMs: retryAfterOf(answer, now) } };
  }
}
