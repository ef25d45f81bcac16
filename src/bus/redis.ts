import type { Result } from "ioredis";
import type { Log } from "../core/log";
import { HEAD_MS, type OpenBus, PAGE_ENTRIES } from "./adapter";
import { INBOX_ENTRIES, INBOX_MS, type InboxEntry, type InboxPage } from "./bus";
import type { Listener } from "./listeners";
import { RedisChannels } from "./redis-channels";
import { RedisConnection } from "./redis-connection";
import { APPEND, READ } from "./redis-scripts";
import { isAfter, parseStreamId } from "./stream-id";

const PREFIX = "signalbox:";

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** The script APPEND. */
    signalboxAppend(...words: (string | number)[]): Result<string, Context>;
    /** The script READ. */
    signalboxRead(...words: (string | number)[]): Result<string[], Context>;
  }
}

/**
 * The bus of a deployment of several nodes, over one Redis 6.2 or later. Inboxes are streams, notices
 * are pub/sub; a cursor is the id of a stream's entry. Channels carry the number of the database, which
 * pub/sub by itself does not know, so that two deployments can share a server.
 * @param url `redis:` or `rediss:` with host, credentials and number of the database
 * @throws Error when Redis does not answer within ten seconds
 */
export async function openRedisBus(url: string, log: Log): Promise<OpenBus> {
  const bus = new RedisBus(url, log);
  await bus.start();
  return bus;
}

class RedisBus implements OpenBus {
  private readonly commands: RedisConnection;
  private readonly subscriptions: RedisConnection;
  private readonly channels: RedisChannels;

  constructor(url: string, log: Log) {
    this.commands = new RedisConnection(url, "commands", log);
    this.commands.client.defineCommand("signalboxAppend", { numberOfKeys: 2, lua: APPEND });
    this.commands.client.defineCommand("signalboxRead", { numberOfKeys: 2, lua: READ });
    this.subscriptions = new RedisConnection(url, "subscriptions", log);
    this.channels = new RedisChannels(this.subscriptions, (name) => this.channel(name), log);
  }

  async start(): Promise<void> {
    try {
      await Promise.all([this.commands.start(), this.subscriptions.start()]);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  append(inbox: string, body: string): Promise<string> {
    return this.commands.run((client) =>
      client.signalboxAppend(
        ...keys(inbox),
        ...[body, INBOX_ENTRIES, INBOX_MS, HEAD_MS, this.channel(inbox)],
      ),
    );
  }

  async read(inbox: string, after: string): Promise<InboxPage> {
    const cursor = parseStreamId(after);
    const page = await this.fetch(inbox, cursor ? after : "");
    if (after === "") return { entries: page.entries, complete: true };
    const head = parseStreamId(page.head);
    // A cursor of another bus, or of a Redis that has lost its memory since: all that there is.
    if (!cursor || !head || isAfter(cursor, head)) {
      const entries = cursor ? (await this.fetch(inbox, "")).entries : page.entries;
      return { entries, complete: false };
    }
    const first = page.entries[0];
    if (!first) return { entries: [], complete: !isAfter(head, cursor) };
    const before = parseStreamId(page.before);
    return { entries: page.entries, complete: before !== undefined && !isAfter(before, cursor) };
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
    this.channels.close();
    this.commands.close();
    this.subscriptions.close();
  }

  /** The head of an inbox, the page after a cursor, and what came before the page's first entry. */
  private async fetch(inbox: string, after: string) {
    const [head = "", ...cells] = await this.commands.run((client) =>
      client.signalboxRead(...keys(inbox), after, PAGE_ENTRIES, INBOX_MS),
    );
    const entries: InboxEntry[] = [];
    for (let at = 0; at < cells.length; at += 3) {
      entries.push({ cursor: cells[at] ?? "", body: cells[at + 2] ?? "" });
    }
    return { head, before: cells[1] ?? "", entries };
  }

  private channel(name: string): string {
    return `${PREFIX}${this.commands.client.options.db ?? 0}:${name}`;
  }
}

/** Both keys of an inbox; the braces keep them on one node of a cluster. */
function keys(inbox: string): [stream: string, head: string] {
  return [`${PREFIX}inbox:{${inbox}}`, `${PREFIX}head:{${inbox}}`];
}
