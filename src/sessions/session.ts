import { toUser, USER_COLUMNS, type User, type UserRow } from "../users/user";

/** A session as a look-up by token returns it (schema/rest/session.graphql), with its user if it has one. */
export interface Session {
  id: number;
  applicationId: number;
  /** Null for an application session and for an unbound web session. */
  userId: number | null;
  web: boolean;
  nonce: number;
  /** The signed timestamp, in Unix seconds. */
  ts: number;
  /** Whether each request extends the expiry. */
  sliding: boolean;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
  user: User | null;
}

/** Lifetime of a default session after its last request, in milliseconds. */
export const SESSION_TTL_MS = 2 * 60 * 60 * 1000;

/** The columns of {@link SessionRow}, for `sessions` with alias `s` and `users` with alias `u`. */
export const SESSION_COLUMNS = `s.id AS s_id, s.application_id AS s_application_id, s.web, s.nonce,
  s.ts, s.sliding, s.expires_at, s.created_at AS s_created_at, s.updated_at AS s_updated_at,
  ${USER_COLUMNS}`;

/** A row of {@link SESSION_COLUMNS}; the user's columns are null if the session has no user. */
export interface SessionRow extends Omit<UserRow, "u_id"> {
  s_id: number;
  s_application_id: number;
  web: boolean;
  nonce: number;
  ts: number;
  sliding: boolean;
  expires_at: Date;
  s_created_at: Date;
  s_updated_at: Date;
  u_id: number | null;
}

/** Maps a row to a session. */
export function toSession(row: SessionRow): Session {
  return {
    id: row.s_id,
    applicationId: row.s_application_id,
    userId: row.u_id,
    web: row.web,
    nonce: row.nonce,
    ts: row.ts,
    sliding: row.sliding,
    expiresAt: row.expires_at,
    createdAt: row.s_created_at,
    updatedAt: row.s_updated_at,
    user: hasUser(row) ? toUser(row) : null,
  };
}

function hasUser(row: SessionRow): row is SessionRow & UserRow {
  return row.u_id !== null;
}
