/**
 * What a session may do, from least to most: an unbound web session may read and destroy itself, an
 * application session may also sign up and sign in, a guest or user session acts for a user.
 */
export type ViewerKind = "web" | "application" | "guest" | "user";

/** Who is calling: the session behind a token. */
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

/** An account's owner, who stands outside of its applications. */
export interface AccountViewer {
  accountId: number;
  accountSessionId: number;
}

/**
 * What an operation asks of its caller:
 * `public` nothing, a token is not even looked at; `session` any valid token of a session;
 * `application` a token other than an unbound web session's; `user` a token with a user; `account` the
 * token of an account's owner, which opens nothing else.
 */
export type Access = "public" | "session" | "application" | "user" | "account";

const LEVEL = { web: 1, application: 2, guest: 3, user: 3 } as const;
const NEEDED = { public: 0, session: 1, application: 2, user: 3 } as const;

/** Whether a viewer of this kind may use an operation that asks for this access. */
export function allows(access: Access, kind: ViewerKind): boolean {
  return access !== "account" && LEVEL[kind] >= NEEDED[access];
}
