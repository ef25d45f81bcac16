import { openLog } from "../../src/core/log";
import type { ManagedBus } from "../../src/platform/bus/adapter";
import type { InboxPage } from "../../src/platform/bus/bus";
import { openLocalBus } from "../../src/platform/bus/local";
import { openRedisBus } from "../../src/platform/bus/redis";
import { freshRedis, hasServices } from "../support/operations/database";

/** A silent log. */
export const log = openLog("silent");

/** A bus adapter under test. */
export interface Adapter {
  name: string;
  /** Opens buses of one deployment; the second one is another node if the adapter supports several. */
  open(): Promise<{ bus: ManagedBus; other: ManagedBus; close(): Promise<void> }>;
}

const LOCAL: Adapter = {
  name: "local",
  open: async () => {
    const bus = openLocalBus({ now: () => 1_000_000 }, log);
    return { bus, other: bus, close: () => bus.close() };
  },
};
const REDIS: Adapter = {
  name: "redis",
  open: async () => {
    const url = await freshRedis();
    const [bus, other] = await Promise.all([openRedisBus(url, log), openRedisBus(url, log)]);
    return {
      bus,
      other,
      close: async () => {
        await Promise.all([bus.close(), other.close()]);
      },
    };
  },
};

/** The adapter of this run; each passes the same tests. */
export const ADAPTERS: Adapter[] = [hasServices ? REDIS : LOCAL];

/** Appends an entry and returns its cursor. */
export async function append(bus: ManagedBus, inbox: string, body: string): Promise<string> {
  return (await bus.append(inbox, body)).cursor;
}

/** Reads all pages. */
export async function readAll(bus: ManagedBus, inbox: string, after: string): Promise<InboxPage> {
  const page = await bus.read(inbox, after);
  if (!page.more) return page;
  const rest = await readAll(bus, inbox, page.entries.at(-1)?.cursor ?? "");
  const complete = page.complete && rest.complete;
  return { ...rest, entries: [...page.entries, ...rest.entries], complete };
}
