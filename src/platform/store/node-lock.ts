import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { connect } from "./connection";
import { UnusableDatabaseError } from "./unusable-database-error";

/**
 * A lock that controls which nodes may share a PostgreSQL database. A node without Redis caches sessions in
 * its own memory, so it must run alone and takes an exclusive advisory lock. Nodes that share a Redis take
 * the same lock in shared mode. The lock belongs to a dedicated connection and ends with it, even after kill
 * -9.
 */
export interface NodeLock {
  release(): Promise<void>;
}

/** "signbox" in ASCII, a key that no other application uses. */
const KEY = "32485515276218232";
const HEARTBEAT_MS = 10_000;
/** Number of attempts to take a lost lock again, and the pause between them. */
const ATTEMPTS = 15;
const PAUSE_MS = 1_000;

interface LockOptions {
  url: string;
  /** Whether this node must run alone. */
  exclusive: boolean;
  log: Log;
  /** Called once if the lock was lost and could not be taken again; another node may run then. */
  onLockLost?: (reason: string) => void;
}

/**
 * Takes the node lock, and takes it again when its connection is lost.
 * @throws UnusableDatabaseError while an incompatible node runs on the database
 */
export async function lockNode(options: LockOptions): Promise<NodeLock> {
  const holder = new Holder(options);
  if (!(await holder.take()))
    throw new UnusableDatabaseError(incompatibleNodeMessage(options.exclusive));
  return holder;
}

function incompatibleNodeMessage(exclusive: boolean): string {
  return exclusive
    ? "Another node of the service runs on this database. Without REDIS_URL a deployment is a single node: set REDIS_URL to the same Redis on every node, or stop the other node."
    : "A node without REDIS_URL, which must run alone, runs on this database. Set REDIS_URL to the same Redis on every node, and restart that node.";
}

class Holder implements NodeLock {
  /** Identifies an earlier connection of this node that the server has not yet noticed to be dead. */
  private readonly name = `signalbox-node-${newId()}`;
  private client?: Client;
  private released = false;
  private heartbeat?: NodeJS.Timeout;

  constructor(private readonly options: LockOptions) {}

  /** Opens the connection and tries to take the lock; false if another node holds it. */
  async take(): Promise<boolean> {
    const client = await connect(this.options.url, this.name);
    try {
      // The server, too, notices a dead peer within half a minute.
      await client.query(
        "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3",
      );
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()",
        [this.name],
      );
      const { rows: states } = await client.query("SELECT pg_is_in_recovery() AS standby");
      if (states[0]?.standby)
        throw new Error("the server is a standby, on which a lock locks nothing");
      const lock = this.options.exclusive ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
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
      client
        .query("SELECT current_setting('transaction_read_only') = 'on' AS stale")
        // The address may lead to another primary by now, where the lock belongs.
        .then(({ rows }) => (rows[0]?.stale ? client.end() : undefined))
        .catch(() => client.end().catch(() => {}));
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
    this.options.log.warn(
      "the connection that holds the node lock was lost; taking the lock again",
    );
    this.retake().catch((error: unknown) => {
      this.options.log.error({ err: error }, "taking the node lock again failed");
    });
  }

  private async retake(): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS && !this.released; attempt++) {
      try {
        if (await this.take()) {
          this.options.log.info("the node lock has been taken again");
          return;
        }
        if (!this.released) this.giveUp(incompatibleNodeMessage(this.options.exclusive));
        return;
      } catch (error) {
        this.options.log.warn({ err: error }, "the node lock cannot be taken yet");
      }
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    if (!this.released) this.giveUp("The database cannot be reached to take the node lock again.");
  }

  private giveUp(reason: string): void {
    this.options.log.fatal({ reason }, "the node lock is lost: data cached in memory may be stale");
    this.options.onLockLost?.(reason);
  }
}
