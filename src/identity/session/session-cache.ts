import { LRUCache } from "lru-cache";
import type { Ending } from "../endings";
import type { Session } from "./session";

/** Sessions that are remembered at most. */
const CAPACITY = 20_000;

/**
 * Sessions by token hash, for a node that is alone: nobody else can change one. Whatever this node
 * changes it forgets here before it answers.
 */
export class SessionCache {
  private readonly bySession = new Map<number, string>();
  private readonly byUser = new Map<number, Set<string>>();
  private epoch = 0;
  private readonly sessions = new LRUCache<string, Session>({
    max: CAPACITY,
    dispose: (session, key) => this.unlink(session, key),
  });

  /** The session of a token hash, if it is remembered. */
  get(key: string): Session | undefined {
    return this.sessions.get(key);
  }

  /**
   * Reads a session and remembers it, unless something was forgotten meanwhile: then what was read
   * may already be out of date.
   */
  async load(key: string, read: () => Promise<Session | null>): Promise<Session | null> {
    const { epoch } = this;
    const session = await read();
    if (session !== null && epoch === this.epoch) {
      this.sessions.set(key, session);
      this.bySession.set(session.id, key);
      if (session.userId !== null) {
        const keys = this.byUser.get(session.userId);
        if (keys) keys.add(key);
        else this.byUser.set(session.userId, new Set([key]));
      }
    }
    return session;
  }

  /** Forgets what an ending or a change touches. */
  forget(ending: Ending): void {
    // A session holds nothing of its application.
    if (ending.kind === "application changed") return;
    this.epoch++;
    const keys =
      "sessionId" in ending
        ? [this.bySession.get(ending.sessionId)]
        : [...(this.byUser.get(ending.userId) ?? [])];
    for (const key of keys) if (key !== undefined) this.sessions.delete(key);
  }

  private unlink(session: Session, key: string): void {
    this.bySession.delete(session.id);
    if (session.userId === null) return;
    const keys = this.byUser.get(session.userId);
    if (keys?.delete(key) && keys.size === 0) this.byUser.delete(session.userId);
  }
}
