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

/** The owner of an account, who belongs to none of its applications. */
export interface AccountViewer {
  accountId: number;
  accountSessionId: number;
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

/**
 * The access that an operation requires: `public` nothing (the token is ignored), `session` any session
 * token, `application` any session token except that of an unbound web session, `user` the token of a guest
 * or user, `conference` that or the token of a guest by link, which is valid for no other operation, `account`
 * the token of an account owner, which is valid for no other operation.
 */
export type Access = "public" | "session" | "application" | "user" | "conference" | "account";

const LEVELS = { web: 1, application: 2, guest: 3, user: 3 } as const;
const REQUIRED_LEVELS = { public: 0, session: 1, application: 2, user: 3, conference: 3 } as const;

/** Whether a viewer of this kind may run an operation that requires this access. */
export function allows(access: Access, kind: ViewerKind): boolean {
  return access !== "account" && LEVELS[kind] >= REQUIRED_LEVELS[access];
}
