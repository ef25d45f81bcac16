import { LRUCache } from "lru-cache";
import type { Party } from "../../../domain/calls/signals/signal";

/** Maximum number of sign-ins in each index; the least recently used are evicted. */
const MAX_SIGN_INS = 50_000;

/** The end of a session or of a user. */
export interface Termination {
  sessionId?: number;
  userId?: number;
}

/**
 * The sign-ins at the chat server that this node allowed, by session and user id. The event of an ended
 * session has only its id, but a chat server needs the user's JID.
 */
export class SignInIndex {
  private readonly sessions = new LRUCache<number, Party>({ max: MAX_SIGN_INS });
  private readonly users = new LRUCache<number, Party>({ max: MAX_SIGN_INS });

  /**
   * Records a sign-in.
   * @param sessionId null after a sign-in by password
   */
  record({ applicationId, userId }: Party, sessionId: number | null): void {
    const user = { applicationId, userId };
    this.users.set(userId, user);
    if (sessionId !== null) this.sessions.set(sessionId, user);
  }

  /** Removes the ended session or user. Returns the user whose streams have to end, if known. */
  remove({ sessionId, userId }: Termination): Party | undefined {
    const session = sessionId === undefined ? undefined : this.sessions.get(sessionId);
    const user = userId === undefined ? session : this.users.get(userId);
    if (sessionId !== undefined) this.sessions.delete(sessionId);
    if (userId !== undefined) this.users.delete(userId);
    return user;
  }
}
