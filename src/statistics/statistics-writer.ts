import type { Clock } from "../core/clock";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import type { ApplicationCounters, SocketCounts } from "../core/statistics/application-counters";
import type { Store } from "../store/store";
import { deleteStatisticsNode, renewStatisticsNode, writeSockets } from "./open-sockets-queries";
import { addStatistics, STATISTICS_BATCH } from "./statistics-queries";

/** Interval between two writes, in milliseconds. */
const FLUSH_INTERVAL_MS = 5_000;
/** Time after which the sockets of a node that does not write any more no longer count, in milliseconds. */
export const NODE_LEASE_MS = 30_000;
const NONE: SocketCounts = { graphql: 0, xmpp: 0, janus: 0 };

interface StatisticsWriterDeps {
  store: Store;
  clock: Clock;
  log: Log;
  counters: ApplicationCounters;
}

/**
 * Writes what this node has counted, and which sockets it has open, every few seconds. Without traffic and without
 * changes of sockets it writes nothing but its lease, and without sockets not even that. A killed process loses the
 * counts of those seconds, and its sockets cease to count when its lease ends.
 */
export class StatisticsWriter {
  private readonly node = newId();
  private readonly timer: NodeJS.Timeout;
  private flushing: Promise<void> = Promise.resolve();
  /** The sockets that are stored, as JSON by application. */
  private readonly stored = new Map<number, string>();
  private leaseUntil = 0;

  constructor(private readonly deps: StatisticsWriterDeps) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
    this.timer.unref();
  }

  /** Writes what has been counted so far. What cannot be written waits for the next time. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(async () => {
      await this.writeCounts();
      await this.writeSockets();
    });
    return this.flushing;
  }

  /** Stops the timer, writes the last counts and removes the node. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    if (this.leaseUntil > 0) await deleteStatisticsNode(this.deps.store, this.node);
  }

  private async writeCounts(): Promise<void> {
    const { store, log, counters } = this.deps;
    const { counted, dropped } = counters.take();
    if (dropped > 0) log.warn({ dropped }, "too many statistics waited; some were dropped");
    for (let start = 0; start < counted.length; start += STATISTICS_BATCH) {
      try {
        await addStatistics(store, counted.slice(start, start + STATISTICS_BATCH));
      } catch (error) {
        counters.restore(counted.slice(start));
        log.warn({ err: error }, "statistics could not be written; will retry");
        return;
      }
    }
  }

  private async writeSockets(): Promise<void> {
    const { store, clock, log, counters } = this.deps;
    const now = clock.now();
    const open = counters.sockets();
    try {
      if (open.size === 0 && this.stored.size === 0) return;
      if (this.leaseUntil - now < NODE_LEASE_MS / 2) {
        const until = now + NODE_LEASE_MS;
        // The purge has removed a node that could not write for long, with all that it had written.
        if (await renewStatisticsNode(store, this.node, new Date(until))) this.stored.clear();
        this.leaseUntil = until;
      }
      const changes = this.changes(open);
      const batch = [...changes];
      for (let start = 0; start < batch.length; start += STATISTICS_BATCH) {
        const part = batch.slice(start, start + STATISTICS_BATCH);
        await writeSockets(store, this.node, new Map(part.map(([id, { counts }]) => [id, counts])));
        for (const [id, { counts, text }] of part) {
          if (counts === NONE) this.stored.delete(id);
          else this.stored.set(id, text);
        }
      }
    } catch (error) {
      log.warn({ err: error }, "the numbers of open sockets could not be written; will retry");
    }
  }

  /** The applications whose sockets differ from the stored ones. */
  private changes(
    open: ReadonlyMap<number, Readonly<SocketCounts>>,
  ): Map<number, { counts: Readonly<SocketCounts>; text: string }> {
    const changes = new Map<number, { counts: Readonly<SocketCounts>; text: string }>();
    for (const [id, current] of open) {
      // Copied, since sockets open and close while it is written.
      const counts = { ...current };
      const text = JSON.stringify(counts);
      if (this.stored.get(id) !== text) changes.set(id, { counts, text });
    }
    for (const id of this.stored.keys()) {
      if (!open.has(id)) changes.set(id, { counts: NONE, text: "" });
    }
    return changes;
  }
}
