import type { Redis, Result } from "ioredis";
import { LAST_CURSOR_TTL_MS, NO_SENDER } from "./adapter";
import {
  type AppendOptions,
  ENTRY_OVERHEAD_BYTES,
  INBOX_BYTES_MAX,
  INBOX_ENTRIES_MAX,
  INBOX_OVERHEAD_BYTES,
  INBOX_TTL_MS,
} from "./bus";
import { APPEND } from "./redis-scripts";

/** First part of every key and channel of the service in Redis. */
export const REDIS_PREFIX = "signalbox:";
/** Key of the size of all inboxes. */
const SIZES = `${REDIS_PREFIX}sizes`;
/** TTL of what the probe writes, in milliseconds. */
const PROBE_TTL_MS = 1_000;

/** The reply of the script APPEND. */
type AppendReply = [cursor: string, listeners: number, thousandths: number];

declare module "ioredis" {
  interface RedisCommander<Context> {
    /** The script APPEND. */
    signalboxAppend(...words: (string | number)[]): Result<AppendReply, Context>;
  }
}

/** Makes the script APPEND a command of a connection. */
export function defineAppend(client: Redis): void {
  client.defineCommand("signalboxAppend", { numberOfKeys: 5, lua: APPEND });
}

/**
 * Appends to an inbox.
 * @param bytesMax maximum size of all inboxes, in bytes; 0 for no limit
 */
export function appendEntry(
  client: Redis,
  inbox: string,
  body: string,
  { sender, highPriority }: AppendOptions = NO_SENDER,
  bytesMax = 0,
): Promise<AppendReply> {
  return client.signalboxAppend(
    ...inboxKeys(inbox),
    ...shareKeys(inbox),
    SIZES,
    body,
    INBOX_ENTRIES_MAX,
    INBOX_TTL_MS,
    LAST_CURSOR_TTL_MS,
    channelName(client, inbox),
    INBOX_BYTES_MAX,
    sender,
    highPriority ? 1 : 0,
    bytesMax,
    ENTRY_OVERHEAD_BYTES,
    INBOX_OVERHEAD_BYTES,
  );
}

/**
 * Appends to an inbox of nobody's by the same script and to the same kinds of keys as a signal, so that it fails in
 * every way in which signals fail. What it writes expires after a second, and does not count as the size of inboxes.
 * @returns the number of subscribers of the inbox's channel at this server
 * @throws the error reply of Redis
 */
export async function probeAppend(client: Redis, inbox: string): Promise<number> {
  const [, listeners] = await client.signalboxAppend(
    ...inboxKeys(inbox),
    ...shareKeys(inbox),
    SIZES,
    "",
    INBOX_ENTRIES_MAX,
    PROBE_TTL_MS,
    PROBE_TTL_MS,
    channelName(client, inbox),
    INBOX_BYTES_MAX,
    "probe",
    0,
    // Full inboxes are no failure of Redis.
    Number.MAX_SAFE_INTEGER,
    0,
    0,
  );
  return listeners;
}

/** The name of a channel in Redis, which has the number of the database, because pub/sub ignores it. */
export function channelName(client: Redis, channel: string): string {
  return `${REDIS_PREFIX}${client.options.db ?? 0}:${channel}`;
}

/** The keys of an inbox: its stream, and the state that outlives its entries. */
export function inboxKeys(inbox: string): [stream: string, state: string] {
  return [`${REDIS_PREFIX}inbox:{${inbox}}`, `${REDIS_PREFIX}state:{${inbox}}`];
}

/** The keys of the senders' shares of an inbox. */
function shareKeys(inbox: string): [order: string, shares: string] {
  return [`${REDIS_PREFIX}order:{${inbox}}`, `${REDIS_PREFIX}shares:{${inbox}}`];
}
