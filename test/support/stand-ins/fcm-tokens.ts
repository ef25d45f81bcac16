import { type KeyObject, randomBytes } from "node:crypto";
import type { Asked, Reply } from "./secure-server";
import { readSignedToken } from "./signed-token";

/** A service account that the stand-in knows. */
export interface ServiceAccount {
  projectId: string;
  clientEmail: string;
  publicKey: KeyObject;
}

const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const HOUR_S = 3600;
const SKEW_S = 60;

const refuse = (error: string, description: string): Reply => ({
  status: 400,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error, error_description: description }),
});

/** Google's end of the exchange of assertions for access tokens (RFC 7523). */
export class FcmTokens {
  /** Tokens that are good. */
  private readonly given = new Set<string>();
  /** How many were given. */
  count = 0;
  /** What the next exchanges are answered in place of a token. */
  readonly replies: Reply[] = [];

  constructor(
    private readonly account: ServiceAccount,
    private readonly lifeS = HOUR_S,
  ) {}

  /** Every token is over from now on. */
  revoke(): void {
    this.given.clear();
  }

  isGood(authorization: string | undefined): boolean {
    return this.given.has(/^Bearer (.+)$/.exec(authorization ?? "")?.[1] ?? "");
  }

  exchange({ method, headers, body }: Asked, audience: string): Reply {
    const told = this.replies.shift();
    if (told) return told;
    if (method !== "POST") return { status: 405 };
    if (headers["content-type"] !== "application/x-www-form-urlencoded") {
      return refuse("invalid_request", "Bad content type");
    }
    const form = new URLSearchParams(body.toString("utf8"));
    if (form.get("grant_type") !== GRANT) return refuse("unsupported_grant_type", "Invalid grant");
    const wrong = this.judge(form.get("assertion") ?? "", audience);
    if (wrong) return refuse("invalid_grant", wrong);
    return this.grant();
  }

  /** Gives out another token, as if somebody had asked for it well. */
  grant(): Reply {
    const token = `ya29.${randomBytes(60).toString("base64url")}`;
    this.given.add(token);
    this.count++;
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_token: token, expires_in: this.lifeS, token_type: "Bearer" }),
    };
  }

  private judge(assertion: string, audience: string): string | null {
    const { clientEmail, publicKey } = this.account;
    const token = readSignedToken(assertion);
    if (!token) return "Bad Request";
    const { iss, scope, aud, iat, exp } = token.claims;
    if (iss !== clientEmail) return "Invalid grant: account not found";
    if (!token.isSignedBy(publicKey, "RS256")) return "Invalid JWT Signature.";
    if (aud !== audience) return "Invalid JWT: Failed audience check.";
    if (!String(scope).split(" ").includes(SCOPE)) return "Invalid scope";
    const now = Date.now() / 1000;
    const [from, to] = [Number(iat), Number(exp)];
    const inTime = from <= now + SKEW_S && to > now - SKEW_S && to - from <= HOUR_S;
    return inTime ? null : "Invalid JWT: Token must be a short-lived token (60 minutes)";
  }
}
