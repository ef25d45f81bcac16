import { integerBetween } from "../../core/random";

const FIRST_MS = 250;
/** Short enough that a node takes over within the time that a signal waits to be passed on. */
const LONGEST_MS = 4_000;

/** Growing waits between attempts, with chance in them, so that nodes do not come all at once. */
export class Backoff {
  #wait = FIRST_MS;

  /** Milliseconds to wait before the next attempt: half of it certain, half by chance. */
  next(): number {
    const wait = this.#wait;
    this.#wait = Math.min(wait * 2, LONGEST_MS);
    return integerBetween(wait / 2, wait);
  }

  /** An attempt has succeeded. */
  reset(): void {
    this.#wait = FIRST_MS;
  }
}
