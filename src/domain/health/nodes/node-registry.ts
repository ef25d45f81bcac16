import { hostname } from "node:os";
import type { Clock } from "../../../core/clock";
import type { Log } from "../../../core/log";
import { packageVersion } from "../../../core/package-root";
import type { Store } from "../../../platform/store/store";
import {
  forgetNodes,
  type NodeReport,
  REPORT_SECONDS,
  removeNode,
  replaceNodes,
  writeReport,
} from "./node-queries";

/** Maximum length of a host name (RFC 1035 section 2.3.4). */
const HOST_MAX = 255;

/** Options of {@link NodeRegistry.open}. */
export interface NodeRegistryOptions {
  /** Identifier of this node, new at each start. */
  id: string;
  store: Pick<Store, "query">;
  clock: Clock;
  log: Log;
  /** Whether this is the only node of the deployment. */
  alone: boolean;
  /** Port of HTTP; 0 if the system chooses it. */
  port: number;
  /** Counts the open sockets of this node. */
  countSockets(): Promise<number>;
  /** A proxy of this node that TRUST_PROXY does not name. */
  untrustedProxy: { readonly address: string | null };
  /** Interval of the reports, in milliseconds; 15 seconds by default. */
  intervalMs?: number;
}

/** This node in the list of nodes: reports that it runs until it is closed. */
export class NodeRegistry {
  /** Identifier of this node. */
  readonly id: string;
  private readonly startedAt: Date;
  private readonly timer: NodeJS.Timeout;
  private longestDelayMs = 0;
  private reporting: Promise<void> | null = null;
  private closed = false;

  private constructor(private readonly options: NodeRegistryOptions) {
    this.id = options.id;
    this.startedAt = new Date(options.clock.now());
    const { intervalMs = REPORT_SECONDS * 1000 } = options;
    this.timer = setInterval(() => void this.report(), intervalMs).unref();
  }

  /** Enters this node, in place of an earlier process at its address. */
  static async open(options: NodeRegistryOptions): Promise<NodeRegistry> {
    const registry = new NodeRegistry(options);
    try {
      await replaceNodes(options.store.query, await registry.describe(), options.alone);
    } catch (error) {
      options.log.warn({ err: error }, "the node could not replace its earlier entry");
    }
    await registry.report();
    return registry;
  }

  /** Adds a sample of the event-loop delay, in milliseconds. */
  sampleDelay(delayMs: number): void {
    this.longestDelayMs = Math.max(this.longestDelayMs, delayMs);
  }

  /** Reports now; never throws. Reports do not overlap, so that a slow database has one to write. */
  report(): Promise<void> {
    this.reporting ??= this.write().finally(() => {
      this.reporting = null;
    });
    return this.reporting;
  }

  /**
   * Writes this node's row, for /readyz.
   * @throws Fault UNAVAILABLE if the database cannot be reached or accepts no changes, and any other error of it
   */
  async verifyWrites(): Promise<void> {
    const report = await this.describe();
    // A row that is written after the end would remain.
    if (!this.closed) await writeReport(this.options.store.query, report);
  }

  /** Ends the reports and removes this node from the list. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.reporting;
    const { store, log } = this.options;
    try {
      await removeNode(store.query, this.id);
    } catch (error) {
      log.warn({ err: error }, "the node could not remove its entry: it is shown as missing");
    }
  }

  private async write(): Promise<void> {
    const { store, log } = this.options;
    try {
      const report = await this.describe();
      this.longestDelayMs = 0;
      await writeReport(store.query, report);
      await forgetNodes(store.query);
    } catch (error) {
      log.warn({ err: error }, "the node could not report that it runs");
    }
  }

  private async describe(): Promise<NodeReport> {
    return {
      id: this.id,
      host: hostname().slice(0, HOST_MAX),
      port: this.options.port,
      version: packageVersion(),
      startedAt: this.startedAt,
      openSockets: await this.options.countSockets(),
      eventLoopDelayMs: Math.round(this.longestDelayMs),
      untrustedProxy: this.options.untrustedProxy.address,
    };
  }
}
