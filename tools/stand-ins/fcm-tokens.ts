import { type KeyObject, randomBytes } from "node:crypto";
import type { ReceivedRequest, Reply } from "./secure-server";
import { readSignedToken } from "./signed-token";

/** A service account that the stand-in accepts. */
export interface ServiceAccount {
  projectId: string;
  clientEmail: string;
  publicKey: KeyObject;
}

const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Google's address, which assertions name even if a proxy forwards them. */
const AUDIENCE = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const HOUR_S = 3600;
const SKEW_S = 60;

const refuse = (error: string, description: string): Reply => ({
  status: 400,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error, error_description: description }),
});

/** Google's token endpoint, which exchanges assertions for access tokens (RFC 7523). */
export class FcmTokens {
  /** Valid tokens. */
  private readonly issued = new Set<string>();
  /** Number of issued tokens. */
  count = 0;
  /** Scripted replies for the next exchanges. */
  readonly replies: Reply[] = [];

  constructor(
    private readonly account: ServiceAccount,
    private readonly lifetimeS = HOUR_S,
  ) {}

  /** Revokes all tokens. */
  revoke(): void {
    this.issued.clear();
  }

  isValid(authorization: string | undefined): boolean {
    return this.issued.has(/^Bearer (.+)$/.exec(authorization ?? "")?.[1] ?? "");
  }

  exchange({ method, headers, body }: ReceivedRequest): Reply {
    const scripted = this.replies.shift();
    if (scripted) return scripted;
    if (method !== "POST") return { status: 405 };
    if (headers["content-type"] !== "application/x-www-form-urlencoded") {
      return refuse("invalid_request", "Bad content type");
    }
    const form = new URLSearchParams(body.toString("utf8"));
    if (form.get("grant_type") !== GRANT) return refuse("unsupported_grant_type", "Invalid grant");
    const problem = this.validate(form.get("assertion") ?? "");
    if (problem) return refuse("invalid_grant", problem);
    return this.grant();
  }

  /** Issues a token, as after a valid request. */
  grant(lifetimeS = this.lifetimeS): Reply {
    const token = `ya29.${randomBytes(60).toString("base64url")}`;
    this.issued.add(token);
    this.count++;
    return {
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        access_token: token,
        expires_in: lifetimeS,
        token_type: "Bearer",
      }),
    };
  }

  private validate(assertion: string): string | null {
    const { clientEmail, publicKey } = this.account;
    const token = readSignedToken(assertion);
    if (!token) return "Bad Request";
    const { iss, scope, aud, iat, exp } = token.claims;
    if (iss !== clientEmail) return "Invalid grant: account not found";
    if (!token.isSignedBy(publicKey, "RS256")) return "Invalid JWT Signature.";
    if (aud !== AUDIENCE) return "Invalid JWT: Failed audience check.";
    // Google grants more rights, but a gateway that only pushes must not ask for them.
    if (scope !== SCOPE) return "Invalid scope";
    const now = Date.now() / 1000;
    const [from, to] = [Number(iat), Number(exp)];
    const inTime = from <= now + SKEW_S && to > now - SKEW_S && to - from <= HOUR_S;
    return inTime ? null : "Invalid JWT: Token must be a short-lived token (60 minutes)";
  }
}
