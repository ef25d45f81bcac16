import type { Clock } from "../../core/clock";
import type { Log } from "../../core/log";
import type { Statement, Store } from "../../store/store";
import type { WebOrigins } from "../application/web-origins";
import type { Endings } from "../endings";
import { SESSION_MS, type Session } from "./session";

/** Milliseconds between two writes of activity. */
const FLUSH_MS = 3_000;
/** Milliseconds between two looks at the sessions behind open connections. */
const SWEEP_MS = 30_000;

// Ids in order, so that two nodes that write at once seldom lock each other out; what fails is tried again.
const FLUSH_SESSIONS = {
  name: "touch_sessions",
  text: `UPDATE sessions s SET last_activity_at = greatest(s.last_activity_at, t.at),
      expires_at = CASE WHEN s.sliding THEN greatest(s.expires_at, t.at + $3 * interval '1 millisecond')
                        ELSE s.expires_at END
    FROM (SELECT id, to_timestamp(ms / 1000.0) AS at
          FROM unnest($1::bigint[], $2::float8[]) AS v(id, ms) ORDER BY id) t
    WHERE s.id = t.id`,
};
const FLUSH_USERS = {
  name: "touch_users",
  text: `UPDATE users u SET last_request_at = greatest(u.last_request_at, t.at)
    FROM (SELECT id, to_timestamp(ms / 1000.0) AS at
          FROM unnest($1::bigint[], $2::float8[]) AS v(id, ms) ORDER BY id) t
    WHERE u.id = t.id`,
};
const LIVE_SESSIONS = {
  name: "live_sessions",
  text: `SELECT id FROM sessions WHERE id = ANY($1::bigint[])
    AND expires_at > to_timestamp($2::float8 / 1000.0)`,
};
const LIVE_USERS = {
  name: "live_users",
  // The mark of the password, as passwordMark makes it.
  text: `SELECT id, encode(sha256(convert_to(password_hash, 'UTF8')), 'hex') AS password
    FROM users WHERE id = ANY($1::bigint[])`,
};

interface TouchesParts {
  store: Store;
  clock: Clock;
  log: Log;
  endings: Endings;
  origins: Pick<WebOrigins, "sweep">;
}

/**
 * Activity written behind: every authenticated request moves a session's expiry and the user's last
 * request, but no request writes. What stands here is written every few seconds, coalesced; a process
 * that is killed loses those seconds of activity, nothing that was answered.
 */
export class Touches {
  private readonly sessions = new Map<number, number>();
  private readonly users = new Map<number, number>();
  private flushing: Promise<void> = Promise.resolve();
  private readonly timers: NodeJS.Timeout[];

  constructor(private readonly parts: TouchesParts) {
    this.timers = [
      setInterval(() => void this.flush(), FLUSH_MS),
      setInterval(() => void this.sweep(), SWEEP_MS),
    ];
    for (const timer of this.timers) timer.unref();
    parts.endings.whenMissed(() => void this.sweep());
  }

  /** Notes a request of a session at this moment, and moves the expiry of the copy in hand. */
  note(session: Session): void {
    const now = this.parts.clock.now();
    this.sessions.set(session.id, now);
    if (session.userId !== null) this.users.set(session.userId, now);
    if (session.sliding) session.expiresAt = new Date(now + SESSION_MS);
  }

  /** When the session was last used through this node, if that is not written yet. */
  lastUse(sessionId: number): number | undefined {
    return this.sessions.get(sessionId);
  }

  /** Writes what is noted. What cannot be written stays noted. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  /**
   * Prolongs the sessions of open connections, and closes the connections of what has ended without
   * this node having heard: sessions that expired, and endings and changes told while the bus was away.
   */
  async sweep(): Promise<void> {
    const { store, clock, log, endings, origins } = this.parts;
    const { sessions, users, signedIn } = endings.watched();
    const now = clock.now();
    try {
      await this.flush();
      const live = await ids(store, LIVE_SESSIONS, [sessions, now]);
      for (const sessionId of sessions) {
        if (live.has(sessionId)) this.sessions.set(sessionId, now);
        else endings.apply({ kind: "session", sessionId });
      }
      const there = await marks(store, users);
      for (const userId of users) {
        if (!there.has(userId)) endings.apply({ kind: "user", userId });
      }
      for (const connection of signedIn) {
        const { userId, password } = connection;
        if (userId !== null && there.get(userId) !== password) connection.close();
      }
      await origins.sweep();
    } catch (error) {
      log.warn({ err: error }, "open connections could not be checked");
    }
  }

  /** Stops the timers and writes the rest. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.sessions.size === 0) return;
    const sessions = new Map(this.sessions);
    const users = new Map(this.users);
    try {
      await this.parts.store.query(FLUSH_SESSIONS, [...columns(sessions), SESSION_MS]);
      await this.parts.store.query(FLUSH_USERS, columns(users));
      forgetWritten(this.sessions, sessions);
      forgetWritten(this.users, users);
    } catch (error) {
      this.parts.log.warn({ err: error }, "activity of sessions could not be written");
    }
  }
}

/** The map as two columns, ids in ascending order. */
function columns(map: Map<number, number>): [ids: number[], times: number[]] {
  const keys = [...map.keys()].sort((a, b) => a - b);
  return [keys, keys.map((key) => map.get(key)!)];
}

/** Takes out what was written, unless it was noted anew meanwhile. */
function forgetWritten(noted: Map<number, number>, written: Map<number, number>): void {
  for (const [key, time] of written) if (noted.get(key) === time) noted.delete(key);
}

/** The users of these ids that are there, and the marks of their passwords. */
async function marks(store: Store, users: number[]): Promise<Map<number, string | null>> {
  type Row = { id: number; password: string | null };
  const rows = await store.query<Row>(LIVE_USERS, [users]);
  return new Map(rows.map(({ id, password }) => [id, password]));
}

async function ids(store: Store, statement: Statement, values: unknown[]): Promise<Set<number>> {
  const rows = await store.query<{ id: number }>(statement, values);
  return new Set(rows.map((row) => row.id));
}
