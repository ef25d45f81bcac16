import type { Result } from "ioredis";
import type { Log } from "../core/log";
import { inboxesFull, inboxFull, LAST_CURSOR_TTL_MS, type ManagedBus, NO_SENDER } from "./adapter";
import {
  type AppendOptions,
  type AppendResult,
  ENTRY_OVERHEAD_BYTES,
  INBOX_BYTES_MAX,
  INBOX_ENTRIES_MAX,
  INBOX_OVERHEAD_BYTES,
  INBOX_TTL_MS,
  type InboxEntry,
  type InboxPage,
  PAGE_BYTES_MAX,
  PAGE_ENTRIES_MAX,
} from "./bus";
import type { Listener } from "./listeners";
import { RedisChannels } from "./redis-channels";
import { RedisConnection } from "./redis-connection";
import { APPEND, READ } from "./redis-scripts";
import { RedisValues } from "./redis-values";

const PREFIX = "signalbox:";
/** Key of the size of all inboxes. */
const SIZES = `${PREFIX}sizes`;
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
    /** The script APPEND. */
    signalboxAppend(
      ...words: (string | number)[]
    ): Result<[cursor: string, listeners: number, thousandths: number], Context>;
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
export async function openRedisBus(url: string, log: Log, bytesMax?: number): Promise<ManagedBus> {
  const bus = new RedisBus(url, log, bytesMax ?? 0);
  await bus.start();
  return bus;
}

class RedisBus implements ManagedBus {
  readonly values: RedisValues;
  private readonly commands: RedisConnection;
  private readonly subscriptions: RedisConnection;
  private readonly channels: RedisChannels;
  private readonly extension: NodeJS.Timeout;

  constructor(
    url: string,
    log: Log,
    private readonly bytesMax: number,
  ) {
    this.commands = new RedisConnection(url, "commands", log);
    const { client } = this.commands;
    client.defineCommand("signalboxAppend", { numberOfKeys: 5, lua: APPEND });
    client.defineCommand("signalboxRead", { numberOfKeys: 2, lua: READ });
    this.values = new RedisValues(this.commands, `${PREFIX}value:`);
    this.subscriptions = new RedisConnection(url, "subscriptions", log);
    this.channels = new RedisChannels(this.subscriptions, (name) => this.channel(name), log);
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

  async append(
    inbox: string,
    body: string,
    { sender, highPriority }: AppendOptions = NO_SENDER,
  ): Promise<AppendResult> {
    const [cursor, listeners, thousandths] = await this.commands.run((client) =>
      client.signalboxAppend(
        ...keys(inbox),
        ...shareKeys(inbox),
        SIZES,
        body,
        INBOX_ENTRIES_MAX,
        INBOX_TTL_MS,
        LAST_CURSOR_TTL_MS,
        this.channel(inbox),
        INBOX_BYTES_MAX,
        sender,
        highPriority ? 1 : 0,
        this.bytesMax,
        ENTRY_OVERHEAD_BYTES,
        INBOX_OVERHEAD_BYTES,
      ),
    );
    if (cursor === "inbox") throw inboxFull();
    if (cursor === "inboxes") throw inboxesFull();
    return { cursor, hasSubscribers: listeners > 0, usage: thousandths / 1000 };
  }

  async read(inbox: string, after: string): Promise<InboxPage> {
    const known = CURSOR.test(after);
    const [complete, more, lastCursor, priorityEvicted, ...cells] = await this.commands.run(
      (client) =>
        client.signalboxRead(
          ...keys(inbox),
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

  async publish(channel: string, message: string): Promise<void> {
    await this.commands.run((client) => client.publish(this.channel(channel), message));
  }

  subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    return this.channels.subscribe(channel, listener);
  }

  async check(): Promise<void> {
    await this.commands.run((client) => client.ping());
    await this.subscriptions.run((client) => client.ping());
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
        const [, state] = keys(inbox);
        return commands.pexpire(state, LAST_CURSOR_TTL_MS);
      }, this.commands.client.pipeline());
      await this.commands.run(() => pipeline.exec());
    }
  }

  private channel(name: string): string {
    return `${PREFIX}${this.commands.client.options.db ?? 0}:${name}`;
  }
}

/** The keys of an inbox: its stream, and the state that outlives its entries. */
function keys(inbox: string): [stream: string, state: string] {
  return [`${PREFIX}inbox:{${inbox}}`, `${PREFIX}state:{${inbox}}`];
}

/** The keys of the senders' shares of an inbox. */
function shareKeys(inbox: string): [order: string, shares: string] {
  return [`${PREFIX}order:{${inbox}}`, `${PREFIX}shares:{${inbox}}`];
}
