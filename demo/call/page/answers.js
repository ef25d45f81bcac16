/** @import { Signal } from "./signalling.js" */

/** Maximum number of remembered calls. */
const LIMIT = 50;

/**
 * The answers to recent calls. A caller repeats its `call` until an answer arrives. If the answer was lost,
 * it is sent again and the phone does not ring again.
 */
export class Answers {
  /** @type {Map<string, Signal | null>} */
  #known = new Map();

  /** @param {string} sessionId @param {Signal | null} answer null if the call must just not ring again */
  keep(sessionId, answer) {
    this.#known.set(sessionId, answer);
    const [oldest] = this.#known.keys();
    if (this.#known.size > LIMIT && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Marks a call as ended; a declined one stays declined. @param {string} sessionId */
  close(sessionId) {
    if (this.of(sessionId)?.signalType !== "reject") this.keep(sessionId, null);
  }

  /** The answer to a call; undefined for a new call. @param {string} sessionId */
  of(sessionId) {
    return this.#known.get(sessionId);
  }
}
