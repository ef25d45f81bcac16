/** @import { Signal } from "./signalling.js" */

/** Calls that are remembered, at most. */
const LIMIT = 50;

/**
 * How calls were answered. Callers repeat their `call` until they hear an answer, and the answer may have
 * been lost: then it is said again, and nothing rings anew.
 */
export class Answers {
  /** @type {Map<string, Signal | null>} */
  #known = new Map();

  /** @param {string} sessionId @param {Signal | null} answer null: let it ring no more */
  keep(sessionId, answer) {
    this.#known.set(sessionId, answer);
    const [oldest] = this.#known.keys();
    if (this.#known.size > LIMIT && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Notes that a call is over; one that was declined stays so. @param {string} sessionId */
  close(sessionId) {
    if (this.of(sessionId)?.signalType !== "reject") this.keep(sessionId, null);
  }

  /** The answer of a call; undefined for one that is new. @param {string} sessionId */
  of(sessionId) {
    return this.#known.get(sessionId);
  }
}
