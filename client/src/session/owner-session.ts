import { Emitter } from "../emitter.ts";
import { closedError, SignalboxError } from "../errors.ts";
import { CheckOwnerDocument } from "../generated/operations.ts";
import { unlessAborted } from "../transport/backoff.ts";
import type { Document } from "../transport/document.ts";
import { type HttpTarget, postGraphql, type RequestOptions } from "../transport/http.ts";
import type { TokenSession, TokenSessionEvents } from "./token-session.ts";

/**
 * Hands out the tokens of a member of an account: by a sign-in, so that it may take as long as somebody types. It is
 * called for the first operation without a token and whenever the service refuses the token, one call at a time. What
 * waits for the token continues with the new one. An exception ends the connection.
 * @param refused the token that the service has refused; null for the first one
 */
export type OwnerTokenSource = (refused: string | null) => Promise<string> | string;

/** The token of a member of an account: of `signInOwner`, which begins with `acct_`. */
export class OwnerSession extends Emitter<TokenSessionEvents> implements TokenSession {
  readonly #target: HttpTarget;
  readonly #source: OwnerTokenSource;
  readonly #closing = new AbortController();
  #token: string | null;
  #obtaining: Promise<string> | null = null;
  #ended: SignalboxError | null = null;
  isConnected = false;

  /** @param token of an earlier page; null to ask the source */
  constructor(target: HttpTarget, source: OwnerTokenSource, token: string | null) {
    super();
    this.#target = target;
    this.#source = source;
    this.#token = token;
  }

  /** The token, of the source if there is none. @throws SignalboxError */
  async token(): Promise<string> {
    if (this.#ended) throw this.#ended;
    return this.#token ?? this.#obtain(null);
  }

  /**
   * Runs a query or mutation with the token. When the service refuses the token, it runs again with a new one.
   * @throws SignalboxError
   */
  async execute<Result, Variables>(
    document: Document<Result, Variables>,
    variables: Variables,
    options?: RequestOptions,
  ): Promise<Result> {
    const token = await this.token();
    try {
      return await this.#post(token, document, variables, options);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      const valid = await this.replaceRefused(token);
      // A wrong password is UNAUTHENTICATED too; the token itself is good then.
      if (valid === token) throw error;
      return this.#post(valid, document, variables, options);
    }
  }

  /**
   * Replaces a token that the service seems to have refused, unless it turns out to be good.
   * @returns the valid token
   * @throws SignalboxError
   */
  async replaceRefused(token: string): Promise<string> {
    if (this.#ended) throw this.#ended;
    if (this.#token !== token) return this.token();
    try {
      await this.#post(token, CheckOwnerDocument, {});
      return token;
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
    }
    if (this.#token === token) this.#token = null;
    return this.#token ?? this.#obtain(token);
  }

  /** Ends all that waits. The token stays valid at the service. */
  close(): void {
    this.#finish(closedError());
    this.removeListeners();
  }

  #obtain(refused: string | null): Promise<string> {
    this.#obtaining ??= this.#obtainOnce(refused).finally(() => {
      this.#obtaining = null;
    });
    return this.#obtaining;
  }

  async #obtainOnce(refused: string | null): Promise<string> {
    let token: string;
    try {
      token = await unlessAborted(Promise.resolve(this.#source(refused)), this.#closing.signal);
    } catch (error) {
      if (this.#ended) throw this.#ended;
      const reason =
        error instanceof SignalboxError
          ? error
          : new SignalboxError("UNAUTHENTICATED", "There is no token", { cause: error });
      this.#finish(reason);
      throw reason;
    }
    if (this.#ended) throw this.#ended;
    this.#token = token;
    this.emit("changed", { token });
    return token;
  }

  /** Posts a request that ends when the connection is closed. */
  async #post<Result, Variables>(
    token: string,
    document: Document<Result, Variables>,
    variables: Variables,
    { signal, ...options }: RequestOptions = {},
  ): Promise<Result> {
    const closing = this.#closing.signal;
    const running = new AbortController();
    const abort = () => running.abort();
    const watched = [signal, options.keepalive ? undefined : closing];
    for (const each of watched) each?.addEventListener("abort", abort);
    if (watched.some((each) => each?.aborted)) abort();
    try {
      const request = { ...options, signal: running.signal };
      return await postGraphql(this.#target, token, document, variables, request);
    } catch (error) {
      throw closing.aborted && !signal?.aborted ? (this.#ended ?? error) : error;
    } finally {
      for (const each of watched) each?.removeEventListener("abort", abort);
    }
  }

  #finish(reason: SignalboxError): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#token = null;
    this.#closing.abort();
    this.emit("ended", reason);
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof SignalboxError && error.code === "UNAUTHENTICATED";
}
