import { type Log, warnRarely } from "../../core/log";
import { newId } from "../../core/random";
import type { Bus } from "../../platform/bus/bus";
import { GuestConnections } from "./guest-connections";
import { MemberConnections, type MemberEvent } from "./member-connections";

/**
 * An event of a session, a user, an application or a member of an account. The kinds `session` and `user` are terminations: of one
 * session, or of all sessions of a user.
 */
export type SessionEvent =
  | { kind: "session"; sessionId: number }
  | { kind: "user"; userId: number }
  /** Cached copies are stale; connections stay open and belong to the session's new user. */
  | { kind: "session changed"; sessionId: number; userId: number | null }
  | { kind: "user changed"; userId: number }
  | { kind: "application changed"; applicationId: number }
  /** Its sessions and users are gone; each node looks for those of its connections. */
  | { kind: "application deleted"; applicationId: number }
  /** Tokens of guests by link of a conference may have ended; each node looks for those of its connections. */
  | { kind: "guests"; conferenceId: number }
  | MemberEvent;

/** The termination of a session or of all sessions of a user. */
export type TerminationEvent = Extract<SessionEvent, { kind: "session" | "user" }>;

/** A live connection that belongs to a session or, after a sign-in by password, only to a user. */
export interface LiveConnection {
  userId: number | null;
  sessionId: number | null;
  /** The {@link passwordFingerprint} of a sign-in by password; absent for a session. */
  passwordFingerprint?: string;
  close(): void;
  /** Called when its session has another user, or none, from now on. */
  moved?(userId: number | null): void;
}

/** A connection and its current user. */
interface TrackedConnection {
  connection: LiveConnection;
  userId: number | null;
}

const CHANNEL = "session-events";

/**
 * Tracks the live connections of this node, and publishes session events to all nodes. Events may be lost
 * while the bus is unavailable; ActivityTracker finds the missed ones when the bus is back.
 */
export class SessionEvents {
  /** Connections of members of accounts. */
  readonly members = new MemberConnections();
  /** Connections of guests by link. */
  readonly guests = new GuestConnections();
  private readonly bySession = new Map<number, Set<TrackedConnection>>();
  private readonly byUser = new Map<number, Set<TrackedConnection>>();
  private readonly sessionListeners = new Map<number, Set<() => void>>();
  private readonly caches: Array<{ invalidate(event: SessionEvent): void }> = [];
  private readonly node = newId();
  private unsubscribe: (() => Promise<void>) | null = null;
  private missedListener: () => void = () => undefined;
  private readonly applicationListeners = new Set<(applicationId: number) => void>();
  private readonly terminationListeners = new Set<(termination: TerminationEvent) => void>();
  private readonly guestListeners = new Set<(conferenceId: number) => void>();

  private constructor(
    private readonly bus: Bus,
    private readonly log: Log,
  ) {}

  /** Subscribes to the events of the other nodes. */
  static async open(bus: Bus, log: Log): Promise<SessionEvents> {
    const events = new SessionEvents(bus, log);
    events.unsubscribe = await bus.subscribe(CHANNEL, (message) => {
      // The bus sends an empty message when it was unavailable.
      if (message === "") {
        events.missedListener();
        for (const sessionId of [...events.sessionListeners.keys()]) {
          events.notifySession(sessionId);
        }
        return;
      }
      const notice = JSON.parse(message) as { node: string; event: SessionEvent };
      if (notice.node !== events.node) events.apply(notice.event);
    });
    return events;
  }

  /** Adds a cache, which evicts what an event of any node has made stale, before connections close. */
  addCache(cache: { invalidate(event: SessionEvent): void }): void {
    this.caches.push(cache);
  }

  /** Sets the listener that is called when events may have been missed because the bus was unavailable. */
  onMissed(listener: () => void): void {
    this.missedListener = listener;
  }

  /** Tracks a connection. @returns a function that stops tracking it */
  track(connection: LiveConnection): () => void {
    const tracked: TrackedConnection = { connection, userId: connection.userId };
    add(this.bySession, connection.sessionId, tracked);
    add(this.byUser, tracked.userId, tracked);
    return () => {
      remove(this.bySession, connection.sessionId, tracked);
      remove(this.byUser, tracked.userId, tracked);
    };
  }

