import type { Result } from "ioredis";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { inboxesFull, inboxFull, LAST_CURSOR_TTL_MS, type ManagedBus } from "./adapter";
import {
  type AppendOptions,
  type AppendResult,
  INBOX_TTL_MS,
  type InboxEntry,
  type InboxPage,
  PAGE_BYTES_MAX,
  PAGE_ENTRIES_MAX,
} from "./bus";
import type { Listener } from "./listeners";
import {
  appendEntry,
  channelName,
  defineAppend,
  inboxKeys,
  probeAppend,
  REDIS_PREFIX,
} from "./redis-append";
import { RedisChannels } from "./redis-channels";
import { RedisConnection, type RedisMetrics, unavailable } from "./redis-connection";
import { READ } from "./redis-scripts";
import { RedisValues } from "./redis-values";

/**
 * Interval in which the TTL of last cursors is extended for inboxes with a subscriber here, in milliseconds.
 */
const EXTEND_INTERVAL_MS = LAST_CURSOR_TTL_MS / 4;
/** Number of inboxes whose TTL is extended in one pipeline. */
const EXTEND_BATCH = 500;
/** A cursor of this bus: the id of a stream entry, `milliseconds-sequence`. */
const CURSOR = /^\d{1,15}-\d{1,15}$/;

/** The reply of the script READ. */
type ReadReply = [
  complete: number,
  more: number,
  lastCursor: string,
  priorityEvicted: number,
  ...cells: string[],
];

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** The script READ. */
    signalboxRead(...words: (string | number)[]): Result<ReadReply, Context>;
  }
}

/**
 * Opens the bus of a deployment of several nodes, over one Redis 6.2 or later. Inboxes are streams, notices
 * use pub/sub, and a cursor is the id of a stream entry. Channel names contain the number of the database,
 * which pub/sub ignores, so that two deployments can share a server.
 * @param url `redis:` or `rediss:` URL with host, credentials and number of the database
 * @param bytesMax maximum size of all inboxes together, in bytes; unlimited when omitted
 * @throws Error when Redis cannot be reached within ten seconds
 */
export async function openRedisBus(
  url: string,
  log: Log,
  bytesMax?: number,
  metrics?: RedisMetrics,
): Promise<ManagedBus> {
  const bus = new RedisBus(url, log, bytesMax ?? 0, metrics);
  await bus.start();
  return bus;
}

class RedisBus implements ManagedBus {
  readonly values: RedisValues;
  private readonly commands: RedisConnection;
  private readonly subscriptions: RedisConnection;
  private readonly channels: RedisChannels;
  private readonly extension: NodeJS.Timeout;
  /** The inbox that `check` appends to, and the channel of its notices. Only this process uses it. */
  private readonly probe = `probe-${newId()}`;

  constructor(
    url: string,
    private readonly log: Log,
    private readonly bytesMax: number,
    metrics?: RedisMetrics,
  ) {
    this.commands = new RedisConnection(url, "commands", log, metrics);
    const { client } = this.commands;
    defineAppend(client);
    client.defineCommand("signalboxRead", { numberOfKeys: 2, lua: READ });
    this.values = new RedisValues(this.commands, `${REDIS_PREFIX}value:`);
    this.subscriptions = new RedisConnection(url, "subscriptions", log, metrics);
    this.channels = new RedisChannels(this.subscriptions, (name) => this.channel(name), log);
    // It only receives, so no reply tells it that its server is no longer the primary.
    this.commands.onDemotion(() => this.subscriptions.reconnect());
    this.extension = setInterval(() => {
      this.extendLastCursors().catch((error: unknown) => {
        log.warn({ err: error }, "failed to extend the TTL of last cursors in Redis");
      });
    }, EXTEND_INTERVAL_MS);
    this.extension.unref();
  }

  async start(): Promise<void> {
    try {
      await Promise.all([this.commands.start(), this.subscriptions.start()]);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async append(inbox: string, body: string, options?: AppendOptions): Promise<AppendResult> {
    const [cursor, listeners, thousandths] = await this.commands.run("append", (client) =>
      appendEntry(client, inbox, body, options, this.bytesMax),
    );
    if (cursor === "inbox") throw inboxFull();
    if (cursor === "inboxes") throw inboxesFull();
    return { cursor, hasSubscribers: listeners > 0, usage: thousandths / 1000 };
  }

  async read(inbox: string, after: string): Promise<InboxPage> {
    const known = CURSOR.test(after);
    const [complete, more, lastCursor, priorityEvicted, ...cells] = await this.commands.run(
      "read",
      (client) =>
        client.signalboxRead(
          ...inboxKeys(inbox),
          known ? after : "",
          PAGE_ENTRIES_MAX,
          INBOX_TTL_MS,
          PAGE_BYTES_MAX,
        ),
    );
    const entries: InboxEntry[] = [];
    for (let index = 0; index < cells.length; index += 2) {
      entries.push({ cursor: cells[index] ?? "", body: cells[index + 1] ?? "" });
    }
    const fromStart = after === "";
    return {
      entries,
      more: more === 1,
      lastCursor: fromStart ? lastCursor : "",
      complete: fromStart || (known && complete === 1),
      priorityEvicted: fromStart && priorityEvicted === 1,
    };
  }

  async haveSubscribers(inboxes: readonly string[]): Promise<boolean[]> {
    if (inboxes.length === 0) return [];
    const names = inboxes.map((inbox) => this.channel(inbox));
    // PUBSUB NUMSUB answers name, count, name, count.
    const counts = await this.commands.run("PUBSUB", (client) => client.pubsub("NUMSUB", ...names));
    return names.map((_, index) => Number(counts[2 * index + 1]) > 0);
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.commands.run("PUBLISH", (client) => client.publish(this.channel(channel), message));
  }

  subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    return this.channels.subscribe(channel, listener);
  }

  async check(): Promise<void> {
    await this.channels.confirmed(this.probe);
    const listeners = await this.commands.run("append", (client) =>
      probeAppend(client, this.probe),
    );
    if (listeners > 0) return;
    this.log.warn("notices are received from another Redis server than signals are written to");
    this.subscriptions.reconnect();
    throw unavailable();
  }

  async close(): Promise<void> {
    clearInterval(this.extension);
    this.channels.close();
    this.commands.close();
    this.subscriptions.close();
  }

  /** Keeps the last cursors of inboxes with a subscriber here, which must not see a false gap. */
  private async extendLastCursors(): Promise<void> {
    const inboxes = this.channels.names().map((name) => name.slice(this.channel("").length));
    for (let start = 0; start < inboxes.length; start += EXTEND_BATCH) {
      const pipeline = inboxes.slice(start, start + EXTEND_BATCH).reduce((commands, inbox) => {
        const [, state] = inboxKeys(inbox);
        return commands.pexpire(state, LAST_CURSOR_TTL_MS);
      }, this.commands.client.pipeline());
      await this.commands.run("PEXPIRE", async () => {
        const replies = await pipeline.exec();
        const refused = replies?.find(([error]) => error !== null);
        if (refused) throw refused[0];
      });
    }
  }

  private channel(name: string): string {
    return channelName(this.commands.client, name);
  }
}
