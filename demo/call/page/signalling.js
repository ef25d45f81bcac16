/**
 * What the page asks of a signalling connection, whichever door of the service it goes to. A signal has
 * the names of GraphQL here; docs/SIGNALING.md says what each means.
 *
 * @typedef {object} Signal
 * @property {string} signalType call, accept, reject, hangUp, iceCandidates, update, iceRestart, iceRestartAccept
 * @property {string} sessionId The call; the same in all its signals.
 * @property {"VIDEO" | "AUDIO"} [callType]
 * @property {string} [sdp]
 * @property {RTCIceCandidateInit[]} [iceCandidates]
 * @property {Record<string, string>} [userInfo]
 * @property {Record<string, string>} [parameters] What changed, of an `update`.
 *
 * @typedef {object} Address
 * @property {number} userId
 * @property {string | null} [device] One device of the user; all of them when left out.
 *
 * @typedef {Signal & {id: string, from: Address}} IncomingSignal `from` is stamped by the service: the
 *   only field that tells who sent the signal.
 *
 * @typedef {object} Listener
 * @property {(signal: IncomingSignal) => void} onSignal
 * @property {(line: Line) => void} onLine
 * @property {(signal: Signal, reason: string) => void} onRefused What was sent goes to nobody.
 *
 * @typedef {"connecting" | "online" | "offline" | "ended"} Line Offline: it tries again by itself. Ended:
 *   the session is over, and only signing in again helps.
 *
 * @typedef {object} Signalling
 * @property {(to: Address, signal: Signal) => void} send Sends it, or keeps it until the line is back.
 * @property {() => void} close
 */

/** Milliseconds before the next try to connect: longer each time, and not the same on every client. */
export function waitBefore(/** @type {number} */ attempt) {
  return Math.min(500 * 2 ** attempt, 15_000) * (0.5 + Math.random() / 2);
}

/** Tells signals that were seen from new ones: what was not acknowledged may come twice, with one id. */
export function seenBefore(limit = 500) {
  /** @type {Set<string>} */
  const seen = new Set();
  return (/** @type {string} */ id) => {
    if (seen.has(id)) return true;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > limit && oldest !== undefined) seen.delete(oldest);
    return false;
  };
}
