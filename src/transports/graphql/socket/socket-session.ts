import type { WebSocket } from "ws";
import { Fault, NO_SESSION } from "../../../core/errors";
import { hashToken } from "../../../core/random";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import type { AuthLookups } from "../../../domain/access/request-auth";
import { isLinkGuestToken, isMemberToken } from "../../../domain/access/token-forms";
import type { WebOrigins } from "../../../domain/applications/web-origins";
import { ORIGIN_REFUSED } from "../../../domain/applications/web-origins";
import type { SessionEvents } from "../../../domain/session-events/session-events";
import type { Session } from "../../../domain/sessions/session";
import {
  linkGuestViewer,
  memberViewer,
  type OpenSocket,
  type OpenSockets,
  sessionViewer,
} from "../../../platform/limits/open-sockets";

/**
 * Close codes of graphql-ws's PROTOCOL.md: the session ended; the application does not allow the web origin.
 */
const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;
/** IANA's Try Again Later: the viewer or the address has too many sockets. */
const LATER = 1013;
const TOO_MANY = "Too many open sockets of this user or address";
/**
 * Maximum time to wait for the response of the operation that ended the session, and for the event that ends a guest's
 * membership, in milliseconds.
 */
const CLOSE_DELAY_MS = 3_000;

/** Dependencies of {@link SocketSession}. */
export interface SocketSessionDeps {
  lookups: AuthLookups<Session>;
  sessionEvents: SessionEvents;
  webOrigins: WebOrigins;
  openSockets: OpenSockets;
  /** Counts the open sockets of each application. */
  counters: ApplicationCounters;
}

/**
 * The session of a socket. Its operations run with the session's token, and the socket closes when the
 * session ends. The socket can be renewed with another session of the same user.
 */
export class SocketSession {
  /** Id of the first session. It identifies the device to peers of a call, also after a renewal. */
  deviceSessionId: number | undefined;
  private current: string | undefined;
  private unwatch: () => void = () => undefined;
  /** Counts the socket as closed; null while it belongs to no application. */
  private uncount: (() => void) | null = null;
  /** Counts it for its viewer and address; null without a session. */
  private open: OpenSocket | null = null;
  /** Ids (of this node) of operations that may end the session, and must be answered before the socket closes. */
  private readonly closeAfter = new Set<string>();
  /** Number of operations that run. */
  private running = 0;
  private ended = false;
  /** Whether the token of a guest by link has ended. */
  private guestEnded = false;
  private deadline: NodeJS.Timeout | undefined;

  /**
   * @param ip address of the client
   * @param origin the Origin header, which browsers send
   */
  constructor(
    private readonly deps: SocketSessionDeps,
    private readonly socket: WebSocket,
    readonly ip: string,
    private readonly origin: string | undefined,
  ) {}

  /** The token that operations run with; undefined without a session. */
  get token(): string | undefined {
    return this.current;
  }

