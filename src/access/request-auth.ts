import { Extensions } from "type-graphql";
import type { Caller } from "../core/caller";
import { Fault } from "../core/errors";
import {
  type Access,
  type AccountViewer,
  allows,
  isMemberAccess,
  type LinkGuestViewer,
  type MemberRole,
  roleAllows,
  type UserViewer,
  type Viewer,
} from "../core/viewer";

/** What authentication needs of a session. */
export interface AuthenticatedSession {
  id: number;
  applicationId: number;
  /** Null for an application session and for an unbound web session. */
  userId: number | null;
  web: boolean;
  expiresAt: Date;
  user: { isGuest: boolean } | null;
}

/** The look-ups that authenticate a token; the modules of sessions, accounts and applications provide them. */
export interface AuthLookups<Session extends AuthenticatedSession> {
  /** Finds the session of a token. @throws Fault UNAUTHENTICATED */
  findSession(token: string | undefined): Promise<Session>;
  /**
   * Finds the member of an account of a token.
   * @param extend whether this is a use, which extends the session; true by default
   * @throws Fault UNAUTHENTICATED
   */
  findOwner(token: string | undefined, extend?: boolean): Promise<AccountViewer>;
  /** Finds the guest of a conference by its token. @throws Fault UNAUTHENTICATED */
  findLinkGuest(token: string): Promise<LinkGuestViewer>;
  /** Checks the origin of a web page. @throws Fault FORBIDDEN if the application does not allow it */
  checkOrigin(applicationId: number, origin: string | undefined): Promise<void>;
}

/** An account owner's token; the prefix keeps it apart from the tokens of sessions. */
const OWNER_TOKEN = /^acct_[A-Za-z0-9_-]{43}$/;

/** Returns whether a token has the form of an account owner's token. */
export function isOwnerToken(token: string | undefined): token is string {
  return token !== undefined && OWNER_TOKEN.test(token);
}

/** Prefix of the tokens of guests by link, which keeps them apart from the tokens of sessions. */
export const LINK_GUEST_PREFIX = "conf_";
const LINK_GUEST_TOKEN = /^conf_[A-Za-z0-9_-]{43}$/;

/** Returns whether a token has the form of the token of a guest by link. */
export function isLinkGuestToken(token: string | undefined): token is string {
  return token !== undefined && LINK_GUEST_TOKEN.test(token);
}

/** The viewer that a session authenticates. */
export function viewerOf(session: AuthenticatedSession): Viewer {
  const { id: sessionId, applicationId, userId, user, web } = session;
  if (userId === null) {
    return { kind: web ? "web" : "application", sessionId, applicationId, userId };
  }
  return { kind: user?.isGuest ? "guest" : "user", sessionId, applicationId, userId };
}

/** Authentication of one request. Looks the caller's session up lazily; a session of an application only once. */
export class RequestAuth<Session extends AuthenticatedSession = AuthenticatedSession> {
  private lookup: Promise<Session> | null = null;
  private found: Session | null = null;
  private ownerLookup: Promise<AccountViewer> | null = null;
  private guestLookup: Promise<LinkGuestViewer> | null = null;
  /** The members who signed in by this request. */
  private readonly signedIn: AccountViewer[] = [];
  private noted: number | null = null;

  constructor(
    private readonly lookups: AuthLookups<Session>,
    private readonly caller: Pick<Caller, "token" | "origin">,
  ) {}

  /**
   * Returns the caller's session.
   * @throws Fault UNAUTHENTICATED without a valid token; FORBIDDEN if the application does not allow
   * the web page's origin
   */
  session(): Promise<Session> {
    this.lookup ??= this.load();
    return this.lookup;
  }

  private async load(): Promise<Session> {
    const { token, origin } = this.caller;
    const session = await this.lookups.findSession(token);
    this.noteApplication(session.applicationId);
    await this.lookups.checkOrigin(session.applicationId, origin);
    this.found = session;
    return session;
  }

  /** Returns the calling account owner. @throws Fault UNAUTHENTICATED */
  account(): Promise<AccountViewer> {
    this.ownerLookup ??= this.lookups.findOwner(this.caller.token);
    return this.ownerLookup;
  }

  /**
   * Looks the calling account owner up again, in an operation that lasts, which does not extend the session.
   * @throws Fault UNAUTHENTICATED
   */
  currentAccount(): Promise<AccountViewer> {
    this.ownerLookup = this.lookups.findOwner(this.caller.token, false);
    return this.ownerLookup;
  }

  /**
   * Drops what was read of the calling account owner, so that the next check reads it again: an earlier mutation of the
   * document may have removed or demoted the member, or ended the session.
   */
  forgetAccount(): void {
    this.ownerLookup = null;
  }

  /** Notes a member whom the request signs in, and whose account its answer may show. */
  noteSignIn(member: AccountViewer): void {
    this.signedIn.push(member);
  }

  /** The member whom the answer is for: who has just signed in, or else the owner of the token; null if it is nobody. */
  async member(): Promise<AccountViewer | null> {
    const latest = this.signedIn.at(-1);
    if (latest !== undefined) return latest;
    return isOwnerToken(this.caller.token) ? this.account() : null;
  }

  /**
   * Whether the answer may hold secrets of an account. A request that also signs a member in may show the accounts of
   * two members; then both need the role.
   */
  async maySeeSecrets(): Promise<boolean> {
    const members = [...this.signedIn];
    // A public operation ignores an invalid token.
    const own = isOwnerToken(this.caller.token) ? await this.account().catch(() => null) : null;
    if (own !== null) members.push(own);
    return members.length > 0 && members.every(({ role }) => roleAllows("developer", role));
  }

