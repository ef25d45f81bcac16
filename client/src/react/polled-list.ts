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
  #isReading = false;
  /** Whose list it is; undefined while that is unknown. */
  #userId: string | null | undefined;

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
      // A read that takes longer than the interval would be overtaken by each next one, and nothing ever be shown.
      if (this.#isReading || globalThis.document?.visibilityState === "hidden") return;
      void this.#read();
    }, EVERY_MS);
    this.#stopFollowing = this.#session.on("changed", ({ userId }) => {
      if (userId === this.#userId) return;
      this.#userId = userId;
      // What one user has read is not for the next one.
      this.#set({ items: null, error: null });
      void this.#read();
    });
    void this.#read();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#stopFollowing?.();
    this.#reads += 1;
    this.#isReading = false;
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    const own = this.#reads;
    this.#isReading = true;
    const changes = await this.#load().then(
      (items) => ({ items, error: null }),
      (error: unknown) => ({ error: asSignalboxError(error) }),
    );
    if (own !== this.#reads) return;
    this.#isReading = false;
    this.#set(changes);
  }

  #set(changes: Partial<PolledListState<Item>>): void {
    this.#state = { ...this.#state, ...changes };
    for (const callback of [...this.#callbacks]) callback();
  }
}