  /**
   * Binds the socket to the session of its token. Closes the socket if the token is invalid, if the application
   * does not allow the web origin, or if the viewer or the address has too many sockets.
   */
  async connect(token: string): Promise<void> {
    this.current = token;
    try {
      if (isMemberToken(token)) return await this.joinMember(token);
      if (isLinkGuestToken(token)) {
        await this.admitGuest(token);
        return this.admit(linkGuestViewer(hashToken(token).toString("base64url")));
      }
      await this.join(token);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === "UNAUTHENTICATED") this.socket.close(UNAUTHORIZED, NO_SESSION);
      else if (error.code === "FORBIDDEN") this.socket.close(FORBIDDEN, error.message);
      else if (error.code === "LIMITED") this.socket.close(LATER, error.message);
      else throw error;
    }
  }

  /**
   * Moves the socket to another session of its user. Running operations continue, later ones use the new
   * token, and the end of the old session no longer closes the socket.
   * @throws Fault UNAUTHENTICATED if either token is no longer valid, FORBIDDEN if the new session belongs to
   * another user or application; the socket then keeps the old session
   */
  async renew(token: string): Promise<void> {
    const [old, fresh] = await Promise.all([
      this.deps.lookups.findSession(this.current),
      this.deps.lookups.findSession(token),
    ]);
    if (!sameOwner(old, fresh)) throw foreignSession();
    await this.join(token, old);
  }

  /** Delays the close until this operation is answered, in case it ends the session. */
  delayCloseFor(id: string): void {
    // Operations that start after the end do not delay the close.
    if (!this.ended) this.closeAfter.add(id);
  }

  /** Call when an operation starts. */
  operationStarted(): void {
    this.running += 1;
  }

  /** Call when an operation has ended, which sends its answer first. */
  operationEnded(id: string): void {
    this.running -= 1;
    if (this.guestEnded && this.running === 0) this.end();
    if (this.closeAfter.delete(id) && this.ended && this.closeAfter.size === 0) this.close();
  }

  /** Stops watching the session; call when the socket is closed. */
  dispose(): void {
    clearTimeout(this.deadline);
    this.unwatch();
    this.unwatch = () => undefined;
    this.uncount?.();
  }

  /** Counts the socket, which stays in its application when it is renewed. */
  private countOpen(applicationId: number): void {
    if (this.uncount !== null || this.socket.readyState !== this.socket.OPEN) return;
    this.uncount = this.deps.counters.socketOpened(applicationId, "graphql");
  }

  /** Counts the socket until it is closed; a renewed one keeps its place. @throws Fault LIMITED */
  private admit(viewer: string): void {
    const { socket } = this;
    if (this.open !== null || socket.readyState !== socket.OPEN) return;
    this.open = this.deps.openSockets.admit(viewer, this.ip);
    if (!this.open) throw new Fault("LIMITED", TOO_MANY);
    socket.once("close", this.open.release);
  }

  /** Its session has another user. */
  private moved(session: { id: number; userId: number | null }): void {
    if (this.open?.moveTo(sessionViewer(session)) === false) this.socket.close(LATER, TOO_MANY);
  }

  /** Watches the token of a guest by link. */
  private async admitGuest(token: string): Promise<void> {
    const { lookups, sessionEvents } = this.deps;
    const { applicationId, conferenceId, number } = await lookups.findLinkGuest(token);
    // The event that says why the guest is out comes first, and ends its subscription. No operation starts with the
    // token any more.
    const close = () => {
      this.guestEnded = true;
      if (this.running === 0) this.end();
      else this.deadline ??= setTimeout(() => this.end(), CLOSE_DELAY_MS);
    };
    const unwatch = this.watchOrigin(
      applicationId,
      sessionEvents.guests.track({ conferenceId, number, close }),
    );
    try {
      // Check again: the token may have ended between the look-up and the watch.
      await lookups.findLinkGuest(token);
      await lookups.checkOrigin(applicationId, this.origin);
      if (this.ended || this.socket.readyState !== this.socket.OPEN) throw Fault.noSession();
    } catch (error) {
      unwatch();
      throw error;
    }
    this.unwatch = unwatch;
    this.countOpen(applicationId);
  }

  /** Watches the session of a member of an account. */
  private async joinMember(token: string): Promise<void> {
    const { lookups, sessionEvents } = this.deps;
    const viewer = await lookups.findMemberByToken(token);
    const unwatch = sessionEvents.members.track({ ...viewer, close: () => this.end() });
    try {
      // Check again: the session may have ended between the look-up and the watch.
      await lookups.findMemberByToken(token);
      if (this.ended || this.socket.readyState !== this.socket.OPEN) throw Fault.noSession();
      this.admit(memberViewer(viewer.memberId));
    } catch (error) {
      unwatch();
      throw error;
    }
    this.unwatch = unwatch;
  }

  /** Watches the session of a token instead of the previous one. */
  private async join(token: string, old?: Session): Promise<void> {
    const session = await this.deps.lookups.findSession(token);
    const unwatch = this.watch(session);
    try {
      // Check again: session, user or allowed origins may have changed between the look-up and the watch.
      const now = await this.deps.lookups.findSession(token);
      await this.deps.lookups.checkOrigin(now.applicationId, this.origin);
      if (old && !sameOwner(old, now)) throw foreignSession();
      if (this.ended || this.socket.readyState !== this.socket.OPEN) throw Fault.noSession();
      this.admit(sessionViewer(now));
    } catch (error) {
      unwatch();
      throw error;
    }
    this.unwatch();
    this.unwatch = unwatch;
    this.current = token;
    this.deviceSessionId ??= session.id;
    this.countOpen(session.applicationId);
  }

  private watch({ id: sessionId, userId, applicationId }: Session): () => void {
    const { sessionEvents } = this.deps;
    const unwatch = sessionEvents.track({
      sessionId,
      userId,
      close: () => this.end(),
      moved: (now) => this.moved({ id: sessionId, userId: now }),
    });
    return this.watchOrigin(applicationId, unwatch);
  }

  /** Also watches whether the application allows the page's origin. @returns a function that ends both watches */
  private watchOrigin(applicationId: number, unwatch: () => void): () => void {
    const { webOrigins } = this.deps;
    const { origin } = this;
    if (origin === undefined) return unwatch;
    const disconnect = () => this.socket.close(FORBIDDEN, ORIGIN_REFUSED);
    const unwatchOrigin = webOrigins.track({ applicationId, origin, disconnect });
    return () => {
      unwatch();
      unwatchOrigin();
    };
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.closeAfter.size === 0) this.close();
    else this.deadline = setTimeout(() => this.close(), CLOSE_DELAY_MS);
  }

  private close(): void {
    this.socket.close(UNAUTHORIZED, NO_SESSION);
  }
}

function sameOwner(a: Session, b: Session): boolean {
  return a.applicationId === b.applicationId && a.userId === b.userId && kindOf(a) === kindOf(b);
}

/** Without a user, a web session has fewer rights than an application session. */
function kindOf({ userId, web }: Session): string {
  return userId === null && web ? "web" : "other";
}

function foreignSession(): Fault {
  return new Fault("FORBIDDEN", "The token is of another user or application than the socket");
}
