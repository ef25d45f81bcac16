import type { Party } from "../../calls/signal";
import type { Log } from "../../core/log";
import type { Ended } from "./sign-ins";

/** Endings that wait for the chat server at most; the oldest go first. */
const WAITING = 10_000;
/** How many are passed on at once. */
const AT_ONCE = 16;
/** Milliseconds after which it is tried again by itself. */
const AGAIN_MS = 30_000;

/** What ended, and whose streams that was, where it is known. */
interface Ending {
  ended: Ended;
  user: Party | undefined;
}

/** What endings are told with. */
export interface EndingsParts {
  log: Log;
  /** What the chat server is told of one. */
  write(ended: Ended, user: Party | undefined): string[];
  /** Brings a stanza to the chat server; rejects when that does not succeed in some seconds. */
  pass(xml: string): Promise<void>;
}

/**
 * Tells the chat server of every session and user that ends. A stream whose session ended must end
 * however long the chat server was away, so each is kept until it was taken there.
 */
export class Endings {
  readonly #waiting = new Map<string, Ending>();
  #passing = false;
  #again = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: EndingsParts) {}

  /** Tells of one, now or as soon as that can be. */
  add(ended: Ended, user: Party | undefined): void {
    const key =
      ended.sessionId === undefined ? `user ${ended.userId}` : `session ${ended.sessionId}`;
    this.#waiting.delete(key);
    this.#waiting.set(key, { ended, user });
    if (this.#waiting.size > WAITING) {
      const [oldest = ""] = this.#waiting.keys();
      this.#waiting.delete(oldest);
      this.parts.log.warn("the chat server will not be told of what ended: too much waits for it");
    }
    if (!this.#passing) void this.#pass();
  }

  /** Tries again: the chat server can be reached, over the link of whichever node. */
  retry(): void {
    if (this.#passing) this.#again = true;
    else void this.#pass();
  }

  /** Tells of nothing any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #pass(): Promise<void> {
    this.#passing = true;
    clearTimeout(this.#timer);
    while (this.#waiting.size > 0 && !this.#closed) {
      this.#again = false;
      const some = [...this.#waiting].slice(0, AT_ONCE);
      const told = await Promise.all(some.map(([key, ending]) => this.#tell(key, ending)));
      if (told.every(Boolean) || this.#again) continue;
      const waiting = this.#waiting.size;
      this.parts.log.warn({ waiting }, "the chat server does not know yet what ended");
      break;
    }
    this.#passing = false;
    if (this.#waiting.size === 0 || this.#closed) return;
    this.#timer = setTimeout(() => this.retry(), AGAIN_MS).unref();
  }

  async #tell(key: string, ending: Ending): Promise<boolean> {
    const { write, pass } = this.parts;
    try {
      await Promise.all(write(ending.ended, ending.user).map(pass));
    } catch {
      return false;
    }
    // It may have ended once more meanwhile.
    if (this.#waiting.get(key) === ending) this.#waiting.delete(key);
    return true;
  }
}