  /**
   * Returns the user or the guest by link who calls.
   * @throws Fault UNAUTHENTICATED; FORBIDDEN for a session without a user, or a web origin that is not allowed
   */
  participant(): Promise<UserViewer | LinkGuestViewer> {
    const { token } = this.caller;
    if (!isLinkGuestToken(token)) return this.user();
    this.guestLookup ??= this.loadGuest(token);
    return this.guestLookup;
  }

  /** Checks the caller's web origin for an operation without a token. @throws Fault FORBIDDEN */
  checkOrigin(applicationId: number): Promise<void> {
    this.noteApplication(applicationId);
    return this.lookups.checkOrigin(applicationId, this.caller.origin);
  }

  private async loadGuest(token: string): Promise<LinkGuestViewer> {
    const guest = await this.lookups.findLinkGuest(token);
    await this.checkOrigin(guest.applicationId);
    return guest;
  }

  /** Returns the application of the caller, who is no account owner. @throws Fault UNAUTHENTICATED */
  async applicationId(): Promise<number> {
    const { token } = this.caller;
    const viewer = isLinkGuestToken(token) ? await this.participant() : await this.session();
    return viewer.applicationId;
  }

  /** Notes the application of a request without a token of it, for the statistics. */
  noteApplication(applicationId: number): void {
    this.noted = applicationId;
  }

  /** The application that the request turned out to belong to, with or without success; null if to none. */
  get notedApplication(): number | null {
    return this.noted;
  }

  /** The token that the request carries; empty without one. */
  get token(): string {
    return this.caller.token ?? "";
  }

  /** Whether the token has the form of that of an account's member. */
  get isMember(): boolean {
    return isOwnerToken(this.caller.token);
  }

  /** The session if it has been looked up, else null. */
  get currentSession(): Session | null {
    return this.found;
  }

  /** Replaces the session after a change. */
  replaceSession(session: Session): void {
    this.found = session;
    this.lookup = Promise.resolve(session);
  }

  /** Drops the session after it was destroyed; later calls are unauthenticated. */
  clearSession(): void {
    this.found = null;
    this.lookup = Promise.reject(Fault.noSession());
    this.lookup.catch(() => undefined);
  }

  /** Returns the caller. @throws Fault UNAUTHENTICATED */
  async viewer(): Promise<Viewer> {
    return viewerOf(await this.session());
  }

  /**
   * Names the caller over all sessions and connections: the user, the guest by link or the member of an account; the
   * session if it has no user.
   * @throws Fault UNAUTHENTICATED
   */
  async viewerKey(): Promise<string> {
    const { token } = this.caller;
    if (isOwnerToken(token)) return `member ${(await this.account()).memberId}`;
    if (isLinkGuestToken(token)) {
      this.guestLookup ??= this.loadGuest(token);
      return `link guest ${(await this.guestLookup).number}`;
    }
    const { userId, sessionId } = await this.viewer();
    return userId === null ? `session ${sessionId}` : `user ${userId}`;
  }

  /** Returns the signed-in user. @throws Fault UNAUTHENTICATED; FORBIDDEN for a session without a user */
  async user(): Promise<UserViewer> {
    const viewer = await this.viewer();
    if (viewer.userId === null) throw forbidden();
    return viewer as UserViewer;
  }

  /** Checks the caller's token, of whatever kind. @throws Fault UNAUTHENTICATED; FORBIDDEN from a web origin */
  async authenticate(): Promise<void> {
    if (isOwnerToken(this.caller.token)) await this.account();
    else if (isLinkGuestToken(this.caller.token)) await this.participant();
    else await this.session();
  }

  /** Checks that the caller has this access. @throws Fault UNAUTHENTICATED, FORBIDDEN */
  async require(access: Access): Promise<void> {
    if (access === "public") return;
    if (isOwnerToken(this.caller.token)) {
      const { role } = await this.account();
      if (!isMemberAccess(access)) throw new Fault("FORBIDDEN", OWNER_REFUSED);
      if (!roleAllows(access, role)) throw new Fault("FORBIDDEN", roleRefused(access));
      return;
    }
    if (isLinkGuestToken(this.caller.token)) {
      await this.participant();
      if (access !== "conference") throw new Fault("FORBIDDEN", LINK_GUEST_REFUSED);
      return;
    }
    const { kind } = await this.viewer();
    if (isMemberAccess(access)) throw new Fault("FORBIDDEN", SESSION_REFUSED);
    if (!allows(access, kind)) throw forbidden();
  }
}

/**
 * Declares the access that an operation requires. The server refuses to start if an operation declares
 * none. The schema enforces it before the operation runs, for every protocol.
 */
export function Allow(access: Access): MethodDecorator & PropertyDecorator {
  return Extensions({ access });
}

function forbidden(): Fault {
  return new Fault("FORBIDDEN", "This session may not do that: a session with a user is needed");
}

function roleRefused(required: MemberRole): string {
  return `Your role may not do that: the role ${required} is needed`;
}

const OWNER_REFUSED =
  "An account owner's token may not do that: a session of the application is needed";
const LINK_GUEST_REFUSED =
  "A conference guest's token may not do that: a session of the application is needed";
const SESSION_REFUSED = "A session may not do that: an account owner's token is needed";