  /**
   * Calls a listener when a session may have changed or ended on any node. Events may have been lost, so
   * the listener reads the session itself.
   * @returns a function that removes the listener
   */
  onSessionEvent(sessionId: number, listener: () => void): () => void {
    add(this.sessionListeners, sessionId, listener);
    return () => remove(this.sessionListeners, sessionId, listener);
  }

  /** Calls a listener when any node changes an application. @returns a function that removes it */
  onApplicationChange(listener: (applicationId: number) => void): () => void {
    this.applicationListeners.add(listener);
    return () => this.applicationListeners.delete(listener);
  }

  /** Calls a listener with every termination on any node. @returns a function that removes it */
  onTermination(listener: (termination: TerminationEvent) => void): () => void {
    this.terminationListeners.add(listener);
    return () => this.terminationListeners.delete(listener);
  }

  /**
   * Calls a listener when tokens of guests by link of a conference may have ended on any node.
   * @returns a function that removes it
   */
  onGuestsEnded(listener: (conferenceId: number) => void): () => void {
    this.guestListeners.add(listener);
    return () => this.guestListeners.delete(listener);
  }

  /**
   * Applies an event on this node at once and publishes it to the other nodes without waiting. While the
   * bus is unavailable the event is lost, and the other nodes detect the change later (ActivityTracker).
   */
  publish(event: SessionEvent): void {
    this.apply(event);
    this.bus
      .publish(CHANNEL, JSON.stringify({ node: this.node, event }))
      .catch((error: unknown) => {
        warnRarely(
          this.log,
          { err: error },
          "a session event could not be published to other nodes",
        );
      });
  }

  /** Ids of the sessions and users with connections here, and the connections signed in by password. */
  tracked(): { sessionIds: number[]; userIds: number[]; passwordConnections: LiveConnection[] } {
    const passwordConnections = [...this.byUser.values()].flatMap((ofUser) =>
      [...ofUser].flatMap(({ connection }) => (connection.passwordFingerprint ? [connection] : [])),
    );
    return {
      sessionIds: [...this.bySession.keys()],
      userIds: [...this.byUser.keys()],
      passwordConnections,
    };
  }

  /** Applies an event on this node only. */
  apply(event: SessionEvent): void {
    for (const cache of this.caches) cache.invalidate(event);
    if (event.kind === "application changed" || event.kind === "application deleted") {
      for (const listener of this.applicationListeners) listener(event.applicationId);
    }
    if (event.kind === "member session" || event.kind === "member") this.members.apply(event);
    if (event.kind === "guests") {
      for (const listener of this.guestListeners) listener(event.conferenceId);
    }
    if (event.kind === "session changed") this.reassign(event.sessionId, event.userId);
    const terminated =
      event.kind === "session"
        ? this.bySession.get(event.sessionId)
        : event.kind === "user"
          ? this.byUser.get(event.userId)
          : undefined;
    for (const { connection } of [...(terminated ?? [])]) connection.close();
    if (event.kind === "session" || event.kind === "user") {
      for (const listener of this.terminationListeners) listener(event);
    }
    if ("sessionId" in event) this.notifySession(event.sessionId);
    if (event.kind === "application deleted") this.missedListener();
  }

  /** Unsubscribes from the events of the other nodes. */
  async close(): Promise<void> {
    await this.unsubscribe?.();
  }

  /** Assigns the connections of a session to its new user, so that they also end with that user. */
  private reassign(sessionId: number, userId: number | null): void {
    for (const tracked of [...(this.bySession.get(sessionId) ?? [])]) {
      if (tracked.userId === userId) continue;
      remove(this.byUser, tracked.userId, tracked);
      tracked.userId = userId;
      add(this.byUser, userId, tracked);
      tracked.connection.moved?.(userId);
    }
  }

  private notifySession(sessionId: number): void {
    for (const listener of [...(this.sessionListeners.get(sessionId) ?? [])]) listener();
  }
}

function add<T>(map: Map<number, Set<T>>, key: number | null, value: T): void {
  if (key === null) return;
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

function remove<T>(map: Map<number, Set<T>>, key: number | null, value: T): void {
  if (key === null) return;
  const set = map.get(key);
  if (set?.delete(value) && set.size === 0) map.delete(key);
}
