import type { Bus } from "../bus/bus";
import type { Log } from "../core/log";
import { newId } from "../core/random";

/** What ended: a session, or everything of a user. */
export type Ending =
  | { kind: "session"; sessionId: number }
  | { kind: "user"; userId: number }
  /** No end: copies in memory are out of date; connections stay, as the user's that it has now. */
  | { kind: "session changed"; sessionId: number; userId: number | null }
  | { kind: "user changed"; userId: number }
  | { kind: "application changed"; applicationId: number };

/** A session or a user that ended. */
export type Ended = Extract<Ending, { kind: "session" | "user" }>;

/** A live connection, of a session or (signed in by password) of a user alone. */
export interface Connection {
  userId: number | null;
  sessionId: number | null;
  /** By which password it signed in, as {@link passwordMark} has it; none where a session did. */
  password?: string;
  close(): void;
}

/** A connection and the user it belongs to by now. */
interface Watched {
  connection: Connection;
  userId: number | null;
}

const CHANNEL = "identity:endings";

/**
 * Live connections of this node, and the word that something ended, spread to every node. The word
 * may be lost while the bus is away; Touches looks for what was missed once it is back.
 */
export class Endings {
  private readonly bySession = new Map<number, Set<Watched>>();
  private readonly byUser = new Map<number, Set<Watched>>();
  private readonly listeners = new Map<number, Set<() => void>>();
  private readonly node = newId();
  private unsubscribe: (() => Promise<void>) | null = null;
  private missed: () => void = () => undefined;
  private readonly changes = new Set<(applicationId: number) => void>();
  private readonly enders = new Set<(ended: Ended) => void>();

  private constructor(
    private readonly bus: Bus,
    private readonly log: Log,
    private readonly forget: (ending: Ending) => void,
  ) {}

  /** Listens to the other nodes. `forget` is called for every ending, before connections close. */
  static async open(bus: Bus, log: Log, forget: (ending: Ending) => void): Promise<Endings> {
    const endings = new Endings(bus, log, forget);
    endings.unsubscribe = await bus.subscribe(CHANNEL, (message) => {
      if (message === "") {
        endings.missed();
        for (const sessionId of [...endings.listeners.keys()]) endings.tell(sessionId);
        return;
      }
      const notice = JSON.parse(message) as { node: string; ending: Ending };
      if (notice.node !== endings.node) endings.apply(notice.ending);
    });
    return endings;
  }

  /** Sets who is called when the bus was away, so that endings told meanwhile may have been missed. */
  whenMissed(listener: () => void): void {
    this.missed = listener;
  }

  /** Adds a connection; answers how to withdraw it. */
  watch(connection: Connection): () => void {
    const watched: Watched = { connection, userId: connection.userId };
    add(this.bySession, connection.sessionId, watched);
    add(this.byUser, watched.userId, watched);
    return () => {
      remove(this.bySession, connection.sessionId, watched);
      remove(this.byUser, watched.userId, watched);
    };
  }

  /**
   * Calls a listener whenever a session may have changed or ended, by whichever node, also when the
   * word of it may have been lost: the listener then looks for itself. Answers how to stop.
   */
  listen(sessionId: number, listener: () => void): () => void {
    add(this.listeners, sessionId, listener);
    return () => remove(this.listeners, sessionId, listener);
  }

  /** Calls a listener whenever any node changes an application. Answers how to stop. */
  whenApplicationChanges(listener: (applicationId: number) => void): () => void {
    this.changes.add(listener);
    return () => this.changes.delete(listener);
  }

  /** Calls a listener with every session and user that any node ends. Answers how to stop. */
  whenEnds(listener: (ended: Ended) => void): () => void {
    this.enders.add(listener);
    return () => this.enders.delete(listener);
  }

  /**
   * Ends something here at once and tells the other nodes. Nobody waits for that: while the bus is away
   * the word is lost, and the others find out by themselves (Touches).
   */
  announce(ending: Ending): void {
    this.apply(ending);
    this.bus
      .publish(CHANNEL, JSON.stringify({ node: this.node, ending }))
      .catch((error: unknown) => {
        this.log.warn({ err: error }, "other nodes could not be told of an ended session");
      });
  }

  /** Ids of sessions and users with connections here, and the connections of passwords. */
  watched(): { sessions: number[]; users: number[]; signedIn: Connection[] } {
    const signedIn = [...this.byUser.values()].flatMap((ofUser) =>
      [...ofUser].flatMap(({ connection }) => (connection.password ? [connection] : [])),
    );
    return { sessions: [...this.bySession.keys()], users: [...this.byUser.keys()], signedIn };
  }

  /** Applies an ending to this node alone. */
  apply(ending: Ending): void {
    this.forget(ending);
    if (ending.kind === "application changed") {
      for (const listener of this.changes) listener(ending.applicationId);
    }
    if (ending.kind === "session changed") this.hand(ending.sessionId, ending.userId);
    const ended =
      ending.kind === "session"
        ? this.bySession.get(ending.sessionId)
        : ending.kind === "user"
          ? this.byUser.get(ending.userId)
          : undefined;
    for (const { connection } of [...(ended ?? [])]) connection.close();
    if (ending.kind === "session" || ending.kind === "user") {
      for (const listener of this.enders) listener(ending);
    }
    if ("sessionId" in ending) this.tell(ending.sessionId);
  }

  /** Stops listening. */
  async close(): Promise<void> {
    await this.unsubscribe?.();
  }

  /** Connections of a session that had no user are its user's from now on, and end with the user. */
  private hand(sessionId: number, userId: number | null): void {
    for (const watched of this.bySession.get(sessionId) ?? []) {
      if (watched.userId === userId) continue;
      remove(this.byUser, watched.userId, watched);
      watched.userId = userId;
      add(this.byUser, userId, watched);
    }
  }

  private tell(sessionId: number): void {
    for (const listener of [...(this.listeners.get(sessionId) ?? [])]) listener();
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
