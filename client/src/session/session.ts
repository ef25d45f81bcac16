import { isTransient, networkError, SignalboxError } from "../errors.ts";
import {
  CurrentSessionDocument,
  type CurrentSessionQuery,
  DestroySessionDocument,
  LogInDocument,
  type LogInMutation,
  type LogInMutationVariables,
  LogOutDocument,
} from "../generated/operations.ts";
import { backoffMs, sleep } from "../transport/backoff.ts";
import { type HttpTarget, postGraphql } from "../transport/http.ts";
import { BaseSession } from "./base-session.ts";
import type { SessionSource } from "./session-source.ts";
import { memoryStorage, type TokenStorage } from "./storage.ts";

/** The session of the client, with its user if it has one. */
export type CurrentSession = CurrentSessionQuery["currentSession"];

/** Events of a {@link Session}. */
export interface SessionEvents {
  /**
   * The user is about to be signed out: the last requests of the session can be sent now. The sign-out at the service
   * waits for what is passed to the argument.
   */
  leaving: (waitFor: Promise<unknown>) => void;
  /** Another session, or another user of the session: a sign-in, a sign-out or a renewal. */
  changed: CurrentSession;
  /** There is no session any more, and no source gives another one. */
  ended: SignalboxError;
}

/** Part of a session's life that must remain before it is renewed. */
const RENEW_SHARE = 0.1;
/** Longest delay of a timer, in milliseconds (2^31 - 1). */
const TIMER_MAX_MS = 2_147_483_647;
/** Attempts to get a session from its source before the error is passed on. */
const ATTEMPTS = 4;
/** Longest wait before another attempt, in milliseconds: a page is told of an error that asks for more. */
const RETRY_AFTER_MS_MAX = 30_000;

/**
 * The session of a client: gets its token, renews it before it expires or when the service refuses it, and keeps it in
 * a storage. All who need a token wait for the same request.
 *
 * @example
 * ```ts
 * const { session } = signalbox;
 * session.on("ended", ({ code }) => console.log(`Sign in again: ${code}`));
 * const { user, expiresAt } = await session.current();
 * console.log(user?.login, expiresAt);
 * ```
 */
export class Session extends BaseSession<SessionEvents> {
  readonly #source: SessionSource;
  readonly #storage: TokenStorage;
  /** Whether the storage was read. */
  #restored = false;
  #details: Promise<CurrentSession> | null = null;
  #renewal: ReturnType<typeof setTimeout> | undefined;

  /** @param source where sessions come from @param storage memory by default */
  constructor(target: HttpTarget, source: SessionSource, storage: TokenStorage = memoryStorage()) {
    super(target, null, CurrentSessionDocument);
    this.#source = source;
    this.#storage = storage;
  }

  /**
   * The session and its user, from the service; repeated calls share one request.
   * @throws SignalboxError
   */
  current(): Promise<CurrentSession> {
    this.#details ??= this.#load();
    return this.#details;
  }

  /**
   * Signs a user in on the session at hand, which was an application session or that of another user.
   * @throws SignalboxError UNAUTHENTICATED for a wrong login or password
   */
  async logIn(input: LogInMutationVariables["input"]): Promise<LogInMutation["login"]["user"]> {
    const { login } = await this.execute(LogInDocument, { input });
    await this.#announce();
    return login.user;
  }

  /** Signs the user out; the session continues as an application session. @throws SignalboxError */
  async logOut(): Promise<void> {
    await this.#leave();
    await this.execute(LogOutDocument, {});
    await this.#announce();
  }

  /** Ends the session at the service and here, and forgets the token. A session that has ended already is no error. */
  async end(): Promise<void> {
    const left = this.#leave();
    const token = this.held ?? (this.endReason ? null : await this.#stored());
    await this.#storage.remove();
    this.finish(new SignalboxError("UNAUTHENTICATED", "Signed out"));
    if (token === null) return;
    await left;
    await postGraphql(this.target, token, DestroySessionDocument, {}).catch((error) => {
      if (error instanceof SignalboxError && error.code === "UNAUTHENTICATED") return;
      throw error;
    });
  }

  /** The stored token first, then that of the source, with retries. */
  protected async obtainOnce(refused: string | null): Promise<string> {
    if (!this.#restored) {
      this.#restored = true;
      const stored = await this.#stored();
      if (stored && stored !== refused) return this.#use(stored);
    }
    const { signal } = this.closing;
    for (let failures = 1; ; failures += 1) {
      try {
        const given = await this.#source({ target: this.target, replaces: refused, signal });
        const token = typeof given === "string" ? given : given.token;
        if (this.endReason) throw this.endReason;
        // A storage that is full or not allowed keeps nothing; the token serves until the page closes.
        await Promise.resolve(token)
          .then((text) => this.#storage.set(text))
          .catch(() => {});
        return this.#use(token);
      } catch (error) {
        if (this.endReason) throw this.endReason;
        const reason = error instanceof SignalboxError ? error : networkError(error);
        const isFinal = !isTransient(reason);
        // A session that is renewed early serves until it expires.
        if (isFinal && this.held === null) this.finish(reason);
        const retryMs = (reason.retryAfter ?? 0) * 1000;
        if (isFinal || failures === ATTEMPTS || retryMs > RETRY_AFTER_MS_MAX) throw reason;
        await sleep(Math.max(backoffMs(failures), retryMs), signal);
      }
    }
  }

  /** The token of the storage; null if it has none or cannot be read. */
  async #stored(): Promise<string | null> {
    try {
      return await this.#storage.get();
    } catch {
      return null;
    }
  }

  #use(token: string): string {
    const isNew = this.held !== token;
    this.held = token;
    if (isNew) void this.#announce().catch(() => {});
    return token;
  }

  /** Reads the session again, and reports it. */
  async #announce(): Promise<void> {
    this.#details = null;
    this.emit("changed", await this.current());
  }

  async #load(): Promise<CurrentSession> {
    try {
      const { currentSession } = await this.execute(CurrentSessionDocument, {});
      this.#schedule(currentSession);
      return currentSession;
    } catch (error) {
      this.#details = null;
      throw error;
    }
  }

  /** Renews the session shortly before it expires. Sessions that move with their use are only read again. */
  #schedule({ token, expiresAt }: Pick<CurrentSession, "token" | "expiresAt">): void {
    clearTimeout(this.#renewal);
    const left = Date.parse(expiresAt) - Date.now();
    const wait = Math.min(Math.max(left * (1 - RENEW_SHARE), 1_000), TIMER_MAX_MS);
    this.#renewal = setTimeout(() => void this.#renewEarly(token, expiresAt), wait);
    // Must not keep a process of Node.js alive.
    (this.#renewal as { unref?: () => void }).unref?.();
  }

  async #renewEarly(token: string, expiresAt: string): Promise<void> {
    if (token !== this.held) return;
    try {
      this.#details = null;
      const { expiresAt: moved } = await this.current();
      if (moved === expiresAt && token === this.held) await this.obtain(token);
    } catch {
      // The next operation that needs a token reports it, if no attempt succeeds before the session expires.
      const isValid = token === this.held && Date.parse(expiresAt) > Date.now();
      if (isValid) this.#schedule({ token, expiresAt });
    }
  }

  async #leave(): Promise<void> {
    const sent: Promise<unknown>[] = [];
    this.emit("leaving", (waitFor) => sent.push(waitFor));
    await Promise.allSettled(sent);
  }

  /** Ends the session here, and its renewal. */
  protected override finish(reason: SignalboxError): void {
    this.#details = null;
    clearTimeout(this.#renewal);
    super.finish(reason);
  }
}
