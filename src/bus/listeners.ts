import type { Log } from "../core/log";

/** What listens to a channel. */
export type Listener = (message: string) => void;

/** The listeners of each channel. */
export class Listeners {
  private readonly channels = new Map<string, Set<{ hear: Listener }>>();

  constructor(private readonly log: Log) {}

  /** Adds a listener; answers how to take it away, which says whether it was the channel's last. */
  add(channel: string, hear: Listener): () => boolean {
    // One function may listen twice, so each listening is an object of its own.
    const entry = { hear };
    const entries = this.channels.get(channel) ?? new Set();
    this.channels.set(channel, entries.add(entry));
    return () => {
      if (!entries.delete(entry) || entries.size > 0) return false;
      this.channels.delete(channel);
      return true;
    };
  }

  has(channel: string): boolean {
    return this.channels.has(channel);
  }

  names(): string[] {
    return [...this.channels.keys()];
  }

  /** Tells every listener of a channel; one that throws is logged and does not keep it from the others. */
  tell(channel: string, message: string): void {
    const entries = this.channels.get(channel);
    for (const entry of [...(entries ?? [])]) {
      // An earlier listener may have stopped this one.
      if (!entries?.has(entry)) continue;
      try {
        entry.hear(message);
      } catch (error) {
        this.log.error({ err: error }, "a listener of the bus failed");
      }
    }
  }

  clear(): void {
    this.channels.clear();
  }
}
