import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { connect } from "./connection";
import { Refusal } from "./refusal";

/**
 * Which nodes may share a PostgreSQL database. A node that has no Redis keeps sessions in its own
 * memory, so it must be alone: it holds an advisory lock for itself. Nodes that Redis joins hold the
 * same lock together, which keeps a lone node away from them and them from a lone node. The lock
 * belongs to a connection of its own and ends with it, kill -9 included.
 */
export interface NodeLock {
  release(): Promise<void>;
}

/** "signbox" in ASCII: one number that nothing else in the database takes. */
const KEY = "32485515276218232";
const HEARTBEAT_MS = 10_000;
/** How often, and with what pause, a lost lock is asked for before it is given up. */
const ATTEMPTS = 15;
const PAUSE_MS = 1_000;

interface LockOptions {
  url: string;
  /** Whether this node must be alone. */
  lone: boolean;
  log: Log;
  /** Told once that the lock was lost and could not be had again, so another node may run. */
  onLost?: (reason: string) => void;
}

/**
 * Takes the lock of the nodes, and takes it again when its connection is lost.
 * @throws Refusal while a node runs that does not go with this one
 */
export async function lockNode(options: LockOptions): Promise<NodeLock> {
  const holder = new Holder(options);
  if (!(await holder.take())) throw new Refusal(refusal(options.lone));
  return holder;
}

function refusal(lone: boolean): string {
  return lone
    ? "Another node of the service runs on this database. Without REDIS_URL a deployment is one node, since nothing joins two: set REDIS_URL to the same Redis on every node, or end the other node."
    : "A node without REDIS_URL runs on this database and takes itself to be alone. Set REDIS_URL to the same Redis on every node, and restart that node with it.";
}

class Holder implements NodeLock {
  /** Finds a connection of this process that the server has not yet noticed to be dead. */
  private readonly name = `signalbox-node-${newId()}`;
  private client?: Client;
  private released = false;
  private heartbeat?: NodeJS.Timeout;

  constructor(private readonly options: LockOptions) {}

  /** Opens the connection and asks for the lock; false when another node has it. */
  async take(): Promise<boolean> {
    const client = await connect(this.options.url, this.name);
    try {
      // So that the server too notices within half a minute that the other end is gone.
      await client.query(
        "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3",
      );
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()",
        [this.name],
      );
      const lock = this.options.lone ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
      const { rows } = await client.query(`SELECT ${lock}(${KEY}) AS locked`);
      if (rows[0]?.locked !== true || this.released) {
        await client.end();
        return false;
      }
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.client = client;
    client.once("end", () => this.lost(client));
    this.heartbeat = setInterval(() => {
      client.query("SELECT 1").catch(() => client.end().catch(() => {}));
    }, HEARTBEAT_MS);
    this.heartbeat.unref();
    return true;
  }

  async release(): Promise<void> {
    this.released = true;
    clearInterval(this.heartbeat);
    await this.client?.end();
  }

  private lost(client: Client): void {
    if (this.released || client !== this.client) return;
    this.client = undefined;
    clearInterval(this.heartbeat);
    this.options.log.warn("the connection that holds this node's lock was lost; taking it again");
    this.retake().catch((error: unknown) => {
      this.options.log.error({ err: error }, "taking the node's lock again failed");
    });
  }

  private async retake(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS && !this.released; attempt++) {
      try {
        if (await this.take()) {
          this.options.log.info("this node's lock is held again");
          return;
        }
        if (!this.released) this.giveUp(refusal(this.options.lone));
        return;
      } catch (error) {
        this.options.log.warn({ err: error }, "this node's lock cannot be taken yet");
      }
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    if (!this.released)
      this.giveUp("The database cannot be reached to take this node's lock again.");
  }

  private giveUp(reason: string): void {
    this.options.log.fatal(
      { reason },
      "this node's lock is lost: what it keeps in memory may be stale",
    );
    this.options.onLost?.(reason);
  }
}
