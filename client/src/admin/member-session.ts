import { SignalboxError } from "../errors.ts";
import { CheckMemberDocument } from "../generated/operations.ts";
import { BaseSession } from "../session/base-session.ts";
import type { TokenSession, TokenSessionEvents } from "../session/token-session.ts";
import { unlessAborted } from "../transport/backoff.ts";
import type { HttpTarget } from "../transport/http.ts";

/**
 * Hands out the tokens of a member of an account: by a sign-in, so that it may take as long as somebody types. It is
 * called for the first operation without a token and whenever the service refuses the token, one call at a time. What
 * waits for the token continues with the new one. An exception ends the connection.
 * @param refused the token that the service has refused; null for the first one
 */
export type MemberTokenSource = (refused: string | null) => Promise<string> | string;

/** The token of a member of an account: of `signInMember`, which begins with `acct_`. */
export class MemberSession extends BaseSession<TokenSessionEvents> implements TokenSession {
  readonly #source: MemberTokenSource;

  /** @param token of an earlier page; null to ask the source */
  constructor(target: HttpTarget, source: MemberTokenSource, token: string | null) {
    super(target, token, CheckMemberDocument);
    this.#source = source;
  }

  /** Asks the source once. */
  protected async obtainOnce(refused: string | null): Promise<string> {
    let token: string;
    try {
      token = await unlessAborted(Promise.resolve(this.#source(refused)), this.closing.signal);
    } catch (error) {
      if (this.endReason) throw this.endReason;
      const reason =
        error instanceof SignalboxError
          ? error
          : new SignalboxError("UNAUTHENTICATED", "There is no token", { cause: error });
      this.finish(reason);
      throw reason;
    }
    if (this.endReason) throw this.endReason;
    this.held = token;
    this.emit("changed", { token });
    return token;
  }
}
