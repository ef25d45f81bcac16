import type { Connector } from "../../platform/network/connector";

/** The owner of a token, as the provider states it. */
export interface VerifiedIdentity {
  /** The provider's id of the user, which is never reassigned. The key of the identity row. */
  subject: string;
  fullName: string | null;
  email: string | null;
  /** In E.164 form; only for a phone sign-in. */
  phone: string | null;
}

/** How to send requests to a provider. */
export interface ProviderRequestOptions {
  connector: Connector;
  /** Maximum time of a request, in milliseconds. */
  timeoutMs: number;
}

/**
 * The token is not valid for this application. The reason is for the operator's log; the client always gets
 * the same text. Neither contains any part of the token.
 */
export class TokenRejected extends Error {
  override readonly name = "TokenRejected";
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** The provider did not answer whether the token is valid: it failed, was too slow or sent garbage. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Seconds after which a client may retry when a provider is unavailable. */
export const RETRY_AFTER_S = 10;

/** Tokens of every provider are visible ASCII and far shorter; other text is rejected without a request. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** Checks that a provider could have issued the token. @throws TokenRejected */
export function checkTokenFormat(token: string): void {
  if (!TOKEN.test(token)) throw new TokenRejected("malformed token");
}
