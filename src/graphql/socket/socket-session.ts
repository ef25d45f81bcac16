import type { WebSocket } from "ws";
import { Fault, NO_SESSION } from "../../core/errors";
import { findOwner, isOwnerToken } from "../../identity/account/account-sessions";
import { ORIGIN_REFUSED } from "../../identity/application/web-origins";
import type { Identity } from "../../identity/identity";
import type { Session } from "../../identity/session/session";
import { findSession } from "../../identity/session/sessions";

/** Close codes of graphql-ws's PROTOCOL.md: the session ended; the application does not admit the web page. */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
/** Milliseconds that the answer to what ended the session may take before the socket closes without it. */
const LAST_WORDS_MS = 3_000;

/**
 * The session that a socket belongs to: its operations run with the session's token, and it closes
 * when the session ends. A fresh session of the same user can take the place of the first.
 */
export class SocketSession {
  /** The session that the socket came with, whose device it stays: peers of a call know it by that. */
  first: number | undefined;
  private current: string | undefined;
  private unwatch: () => void = () => undefined;
  /** Operations that may end the session and are answered before the socket closes. */
  private readonly lastWords = new Set<string>();
  private ended = false;
  private deadline: NodeJS.Timeout | undefined;

  /**
   * @param ip address of the client
   * @param origin the web page's, where a browser named one
   */
  constructor(
    private readonly identity: Identity,
    private readonly socket: WebSocket,
    readonly ip: string,
    private readonly origin: string | undefined,
  ) {}

  /** Token that operations run with; none on a socket that came without. */
  get token(): string | undefined {
    return this.current;
  }

  /**
   * Binds the socket to the session of its token; closes it when the token is not good, or when the
   * application does not admit the web page.
   */
  async connect(token: string): Promise<void> {
    this.current = token;
    try {
      // Nothing flows to an owner unasked, and every operation looks the token up anew.
      if (isOwnerToken(token)) return void (await findOwner(this.identity, token));
      await this.join(token);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === "UNAUTHENTICATED") this.socket.close(UNAUTHORIZED, NO_SESSION);
      else if (error.code === "FORBIDDEN") this.socket.close(FORBIDDEN, error.message);
      else throw error;
    }
  }

  /**
   * Moves the socket to another session of its user. What runs on it goes on; operations that come
   * later use the new token, and the end of the old session no longer closes the socket.
   * @throws Fault UNAUTHENTICATED when either token is no longer good, FORBIDDEN when the new session
   * is of another user or application. The socket stays with the old session then
   */
  async renew(token: string): Promise<void> {
    const [old, fresh] = await Promise.all([
      findSession(this.identity, this.current),
      findSession(this.identity, token),
    ]);
    if (!sameOwner(old, fresh)) throw foreign();
    await this.join(token, old);
  }

  /** Keeps the socket open until this operation is answered, should the session end by it. */
  answerFirst(id: string): void {
    // What comes after the end is no reason to wait.
    if (!this.ended) this.lastWords.add(id);
  }

  /** Called when an operation has been answered but for its `complete`, which is sent right after. */
  answered(id: string): void {
    if (this.lastWords.delete(id) && this.ended && this.lastWords.size === 0) {
      setImmediate(() => this.close());
    }
  }

  /** Withdraws the socket from those that end with their session. */
  leave(): void {
    clearTimeout(this.deadline);
    this.unwatch();
    this.unwatch = () => undefined;
  }

  /** Watches the session of a token in place of the one before. */
  private async join(token: string, old?: Session): Promise<void> {
    const session = await findSession(this.identity, token);
    const unwatch = this.watch(session);
    try {
      // It may have ended, or changed hands, between the look-up and the watch; so may the page's leave.
      const now = await findSession(this.identity, token);
      await this.identity.origins.check(now.applicationId, this.origin);
      if (old && !sameOwner(old, now)) throw foreign();
      if (this.ended || this.socket.readyState !== this.socket.OPEN) throw Fault.noSession();
    } catch (error) {
      unwatch();
      throw error;
    }
    this.unwatch();
    this.unwatch = unwatch;
    this.current = token;
    this.first ??= session.id;
  }

  private watch({ id: sessionId, userId, applicationId }: Session): () => void {
    const { endings, origins } = this.identity;
    const unwatch = endings.watch({ sessionId, userId, close: () => this.end() });
    const { origin } = this;
    if (origin === undefined) return unwatch;
    const refuse = () => this.socket.close(FORBIDDEN, ORIGIN_REFUSED);
    const leave = origins.watch({ applicationId, origin, refuse });
    return () => {
      unwatch();
      leave();
    };
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.lastWords.size === 0) this.close();
    else this.deadline = setTimeout(() => this.close(), LAST_WORDS_MS);
  }

  private close(): void {
    this.socket.close(UNAUTHORIZED, NO_SESSION);
  }
}

function sameOwner(a: Session, b: Session): boolean {
  return a.applicationId === b.applicationId && a.userId === b.userId && kindOf(a) === kindOf(b);
}

/** An unbound web session is less than an application's, though neither has a user. */
function kindOf({ userId, web }: Session): string {
  return userId === null && web ? "web" : "other";
}

function foreign(): Fault {
  return new Fault("FORBIDDEN", "The token is of another user or application than the socket");
}
