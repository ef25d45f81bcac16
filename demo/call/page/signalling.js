/**
 * The interface of the signalling connections, which exist for GraphQL and XMPP. Signals use the field names
 * of GraphQL (docs/SIGNALING.md).
 *
 * @typedef {object} Signal
 * @property {string} signalType call, accept, reject, hangUp, iceCandidates, update, iceRestart, iceRestartAccept
 * @property {string} callId Identifies the call; the same in all its signals.
 * @property {"VIDEO" | "AUDIO"} [callType]
 * @property {string} [sdp]
 * @property {RTCIceCandidateInit[]} [iceCandidates]
 * @property {Record<string, string>} [userInfo]
 * @property {Record<string, string>} [parameters] The changed parameters of an `update`.
 *
 * @typedef {object} Address
 * @property {string} userId
 * @property {string | null} [device] One device of the user; all devices if absent.
 *
 * @typedef {Signal & {id: string, from: Address}} IncomingSignal `from` is set by the service and is the
 *   only field that reliably identifies the sender.
 *
 * @typedef {object} Listener
 * @property {(signal: IncomingSignal) => void} onSignal
 * @property {(status: Status) => void} onStatus
 * @property {(signal: Signal, reason: string) => void} onRejected A sent signal was not delivered.
 *
 * @typedef {"connecting" | "online" | "offline" | "ended"} Status Offline: reconnects automatically. Ended:
 *   the session has ended, and the user must sign in again.
 *
 * @typedef {object} Signalling
 * @property {(to: Address, signal: Signal) => void} send Sends a signal, or queues it while offline.
 * @property {() => void} close
 */

/** Delay before a reconnect, in milliseconds: exponential backoff with jitter. */
export function reconnectDelay(/** @type {number} */ attempt) {
  return Math.min(500 * 2 ** attempt, 15_000) * (0.5 + Math.random() / 2);
}

/** Detects duplicates: an unacknowledged signal may be delivered twice with the same id. */
export function createDeduplicator(limit = 500) {
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
