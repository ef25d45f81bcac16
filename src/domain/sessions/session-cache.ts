import { LRUCache } from "lru-cache";
import type { SessionEvent } from "../session-events/session-events";
import type { Session } from "./session";

/** Maximum number of cached sessions. */
const CAPACITY = 20_000;

/**
 * Sessions by token hash, for single-node deployments: no other node can change a session there. This
 * node evicts each session that it changes before it answers.
 */
export class SessionCache {
  private readonly bySession = new Map<number, string>();
  private readonly byUser = new Map<number, Set<string>>();
  private epoch = 0;
  private readonly sessions = new LRUCache<string, Session>({
    max: CAPACITY,
    dispose: (session, key) => this.unlink(session, key),
  });

  /** The cached session of a token hash. */
  get(key: string): Session | undefined {
    return this.sessions.get(key);
  }

  /**
   * Reads a session and caches it, unless an eviction happened during the read: the result may then
   * already be out of date.
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

  /** Evicts the sessions that an event ended or changed. */
  invalidate(event: SessionEvent): void {
    // A cached session holds no data of its application.
    if (event.kind === "application changed") return;
    if (event.kind === "member" || event.kind === "member session") return;
    if (event.kind === "guests") return;
    this.epoch++;
    if (event.kind === "application deleted") {
      // Rare, so that the sessions of each application need not be tracked.
      this.sessions.clear();
      return;
    }
    const keys =
      "sessionId" in event
        ? [this.bySession.get(event.sessionId)]
        : [...(this.byUser.get(event.userId) ?? [])];
    for (const key of keys) if (key !== undefined) this.sessions.delete(key);
  }

  private unlink(session: Session, key: string): void {
    this.bySession.delete(session.id);
    if (session.userId === null) return;
    const keys = this.byUser.get(session.userId);
    if (keys?.delete(key) && keys.size === 0) this.byUser.delete(session.userId);
  }
}
