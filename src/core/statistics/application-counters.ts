import type { Clock } from "../clock";
import { ERRORS, type ErrorCode } from "../errors";

/** What is counted of an application, besides its errors. Each is a column of application_statistics. */
export const EVENT_COUNTERS = [
  "requests",
  "signals",
  "signUps",
  "signIns",
  "failedSignIns",
  "calls",
  "conferences",
  "pushesAccepted",
  "pushesUnregistered",
  "pushesFailed",
  "pushesRetried",
] as const;

/** A counter of an application: an event, or an error by its code. */
export type Counter = (typeof EVENT_COUNTERS)[number] | ErrorCode;

/** The codes of errors, each of which is a counter. */
export const ERROR_COUNTERS = Object.keys(ERRORS) as ErrorCode[];

/** The protocols whose open sockets are counted. */
export const SOCKET_PROTOCOLS = ["graphql", "xmpp", "janus"] as const;

/** A protocol of {@link SOCKET_PROTOCOLS}. */
export type SocketProtocol = (typeof SOCKET_PROTOCOLS)[number];

/** Open sockets by protocol. */
export type SocketCounts = Record<SocketProtocol, number>;

/** What was counted of an application in one minute. */
export interface CountedMinute {
  applicationId: number;
  /** Start of the minute, in milliseconds since the Unix epoch. */
  minute: number;
  counts: Partial<Record<Counter, number>>;
}

const MINUTE_MS = 60_000;
/** Maximum number of applications and minutes that wait to be written; beyond it counts are dropped. */
const WAITING_MAX = 20_000;

/**
 * Counts what happens in each application on this node, in memory: nothing here waits or writes. The module
 * statistics takes the counts every few seconds and writes them.
 */
export class ApplicationCounters {
  private minutes = new Map<number, Map<number, CountedMinute>>();
  private waiting = 0;
  private dropped = 0;
  private readonly openSockets = new Map<number, SocketCounts>();

  constructor(
    private readonly clock: Clock,
    private readonly waitingMax = WAITING_MAX,
  ) {}

  /** Counts an event of an application. */
  count(applicationId: number, counter: Counter, by = 1): void {
    const now = this.clock.now();
    this.add(applicationId, now - (now % MINUTE_MS), counter, by);
  }

  /** Counts an error by its code; a text that is no code counts as INTERNAL, so that the counters stay few. */
  countError(applicationId: number, code: string): void {
    this.count(applicationId, Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "INTERNAL");
  }

  /** Counts an open socket. @returns a function to call once the socket is closed; it counts once */
  socketOpened(applicationId: number, protocol: SocketProtocol): () => void {
    const counts = this.openSockets.get(applicationId) ?? { graphql: 0, xmpp: 0, janus: 0 };
    this.openSockets.set(applicationId, counts);
    counts[protocol] += 1;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      counts[protocol] -= 1;
      if (SOCKET_PROTOCOLS.every((each) => counts[each] === 0)) {
        this.openSockets.delete(applicationId);
      }
    };
  }

  /** The open sockets of each application that has any on this node. */
  sockets(): ReadonlyMap<number, Readonly<SocketCounts>> {
    return this.openSockets;
  }

  /** Takes the counts, which start again at nothing. */
  take(): { counted: CountedMinute[]; dropped: number } {
    const counted = [...this.minutes.values()].flatMap((ofMinute) => [...ofMinute.values()]);
    const dropped = this.dropped;
    this.minutes = new Map();
    this.waiting = 0;
    this.dropped = 0;
    return { counted, dropped };
  }

  /** Adds counts again that were taken and could not be written. */
  restore(counted: readonly CountedMinute[]): void {
    for (const { applicationId, minute, counts } of counted) {
      for (const [counter, by] of Object.entries(counts)) {
        this.add(applicationId, minute, counter as Counter, by);
      }
    }
  }

  private add(applicationId: number, minute: number, counter: Counter, by: number): void {
    const ofMinute = this.minutes.get(minute) ?? new Map<number, CountedMinute>();
    let entry = ofMinute.get(applicationId);
    if (!entry) {
      if (this.waiting >= this.waitingMax) {
        this.dropped += by;
        return;
      }
      this.waiting += 1;
      this.minutes.set(minute, ofMinute);
      entry = { applicationId, minute, counts: {} };
      ofMinute.set(applicationId, entry);
    }
    entry.counts[counter] = (entry.counts[counter] ?? 0) + by;
  }
}
