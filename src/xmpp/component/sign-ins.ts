import { LRUCache } from "lru-cache";
import type { Party } from "../../calls/signal";

/** Sign-ins that are remembered at most; the longest unused go first. */
const REMEMBERED = 50_000;

/** What ended: a session or a user. */
export interface Ended {
  sessionId?: number;
  userId?: number;
}

/**
 * Who was let in at the chat server by this node: the word that something ended carries a number, and a
 * chat server knows addresses.
 */
export class SignIns {
  readonly #sessions = new LRUCache<number, Party>({ max: REMEMBERED });
  readonly #users = new LRUCache<number, Party>({ max: REMEMBERED });

  /** Notes a sign-in by a session's token, or by a password (null). */
  note({ applicationId, userId }: Party, sessionId: number | null): void {
    const user = { applicationId, userId };
    this.#users.set(userId, user);
    if (sessionId !== null) this.#sessions.set(sessionId, user);
  }

  /** Whose streams have to end, if anybody's, and forgets what ended. */
  take({ sessionId, userId }: Ended): Party | undefined {
    const session = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    const user = userId === undefined ? session : this.#users.get(userId);
    if (sessionId !== undefined) this.#sessions.delete(sessionId);
    if (userId !== undefined) this.#users.delete(userId);
    return user;
  }
}
