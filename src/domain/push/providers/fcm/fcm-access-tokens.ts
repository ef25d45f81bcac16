import type { SecureContext } from "node:tls";
import type { Clock } from "../../../../core/clock";
import type { Agents } from "../../../../platform/network/agents";
import type { Connector } from "../../../../platform/network/connector";
import { type HttpResponse, NoResponse } from "../../../../platform/network/http-response";
import {
  bodyOf,
  isTransient,
  outcomeOfError,
  RESPONSE_MAX,
  retryAfterOf,
  sanitizeReason,
} from "../http/response";
import type { Outcome } from "../port/provider";
import { type FcmCredential, openFcmCredential, type ServiceAccount } from "./fcm-credential";

const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** An access token, or the outcome for pushes if none is available. */
export type AccessResult = { token: string } | { outcome: Outcome };

/** The service account and the token endpoint. */
export interface AccessOptions {
  account: ServiceAccount;
  tokenUrl: string | undefined;
  secureContext: SecureContext;
  connector: Connector;
  clock: Clock;
  timeoutMs: number;
}

/** A response of the token endpoint without a token. */
class NoToken extends Error {
  constructor(readonly outcome: Outcome) {
    super("The response has no access token.");
  }
}

/**
 * Obtains access tokens for a service account. firebase-admin signs the requests and caches the tokens;
 * the connector sends the requests to the configured address. Concurrent callers share one request.
 */
export class FcmAccessTokens {
  private credential: Promise<FcmCredential> | null = null;
  private pending: Promise<AccessResult> | null = null;
  private current: string | null = null;
  private closed = false;
  private readonly agents: Agents;

  constructor(private readonly options: AccessOptions) {
    this.agents = options.connector.agents(options.secureContext);
  }

  /** The current token. A failure goes to all waiting callers and is not cached. */
  token(): Promise<AccessResult> {
    this.pending ??= this.readToken().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  /** Replaces the credential of a refused token, so that the next push requests a new one. */
  discard(token: string): void {
    if (this.current === token) this.forget();
  }

  /** Forgets the private key and closes the idle connection. Later callers get no token. */
  close(): void {
    this.closed = true;
    this.forget();
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private forget(): void {
    const { credential, pending } = this;
    this.credential = null;
    this.current = null;
    // A request in progress still needs the private key.
    void Promise.allSettled([credential, pending]).then(([opened]) => {
      if (opened.status === "fulfilled") opened.value?.forget();
    });
  }

  private async readToken(): Promise<AccessResult> {
    if (this.closed)
      return { outcome: outcomeOfError(new NoResponse("the connection was closed")) };
    try {
      this.credential ??= openFcmCredential(this.options.account, (form) => this.send(form));
      const token = await (await this.credential).getAccessToken();
      this.current = token;
      return { token };
    } catch (error) {
      const { cause } = error as Error;
      return { outcome: cause instanceof NoToken ? cause.outcome : outcomeOfError(cause) };
    }
  }

  private async send(body: string): Promise<Response> {
    const { tokenUrl = TOKEN_URL, clock, connector, timeoutMs } = this.options;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const request = { method: "POST", headers, body, timeoutMs, bodyMax: RESPONSE_MAX } as const;
    const response = await connector.request(tokenUrl, request, this.agents);
    const problem = problemOf(response, clock.now());
    if (problem) throw new NoToken(problem);
    return new Response(response.body);
  }
}

/** The outcome of pushes if a response has no token that a header can carry. */
function problemOf(response: HttpResponse, now: number): Outcome | null {
  const { access_token: token, error, error_description } = bodyOf(response);
  const { status } = response;
  if (status === 200 && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return null;
  const details = [error, error_description].filter((each) => typeof each === "string");
  const reason = sanitizeReason(`access token: ${details.join(": ") || `status ${status}`}`);
  // A 200 without a token does not refuse the credentials.
  if (!isTransient(status) && status !== 200) return { kind: "failed", reason };
  return { kind: "retry", reason, delayMs: retryAfterOf(response, now) };
}
