import type { Clock } from "../../core/clock";
import type { Log } from "../../core/log";
import type { Store } from "../../platform/store/store";
import type { WebOrigins } from "../applications/web-origins";
import type { SessionEvents } from "../session-events/session-events";
import { passwordFingerprints, writeLastRequests } from "../users/user-activity-queries";
import { SESSION_TTL_MS, type Session } from "./session";
import { findLiveSessions, writeSessionActivity } from "./session-activity-queries";

/** Interval between two writes of activity, in milliseconds. */
const FLUSH_INTERVAL_MS = 3_000;
/** Interval between two checks of the sessions of open connections, in milliseconds. */
const SWEEP_INTERVAL_MS = 30_000;

/** Dependencies of {@link ActivityTracker}. */
export interface ActivityTrackerDeps {
  store: Store;
  clock: Clock;
  log: Log;
  sessionEvents: SessionEvents;
  webOrigins: Pick<WebOrigins, "sweep">;
  /** Closes the connections of members of accounts and of guests by link whose end this node has missed. */
  sweepOthers(): Promise<void>;
}

/**
 * Write-behind buffer of activity. Every authenticated request moves a session's expiry and the user's last
 * request, but no request writes: the buffer is flushed every few seconds, one row for each session and
 * user. A killed process loses only those seconds of activity.
 */
export class ActivityTracker {
  private readonly sessions = new Map<number, number>();
  private readonly users = new Map<number, number>();
  private flushing: Promise<void> = Promise.resolve();
  private readonly timers: NodeJS.Timeout[];

  constructor(private readonly deps: ActivityTrackerDeps) {
    this.timers = [
      setInterval(() => void this.flush(), FLUSH_INTERVAL_MS),
      setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS),
    ];
    for (const timer of this.timers) timer.unref();
    deps.sessionEvents.onMissed(() => void this.sweep());
  }

  /** Records a request of the session now, and extends the expiry of the given object. */
  recordActivity(session: Session): void {
    const now = this.deps.clock.now();
    this.sessions.set(session.id, now);
    if (session.userId !== null) this.users.set(session.userId, now);
    if (session.sliding) session.expiresAt = new Date(now + SESSION_TTL_MS);
  }

  /** When the session was last used through this node, if that is not stored yet. */
  pendingLastUse(sessionId: number): number | undefined {
    return this.sessions.get(sessionId);
  }

  /** Stores the recorded activity. If that fails, the activity stays in the buffer. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  /**
   * Extends the sessions of open connections, and closes connections whose end this node has missed: expired
   * sessions, and events that were published while the bus was unavailable.
   */
  async sweep(): Promise<void> {
    const { store, clock, log, sessionEvents, webOrigins, sweepOthers } = this.deps;
    const { sessionIds, userIds, passwordConnections } = sessionEvents.tracked();
    const now = clock.now();
    try {
      await this.flush();
      const live = await findLiveSessions(store, sessionIds, now);
      for (const sessionId of sessionIds) {
        if (live.has(sessionId)) this.sessions.set(sessionId, now);
        else sessionEvents.apply({ kind: "session", sessionId });
      }
      const fingerprints = await passwordFingerprints(store, userIds);
      for (const userId of userIds) {
        if (!fingerprints.has(userId)) sessionEvents.apply({ kind: "user", userId });
      }
      for (const connection of passwordConnections) {
        const { userId, passwordFingerprint } = connection;
        if (userId !== null && fingerprints.get(userId) !== passwordFingerprint) connection.close();
      }
      await webOrigins.sweep();
      await sweepOthers();
    } catch (error) {
      log.warn({ err: error }, "open connections could not be checked");
    }
  }

  /** Stops the timers and flushes the buffer. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.sessions.size === 0) return;
    const sessions = new Map(this.sessions);
    const users = new Map(this.users);
    try {
      await writeSessionActivity(this.deps.store, columns(sessions));
      await writeLastRequests(this.deps.store, columns(users));
      removeWritten(this.sessions, sessions);
      removeWritten(this.users, users);
    } catch (error) {
      this.deps.log.warn({ err: error }, "activity of sessions could not be written");
    }
  }
}

/** The map as two columns, sorted by id. */
function columns(map: Map<number, number>): [ids: number[], times: number[]] {
  const keys = [...map.keys()].sort((a, b) => a - b);
  return [keys, keys.map((key) => map.get(key)!)];
}

/** Removes the written entries, except those that were recorded again during the write. */
function removeWritten(recorded: Map<number, number>, written: Map<number, number>): void {
  for (const [key, time] of written) if (recorded.get(key) === time) recorded.delete(key);
}
