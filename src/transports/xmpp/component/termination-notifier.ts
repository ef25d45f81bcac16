import { type Log, warnRarely } from "../../../core/log";
import type { Party } from "../../../domain/calls/signals/signal";
import type { Termination } from "./sign-in-index";

/** Maximum number of pending notices; above it, the oldest is dropped. */
const MAX_PENDING = 10_000;
/** Number of notices that are sent concurrently. */
const BATCH = 16;
/** Interval of retries, in milliseconds. */
const RETRY_MS = 30_000;

/** A termination, and the user whose streams have to end, if known. */
interface Notice {
  ended: Termination;
  user: Party | undefined;
}

/** Dependencies of a {@link TerminationNotifier}. */
export interface TerminationNotifierDeps {
  log: Log;
  /** Returns the stanzas that notify the chat server. */
  toStanzas(ended: Termination, user: Party | undefined): string[];
  /** Sends a stanza to the chat server; rejects if that does not succeed within seconds. */
  send(xml: string): Promise<void>;
}

/**
 * Notifies the chat server of ended sessions and users. Their streams must end even if the chat server was
 * away for long, so each notice is kept until the server has received it.
 */
export class TerminationNotifier {
  private readonly pending = new Map<string, Notice>();
  private sending = false;
  private retryRequested = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: TerminationNotifierDeps) {}

  /** Sends a notice now or as soon as possible. */
  notify(ended: Termination, user: Party | undefined): void {
    const key =
      ended.sessionId === undefined ? `user ${ended.userId}` : `session ${ended.sessionId}`;
    this.pending.delete(key);
    this.pending.set(key, { ended, user });
    if (this.pending.size > MAX_PENDING) {
      const [oldest = ""] = this.pending.keys();
      this.pending.delete(oldest);
      warnRarely(
        this.deps.log,
        {},
        "dropped the notice of an ended session or user: too many are pending",
      );
    }
    if (!this.sending) void this.sendAll();
  }

  /** Retries: the chat server is reachable again, from this node or another one. */
  retry(): void {
    if (this.sending) this.retryRequested = true;
    else void this.sendAll();
  }

  /** Stops sending. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async sendAll(): Promise<void> {
    this.sending = true;
    clearTimeout(this.timer);
    while (this.pending.size > 0 && !this.closed) {
      this.retryRequested = false;
      const batch = [...this.pending].slice(0, BATCH);
      const sent = await Promise.all(batch.map(([key, notice]) => this.send(key, notice)));
      if (sent.every(Boolean) || this.retryRequested) continue;
      const pending = this.pending.size;
      this.deps.log.warn(
        { pending },
        "could not notify the chat server of ended sessions and users; will retry",
      );
      break;
    }
    this.sending = false;
    if (this.pending.size === 0 || this.closed) return;
    this.timer = setTimeout(() => this.retry(), RETRY_MS).unref();
  }

  private async send(key: string, notice: Notice): Promise<boolean> {
    const { toStanzas, send } = this.deps;
    try {
      await Promise.all(toStanzas(notice.ended, notice.user).map(send));
    } catch {
      return false;
    }
    // A newer notice with the same key stays.
    if (this.pending.get(key) === notice) this.pending.delete(key);
    return true;
  }
}
