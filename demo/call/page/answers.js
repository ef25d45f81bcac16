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

  /** @param {string} callId @param {Signal | null} answer null if the call must just not ring again */
  keep(callId, answer) {
    this.#known.set(callId, answer);
    const [oldest] = this.#known.keys();
    if (this.#known.size > LIMIT && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Marks a call as ended; a declined one stays declined. @param {string} callId */
  close(callId) {
    if (this.of(callId)?.signalType !== "reject") this.keep(callId, null);
  }

  /** The answer to a call; undefined for a new call. @param {string} callId */
  of(callId) {
    return this.#known.get(callId);
  }
}
