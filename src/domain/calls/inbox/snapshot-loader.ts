import type { Bus } from "../../../platform/bus/bus";
import { readInbox } from "./inbox-log";
import { InboxState } from "./inbox-state";

/** The contents of a user's inbox at one moment. */
export interface InboxSnapshot {
  state: InboxState;
  /** Cursors of its entries. */
  cursors: ReadonlySet<string>;
  /** Cursor of the last entry, even if that is gone; empty if unknown. */
  lastCursor: string;
  /** Whether calls or answers were evicted from it within their TTL. */
  priorityEvicted: boolean;
}

/**
 * Loads an inbox for new subscribers, one load at a time. Those that arrive during a load share the
 * next.
 */
export class SnapshotLoader {
  private current: Promise<unknown> = Promise.resolve();
  private next: Promise<InboxSnapshot> | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly inbox: string,
  ) {}

  /** Returns a snapshot that is loaded after this call. @throws Fault UNAVAILABLE */
  read(): Promise<InboxSnapshot> {
    this.next ??= this.loadNext();
    return this.next;
  }

  private async loadNext(): Promise<InboxSnapshot> {
    await this.current;
    const loading = readSnapshot(this.bus, this.inbox);
    this.current = loading.catch(() => undefined);
    this.next = undefined;
    return loading;
  }
}

/** Reads a whole inbox and derives its state. @throws Fault UNAVAILABLE */
export async function readSnapshot(bus: Bus, inbox: string): Promise<InboxSnapshot> {
  const [state, cursors] = [new InboxState(), new Set<string>()];
  const end = await readInbox(bus, inbox, (entry) => {
    state.apply(entry);
    cursors.add(entry.cursor);
  });
  return { state, cursors, ...end };
}
