import { monotonicNow } from "../../core/clock";
import type { Log } from "../../core/log";
import type { ApplicationCounters, SocketCounts } from "../../core/statistics/application-counters";
import type { Store } from "../../platform/store/store";
import {
  deleteStatisticsNode,
  NODE_LEASE_SECONDS,
  renewStatisticsNode,
  writeSockets,
} from "./open-sockets-queries";
import { addStatistics, STATISTICS_BATCH } from "./statistics-queries";

/** Interval between two writes, in milliseconds. */
const FLUSH_INTERVAL_MS = 5_000;
/** Time after which a lease is renewed, in milliseconds: half of it. */
const RENEW_MS = NODE_LEASE_SECONDS * 500;
const NONE: SocketCounts = { graphql: 0, xmpp: 0, janus: 0 };

interface StatisticsWriterDeps {
  store: Store;
  log: Log;
  counters: ApplicationCounters;
  /** Identifier of this node. */
  nodeId: string;
  /** Interval between two writes, in milliseconds; five seconds by default. */
  intervalMs?: number | undefined;
  /** A monotonic clock, which measures the time between two renewals of the lease. */
  elapsedMs?: () => number;
}

/**
 * Writes what this node has counted, and which sockets it has open, every few seconds. Without traffic and without
 * changes of sockets it writes nothing but its lease, and without sockets not even that. A killed process loses the
 * counts of those seconds, and its sockets cease to count when its lease ends.
 */
export class StatisticsWriter {
  private readonly timer: NodeJS.Timeout;
  private writing: Promise<void> | null = null;
  /** The sockets that are stored, as JSON by application. */
  private readonly stored = new Map<number, string>();
  /** When the lease was renewed; null before the first time. */
  private renewedAt: number | null = null;

  constructor(private readonly deps: StatisticsWriterDeps) {
    const { intervalMs = FLUSH_INTERVAL_MS } = deps;
    this.timer = setInterval(() => void this.write(), intervalMs).unref();
  }

  /** Writes what has been counted so far. What cannot be written waits for the next time. */
  async flush(): Promise<void> {
    // It may have taken the counts before the latest ones.
    await this.writing;
    await this.write();
  }

  /** Stops the timer, writes the last counts and removes the node. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    const { store, nodeId } = this.deps;
    if (this.renewedAt !== null) await deleteStatisticsNode(store, nodeId);
  }

  /** Writes now; never throws. Writes do not overlap or queue, so that a slow database has one to finish. */
  private write(): Promise<void> {
    this.writing ??= this.writeCounts()
      .then(() => this.writeSockets())
      .finally(() => {
        this.writing = null;
      });
    return this.writing;
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
    const { store, log, counters, nodeId, elapsedMs = monotonicNow } = this.deps;
    const now = elapsedMs();
    const open = counters.sockets();
    try {
      if (open.size === 0 && this.stored.size === 0) return;
      if (this.renewedAt === null || now - this.renewedAt >= RENEW_MS) {
        // The purge has removed a node that could not write for long, with all that it had written.
        if (await renewStatisticsNode(store, nodeId)) this.stored.clear();
        this.renewedAt = now;
      }
      const changes = this.changes(open);
      const batch = [...changes];
      for (let start = 0; start < batch.length; start += STATISTICS_BATCH) {
        const part = batch.slice(start, start + STATISTICS_BATCH);
        await writeSockets(store, nodeId, new Map(part.map(([id, { counts }]) => [id, counts])));
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
