import type { Bus } from "../../bus/bus";
import { readLog } from "./log";
import { Story } from "./story";

/** What devices that arrive find in their user's inbox. */
export interface Arrival {
  story: Story;
  /** Cursors of the entries that stood there. */
  cursors: ReadonlySet<string>;
  /** Cursor of the last one, whether or not it still stands there; empty where none is known. */
  end: string;
  /** Whether calls or answers were taken out of it within the minute, since there was too much. */
  trimmed: boolean;
}

/**
 * Reads an inbox for devices that arrive, one reading at a time: those that come during one share the
 * next, however many they are.
 */
export class Arrivals {
  private present: Promise<unknown> = Promise.resolve();
  private next: Promise<Arrival> | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly inbox: string,
  ) {}

  /** Reads the inbox; the reading begins after this was called. @throws Fault UNAVAILABLE */
  read(): Promise<Arrival> {
    this.next ??= this.begin();
    return this.next;
  }

  private async begin(): Promise<Arrival> {
    await this.present;
    const reading = this.readAll();
    this.present = reading.catch(() => undefined);
    this.next = undefined;
    return reading;
  }

  private async readAll(): Promise<Arrival> {
    const [story, cursors] = [new Story(), new Set<string>()];
    const { end, trimmed } = await readLog(this.bus, this.inbox, (entry) => {
      story.take(entry);
      cursors.add(entry.cursor);
    });
    return { story, cursors, end, trimmed };
  }
}
