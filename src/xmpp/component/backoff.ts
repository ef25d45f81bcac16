import { randomInteger } from "../../core/random";

const FIRST_MS = 250;
/** Shorter than the time that a signal waits to be sent, so that another node takes over in time. */
const MAX_MS = 4_000;

/** Exponential back-off with jitter, so that nodes do not reconnect at the same time. */
export class Backoff {
  #delay = FIRST_MS;

  /** The delay before the next attempt, in milliseconds; half of it is random. */
  next(): number {
    const delay = this.#delay;
    this.#delay = Math.min(delay * 2, MAX_MS);
    return randomInteger(delay / 2, delay);
  }

  /** Starts again with the first delay, after a successful attempt. */
  reset(): void {
    this.#delay = FIRST_MS;
  }
}
