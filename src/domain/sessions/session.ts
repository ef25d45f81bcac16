import type { SessionOrigin } from "../../platform/store/generated/enums";
import type { User } from "../users/user";

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

/** A session in a list, without its token (schema/rest/session-list.graphql). */
export interface SessionEntry {
  id: number;
  applicationId: number;
  /** Null for a session without a user. */
  userId: number | null;
  /** IP address that created the session; empty if it is unknown. */
  ip: string;
  /** Empty if the client sent none. */
  userAgent: string;
  lastActivityAt: Date;
  expiresAt: Date;
  origin: SessionOrigin;
  /** The API key that created it, for members of the account only; null if none did. */
  apiKey: SessionApiKey | null;
}

/** The API key that created a session. */
export interface SessionApiKey {
  id: number;
  /** Null once the key is revoked. */
  name: string | null;
}
