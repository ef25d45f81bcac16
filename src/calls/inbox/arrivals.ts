import type { Bus } from "../../bus/bus";
import { readLog } from "./log";
import { Story } from "./story";

/** The contents of a user's inbox at one moment. */
export interface Arrival {
  story: Story;
  /** Cursors of its entries. */
  cursors: ReadonlySet<string>;
  /** Cursor of the last entry, even if that is gone; empty if unknown. */
  end: string;
  /** Whether calls or answers were evicted from it within their TTL. */
  trimmed: boolean;
}

/**
 * Loads an inbox for newly connected devices, one load at a time. Devices that connect meanwhile share the
 * next.
 */
export class Arrivals {
  private current: Promise<unknown> = Promise.resolve();
  private next: Promise<Arrival> | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly inbox: string,
  ) {}

  /** Returns a snapshot that is loaded after this call. @throws Fault UNAVAILABLE */
  read(): Promise<Arrival> {
    this.next ??= this.loadNext();
    return this.next;
  }

  private async loadNext(): Promise<Arrival> {
    await this.current;
    const loading = this.load();
    this.current = loading.catch(() => undefined);
    this.next = undefined;
    return loading;
  }

  private async load(): Promise<Arrival> {
    const [story, cursors] = [new Story(), new Set<string>()];
    const result = await readLog(this.bus, this.inbox, (entry) => {
      story.take(entry);
      cursors.add(entry.cursor);
    });
    return { story, cursors, end: result.end, trimmed: result.trimmed };
  }
}
