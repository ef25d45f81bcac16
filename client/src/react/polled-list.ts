import { asSignalboxError, type SignalboxError } from "../errors.ts";
import type { Session } from "../session/session.ts";

/** What a hook shows of a list that is read now and then. */
export interface PolledListState<Item> {
  /** The items; null before they are loaded. */
  readonly items: readonly Item[] | null;
  /** Why the list could not be read last; null once it could. `items` stay as they were. */
  readonly error: SignalboxError | null;
  /** Reads the list now, for instance after the page has changed it. */
  reload(): Promise<void>;
}

/** Interval of the reads, in milliseconds. */
const EVERY_MS = 10_000;

/**
 * A list of the service without notices of its changes: it is read when it is shown first, every ten seconds while the
 * page is visible, and for another user. Nothing is read while no component shows it.
 */
export class PolledList<Item> {
  readonly #session: Session;
  readonly #load: () => Promise<readonly Item[]>;
  readonly #callbacks = new Set<() => void>();
  readonly #reload = () => this.#read();
  #state: PolledListState<Item> = { items: null, error: null, reload: this.#reload };
  #timer: ReturnType<typeof setInterval> | undefined;
  #stopFollowing: (() => void) | null = null;
  /** The last read that was begun, whose result counts. */
  #reads = 0;

  /** @param load reads the list */
  constructor(session: Session, load: () => Promise<readonly Item[]>) {
    this.#session = session;
    this.#load = load;
  }

  readonly getSnapshot = (): PolledListState<Item> => this.#state;

  readonly subscribe = (callback: () => void): (() => void) => {
    if (this.#callbacks.size === 0) this.#start();
    this.#callbacks.add(callback);
    return () => {
      this.#callbacks.delete(callback);
      if (this.#callbacks.size === 0) this.#stop();
    };
  };

  #start(): void {
    this.#timer = setInterval(() => {
      if (globalThis.document?.visibilityState !== "hidden") void this.#read();
    }, EVERY_MS);
    let userId: string | null = null;
    this.#stopFollowing = this.#session.on("changed", (session) => {
      const isOther = userId !== null && session.userId !== userId;
      userId = session.userId;
      if (!isOther) return;
      // What one user has read is not for the next one.
      this.#set({ items: null });
      void this.#read();
    });
    void this.#read();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#stopFollowing?.();
    this.#reads += 1;
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    const own = this.#reads;
    try {
      const items = await this.#load();
      if (own === this.#reads) this.#set({ items, error: null });
    } catch (error) {
      if (own === this.#reads) this.#set({ error: asSignalboxError(error) });
    }
  }

  #set(changes: Partial<PolledListState<Item>>): void {
    this.#state = { ...this.#state, ...changes };
    for (const callback of [...this.#callbacks]) callback();
  }
}
