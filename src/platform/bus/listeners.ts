import type { Log } from "../../core/log";

/** Receives the messages of a channel. */
export type Listener = (message: string) => void;

/** The listeners of this process, by channel. */
export class Listeners {
  private readonly channels = new Map<string, Set<{ listener: Listener }>>();

  constructor(private readonly log: Log) {}

  /** Adds a listener. Returns a function that removes it and returns whether it was the channel's last. */
  add(channel: string, listener: Listener): () => boolean {
    // A wrapper, since the same function may be added twice.
    const entry = { listener };
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

  /** Calls every listener of a channel. An error of one is logged and does not affect the others. */
  dispatch(channel: string, message: string): void {
    const entries = this.channels.get(channel);
    for (const entry of [...(entries ?? [])]) {
      // An earlier listener may have removed this one.
      if (!entries?.has(entry)) continue;
      try {
        entry.listener(message);
      } catch (error) {
        this.log.error({ err: error }, "a bus listener failed");
      }
    }
  }

  clear(): void {
    this.channels.clear();
  }
}
