import { Extensions } from "type-graphql";
import type { Caller } from "../../core/caller";
import { Fault } from "../../core/errors";
import {
  type AccountViewer,
  type AllowedCallers,
  type ApiKeyScope,
  type ApiKeyViewer,
  allows,
  type ClientAccess,
  isMemberRole,
  type LinkGuestViewer,
  type MemberRole,
  type MemberViewer,
  roleAllows,
  type UserOrMember,
  type UserViewer,
  type Viewer,
} from "../../core/viewer";
import { ApiKeyAuth } from "./api-key-auth";
import {
  linkGuestRefused,
  memberRefused,
  roleRefused,
  sessionRefused,
  withoutUser,
} from "./refusals";
import { isLinkGuestToken, isMemberToken } from "./token-forms";

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
  findMemberByToken(token: string | undefined, extend?: boolean): Promise<AccountViewer>;
  /** Finds an API key. @throws Fault UNAUTHENTICATED if it is unknown, expired or revoked */
  findApiKey(key: string): Promise<ApiKeyViewer>;
  /** Whether an application belongs to an account. */
  ownsApplication(accountId: number, applicationId: number): Promise<boolean>;
  /** Finds the guest of a conference by its token. @throws Fault UNAUTHENTICATED */
  findLinkGuest(token: string): Promise<LinkGuestViewer>;
  /** Checks the origin of a web page. @throws Fault FORBIDDEN if the application does not allow it */
  checkOrigin(applicationId: number, origin: string | undefined): Promise<void>;
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
  private memberLookup: Promise<AccountViewer> | null = null;
  private readonly key: ApiKeyAuth;
  private guestLookup: Promise<LinkGuestViewer> | null = null;
  /** The members who signed in by this request. */
  private readonly signedIn: AccountViewer[] = [];
  private noted: number | null = null;
  /** Whether the applications that a member has asked for belong to the account, by the ids of both. */
  private owned: Map<string, Promise<boolean>> | null = null;
  private lastOwned: number | null = null;

  constructor(
    private readonly lookups: AuthLookups<Session>,
    private readonly caller: Pick<Caller, "token" | "origin" | "apiKey"> &
      Partial<Pick<Caller, "protocol">>,
  ) {
    const find = (key: string) => lookups.findApiKey(key);
    this.key = new ApiKeyAuth(find, caller, ({ applicationId }) =>
      this.noteApplication(applicationId),
    );
  }

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

  /** Returns the calling member of an account. @throws Fault UNAUTHENTICATED */
  account(): Promise<AccountViewer> {
    this.memberLookup ??= this.lookups.findMemberByToken(this.caller.token);
    return this.memberLookup;
  }

  /**
   * Looks the calling member of an account up again, in an operation that lasts, which does not extend the session.
   * @throws Fault UNAUTHENTICATED
   */
  currentAccount(): Promise<AccountViewer> {
    this.memberLookup = this.lookups.findMemberByToken(this.caller.token, false);
    return this.memberLookup;
  }

  /** Whether the request carries an API key, valid or not. */
  get hasApiKey(): boolean {
    return this.key.isGiven;
  }

  /** Returns the API key of the request. @throws Fault UNAUTHENTICATED */
  apiKey(): Promise<ApiKeyViewer> {
    return this.key.viewer();
  }

  /** Returns who calls for an account. @throws Fault UNAUTHENTICATED */
  accountCaller(): Promise<AccountViewer | ApiKeyViewer> {
    return this.hasApiKey ? this.apiKey() : this.account();
  }

  /**
   * Drops what was read of the calling member or API key, so that the next check reads it again: an earlier mutation of
   * the document may have removed or demoted the member, or ended the session.
   */
  forgetAccount(): void {
    this.memberLookup = null;
    this.key.forget();
    this.owned = null;
    this.lastOwned = null;
  }

  /** The application of the account that the calling member asked for last; null if none. */
  get ownedApplication(): number | null {
    return this.lastOwned;
  }

  private async owns({ accountId }: AccountViewer, applicationId: number): Promise<boolean> {
    this.owned ??= new Map();
    const key = `${accountId} ${applicationId}`;
    const known = this.owned.get(key);
    const lookup = known ?? this.lookups.ownsApplication(accountId, applicationId);
    if (!known) this.owned.set(key, lookup);
    const owns = await lookup;
    if (owns) this.lastOwned = applicationId;
    return owns;
  }

  /** Notes a member whom the request signs in, and whose account its answer may show. */
  noteSignIn(member: AccountViewer): void {
    this.signedIn.push(member);
  }

  /** The member whom the answer is for: who has just signed in, or else the owner of the token; null if it is nobody. */
  async member(): Promise<AccountViewer | null> {
    const latest = this.signedIn.at(-1);
    if (latest !== undefined) return latest;
    return isMemberToken(this.caller.token) ? this.account() : null;
  }

  /**
   * Whether the answer may show what only members with at least a given role see; an API key sees what support does. A
   * request that also signs a member in may show the accounts of two members; then both need the role.
   * @param applicationId the application that the field's object belongs to, which the account must own; null if the
   * object belongs to an account
   */
  async maySee(role: MemberRole, applicationId: number | null): Promise<boolean> {
    const members = [...this.signedIn];
    const byKey = await this.key.maySee(role, applicationId);
    if (byKey === false) return false;
    const { token } = this.caller;
    // A public operation ignores an invalid token.
    const own = isMemberToken(token) ? await this.account().catch(() => null) : null;
    if (own !== null) members.push(own);
    if (members.length === 0) return byKey === true;
    if (!members.every((each) => roleAllows(role, each.role))) return false;
    if (applicationId === null) return true;
    const owned = await Promise.all(members.map((member) => this.owns(member, applicationId)));
    return owned.every(Boolean);
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
    if (this.hasApiKey) return (await this.apiKey()).applicationId;
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

  /** Whether the request is one for an account: it has the token of a member, by its form, or an API key. */
  get callsForAccount(): boolean {
    return this.hasApiKey || isMemberToken(this.caller.token);
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

  /** Returns the viewer of the caller's session. @throws Fault UNAUTHENTICATED */
  async sessionViewer(): Promise<Viewer> {
    return viewerOf(await this.session());
  }

  /**
   * Returns the caller of an operation for several audiences: a user, a guest by link, or who calls for an account.
   * @throws Fault UNAUTHENTICATED; FORBIDDEN for a session without a user, or a web origin that is not allowed
   */
  async viewer(): Promise<UserOrMember | LinkGuestViewer> {
    return this.callsForAccount ? this.memberViewer() : this.participant();
  }

  /**
   * Returns the caller of an operation for users and for members of an account.
   * @throws Fault UNAUTHENTICATED; FORBIDDEN for a session without a user
   */
  async userOrMember(): Promise<UserOrMember> {
    return this.callsForAccount ? this.memberViewer() : this.user();
  }

  /** Returns the calling member of an account, or API key. @throws Fault UNAUTHENTICATED */
  async memberViewer(): Promise<MemberViewer> {
    if (this.hasApiKey) return this.key.memberViewer();
    const caller = await this.account();
    const { accountId, role } = caller;
    const owns = (applicationId: number) => this.owns(caller, applicationId);
    return { kind: "member", accountId, role, key: null, owns };
  }

  /**
   * Names the caller over all sessions and connections: the user, the guest by link, the member of an account or the
   * API key; the session if it has no user.
   * @throws Fault UNAUTHENTICATED
   */
  async viewerKey(): Promise<string> {
    const { token } = this.caller;
    if (this.hasApiKey) return `api key ${(await this.apiKey()).id}`;
    if (isMemberToken(token)) return `member ${(await this.account()).memberId}`;
    if (isLinkGuestToken(token)) {
      this.guestLookup ??= this.loadGuest(token);
      return `link guest ${(await this.guestLookup).number}`;
    }
    const { userId, sessionId } = await this.sessionViewer();
    return userId === null ? `session ${sessionId}` : `user ${userId}`;
  }

  /** Returns the signed-in user. @throws Fault UNAUTHENTICATED; FORBIDDEN for a session without a user */
  async user(): Promise<UserViewer> {
    const viewer = await this.sessionViewer();
    if (viewer.userId === null) throw withoutUser(viewer.kind);
    return viewer as UserViewer;
  }

  /** Checks the caller's token or API key, of whatever kind. @throws Fault UNAUTHENTICATED; FORBIDDEN from a web origin */
  async authenticate(): Promise<void> {
    if (this.hasApiKey) await this.apiKey();
    else if (isMemberToken(this.caller.token)) await this.account();
    else if (isLinkGuestToken(this.caller.token)) await this.participant();
    else await this.session();
  }

  /** Checks that the caller is one of those that are allowed. @throws Fault UNAUTHENTICATED, FORBIDDEN */
  async require(allowed: AllowedCallers): Promise<void> {
    const { client, member, keyScope } = allowed;
    if (client === "public" && (keyScope === null || !this.hasApiKey)) return;
    if (this.hasApiKey) return this.key.require(allowed);
    if (this.callsForAccount) {
      const { role } = await this.account();
      // The REST-compatible paths are those of clients, also for operations that members run by GraphQL.
      if (member === null || this.caller.protocol === "rest") throw memberRefused();
      if (!roleAllows(member, role)) throw roleRefused(member);
      return;
    }
    if (isLinkGuestToken(this.caller.token)) {
      await this.participant();
      if (client !== "conference") throw linkGuestRefused();
      return;
    }
    const { kind } = await this.sessionViewer();
    if (client === null) throw sessionRefused();
    if (!allows(client, kind)) throw withoutUser(kind);
  }
}

/**
 * Declares who may run an operation: clients with a given access, members of an account with at least a given role, or
 * both. The server refuses to start if an operation declares none. The schema enforces it before the operation runs,
 * for every protocol.
 */
export function Allow(
  ...accesses: [ClientAccess | MemberRole] | [Exclude<ClientAccess, "public">, MemberRole]
): MethodDecorator & PropertyDecorator {
  const allowed: Omit<AllowedCallers, "keyScope"> = { client: null, member: null };
  for (const access of accesses) {
    if (isMemberRole(access)) allowed.member = access;
    else allowed.client = access;
  }
  return Extensions({ allowed });
}

/**
 * Declares that API keys with a scope may run an operation, beside those whom `@Allow` names: as a developer of the
 * account would, for the key's application only. A mutation leaves an entry in the audit log, which names the key, unless
 * it has `@AuditsItself()`.
 */
export function KeyScope(scope: ApiKeyScope): MethodDecorator & PropertyDecorator {
  return Extensions({ keyScope: scope });
}
