/**
 * Kinds of sessions, from least to most access: an unbound web session may read and destroy itself, an
 * application session may also sign up and sign in, a guest or user session acts for a user.
 */
export type ViewerKind = "web" | "application" | "guest" | "user";

/** The authenticated caller: the session of a token. */
export interface Viewer {
  kind: ViewerKind;
  sessionId: number;
  applicationId: number;
  /** Null unless the kind is `guest` or `user`. */
  userId: number | null;
}

/** A viewer that acts for a user. */
export interface UserViewer extends Viewer {
  kind: "guest" | "user";
  userId: number;
}

/**
 * Roles of the members of an account, from least to most access: `support` reads, and sees no secret; `developer` also
 * changes applications and their data; `owner` also changes the account and its members.
 */
export type MemberRole = "support" | "developer" | "owner";

/** A member of an account, who belongs to none of its applications. */
export interface AccountViewer {
  kind: "member";
  accountId: number;
  accountSessionId: number;
  memberId: number;
  /** The address that the member signs in with. */
  email: string;
  role: MemberRole;
}

/** A guest who was admitted to one conference by a link, and belongs to no user. */
export interface LinkGuestViewer {
  kind: "link-guest";
  applicationId: number;
  conferenceId: number;
  /** The guest's number, from the sequence of users' ids. */
  number: number;
  name: string;
}

/** What an API key may be used for: sessions of users, the users themselves, and pushes. */
export type ApiKeyScope = "sessions" | "users" | "push";

/** The API key of an application, by which its backend calls. */
export interface ApiKeyViewer {
  kind: "api-key";
  id: number;
  name: string;
  applicationId: number;
  accountId: number;
  scopes: readonly ApiKeyScope[];
  /** The member who created the key: it ends when the member is removed, or becomes a support member. */
  creator: { memberId: number; email: string; role: MemberRole };
}

/**
 * Who calls for an account: one of its members, or the API key of one of its applications, which does what a developer
 * may, for that application.
 */
export interface MemberViewer {
  kind: "member";
  accountId: number;
  role: MemberRole;
  /** The API key that calls; null for a member, who names an application of the account. */
  key: Pick<ApiKeyViewer, "applicationId" | "scopes"> | null;
  /** Whether an application belongs to the member's account, or is that of the API key. */
  owns(applicationId: number): Promise<boolean>;
}

/** The caller of an operation for users and for members of an account or API keys. */
export type UserOrMember = UserViewer | MemberViewer;

/**
 * The access that an operation requires of clients of an application: `public` nothing (the token is ignored), `session`
 * any session token, `application` any session token except that of an unbound web session, `user` the token of a guest
 * or user, `conference` that or the token of a guest by link, which is valid for no other operation.
 */
export type ClientAccess = "public" | "session" | "application" | "user" | "conference";

/**
 * Who may run an operation: clients with a given access, members of an account with at least a given role, and API keys
 * with a scope.
 */
export interface AllowedCallers {
  /** Null if no client of an application may run it. */
  client: ClientAccess | null;
  /** Null if no member of an account may run it. */
  member: MemberRole | null;
  /** Null if no API key may run it. A public operation without a scope ignores keys, as it ignores tokens. */
  keyScope: ApiKeyScope | null;
}

const ROLE_LEVELS: Record<MemberRole, number> = { support: 1, developer: 2, owner: 3 };

/** Whether it is a member's role rather than a client's access. */
export function isMemberRole(access: ClientAccess | MemberRole): access is MemberRole {
  return access in ROLE_LEVELS;
}

/** Whether a member with a role may run an operation that requires another. */
export function roleAllows(required: MemberRole, role: MemberRole): boolean {
  return ROLE_LEVELS[role] >= ROLE_LEVELS[required];
}

const LEVELS = { web: 1, application: 2, guest: 3, user: 3 } as const;
const REQUIRED_LEVELS = { public: 0, session: 1, application: 2, user: 3, conference: 3 } as const;

/** Whether a viewer of this kind may run an operation that requires this access. */
export function allows(access: ClientAccess, kind: ViewerKind): boolean {
  return LEVELS[kind] >= REQUIRED_LEVELS[access];
}
