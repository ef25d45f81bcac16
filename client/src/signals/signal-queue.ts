/** Maximum number of entries that wait for their reader. */
const LIMIT = 1_000;

/** The entries of one `for await` loop over events. Beyond the limit the oldest is dropped, and the drop is reported. */
export class SignalQueue<Entry> implements AsyncIterableIterator<Entry> {
  readonly #waiting: Entry[] = [];
  readonly #onReturn: () => void;
  readonly #dropped: () => Entry;
  /** Wakes those who wait for an entry. */
  #wake: (() => void)[] = [];
  #problem: unknown;
  #isOver = false;

  /** @param dropped makes the entry that stands for dropped ones @param onReturn called when the loop is left */
  constructor(dropped: () => Entry, onReturn: () => void) {
    this.#dropped = dropped;
    this.#onReturn = onReturn;
  }

  push(entry: Entry): void {
    if (this.#isOver) return;
    this.#waiting.push(entry);
    if (this.#waiting.length > LIMIT) this.#waiting.splice(0, 2, this.#dropped());
    this.#wakeAll();
  }

  /** Ends the loop after what waits. @param problem what it then throws; none if omitted */
  end(problem?: unknown): void {
    this.#isOver = true;
    this.#problem = problem;
    this.#wakeAll();
  }

  async next(): Promise<IteratorResult<Entry>> {
    for (;;) {
      const [entry] = this.#waiting.splice(0, 1);
      if (entry !== undefined) return { done: false, value: entry };
      if (this.#isOver) {
        const problem = this.#problem;
        this.#problem = undefined;
        if (problem !== undefined) throw problem;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
      });
    }
  }

  async return(): Promise<IteratorResult<Entry>> {
    this.#waiting.length = 0;
    this.end();
    this.#onReturn();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
