import { Emitter } from "../emitter.ts";
import { closedError, SignalboxError } from "../errors.ts";
import type { Document } from "../transport/document.ts";
import { type HttpTarget, postGraphql, type RequestOptions } from "../transport/http.ts";
import type { TokenSessionEvents } from "./token-session.ts";

/**
 * A token that all requests share: everybody who needs one waits for the same request, and an operation whose token the
 * service refuses runs again with another one. A subclass says where tokens come from.
 */
export abstract class BaseSession<Events extends TokenSessionEvents> extends Emitter<Events> {
  protected readonly target: HttpTarget;
  /** Aborted when the session ends here. */
  protected readonly closing = new AbortController();
  /** Why the session has ended; null while it has not. */
  protected endReason: SignalboxError | null = null;
  /** An operation that every valid token may run, which shows whether a token is one. */
  readonly #check: Document<unknown, Record<string, never>>;
  /** What aborts each request that runs. */
  readonly #running = new Set<AbortController>();
  #obtaining: Promise<string> | null = null;
  #token: string | null;
  /** Whether the WebSocket of the client is connected; it says so itself. */
  isConnected = false;

  constructor(
    target: HttpTarget,
    token: string | null,
    check: Document<unknown, Record<string, never>>,
  ) {
    super();
    this.target = target;
    this.#token = token;
    this.#check = check;
  }

  /** The token; null before the first one, and after the end. It is in no property that a log would show. */
  protected get held(): string | null {
    return this.#token;
  }

  protected set held(token: string | null) {
    this.#token = token;
  }

  /** Gets a token, which it also stores in `held`. @param refused the token that it replaces; null for the first one */
  protected abstract obtainOnce(refused: string | null): Promise<string>;

  /** The token; a new one if there is none. @throws SignalboxError of the source, NETWORK, CLOSED */
  async token(): Promise<string> {
    if (this.endReason) throw this.endReason;
    return this.held ?? this.obtain(null);
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
   * Replaces a token that the service seems to have refused, unless it turns out to be good: a socket is also closed
   * when its session moves to another user.
   * @returns the valid token
   * @throws SignalboxError
   */
  async replaceRefused(token: string): Promise<string> {
    if (this.endReason) throw this.endReason;
    if (this.held !== token) return this.token();
    try {
      await this.#post(token, this.#check, {});
      return token;
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      return this.renew(token);
    }
  }

  /**
   * Replaces a token that the service has refused. Resolves at once if it has been replaced already.
   * @throws SignalboxError of the source; unless a retry may help, the session has ended then
   */
  async renew(refused: string): Promise<string> {
    if (this.endReason) throw this.endReason;
    if (this.held !== null && this.held !== refused) return this.held;
    this.held = null;
    return this.obtain(refused);
  }

  /** Ends all that waits. The session itself remains open at the service. */
  close(): void {
    this.finish(closedError());
    this.removeListeners();
  }

  /** Gets a token; callers at the same time share one request. @param refused the token that it replaces */
  protected obtain(refused: string | null): Promise<string> {
    this.#obtaining ??= this.obtainOnce(refused).finally(() => {
      this.#obtaining = null;
    });
    return this.#obtaining;
  }

  /** Ends the session here, once: aborts its requests, and emits `ended`. */
  protected finish(reason: SignalboxError): void {
    if (this.endReason) return;
    this.endReason = reason;
    this.held = null;
    this.closing.abort();
    for (const each of this.#running) each.abort();
    this.emit("ended", reason);
  }

  /** Posts a request that ends with the session, unless it is to outlive the page. */
  async #post<Result, Variables>(
    token: string,
    document: Document<Result, Variables>,
    variables: Variables,
    { signal, ...options }: RequestOptions = {},
  ): Promise<Result> {
    const running = new AbortController();
    const abort = () => running.abort();
    signal?.addEventListener("abort", abort);
    if (signal?.aborted || (this.closing.signal.aborted && !options.keepalive)) abort();
    if (!options.keepalive) this.#running.add(running);
    try {
      const request = { ...options, signal: running.signal };
      return await postGraphql(this.target, token, document, variables, request);
    } catch (error) {
      throw running.signal.aborted && !signal?.aborted ? (this.endReason ?? error) : error;
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#running.delete(running);
    }
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof SignalboxError && error.code === "UNAUTHENTICATED";
}
