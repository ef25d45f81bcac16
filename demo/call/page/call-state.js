/** @import { Call, CallState, EndReason } from "@signalbox/client" */
/** @import { Person } from "./account.js" */

/**
 * @typedef {object} State What the page shows.
 * @property {"idle" | "calling" | "ringing" | "connecting" | "talking" | "ended"} name
 * @property {Person} [person] The other side.
 * @property {"VIDEO" | "AUDIO"} [callType]
 * @property {number | null} [since] When the call was connected, in milliseconds since the Unix epoch.
 * @property {number} [lasted] Duration of an ended call, in milliseconds.
 * @property {boolean} [recovering] The connection is interrupted and may reconnect.
 * @property {boolean} [remoteCameraOff]
 * @property {string} [reason] Why the call ended, as shown to the user.
 * @property {boolean} [failed] Whether the call ended because of an error.
 */

/** Views of the states of a call. */
const NAMES = /** @type {const} */ ({
  calling: "calling",
  ringing: "ringing",
  connecting: "connecting",
  connected: "talking",
  ended: "ended",
});
/** @type {Partial<Record<EndReason, (name: string) => string>>} */
const REASONS = {
  "remote-hung-up": (name) => `${name} hung up`,
  rejected: (name) => `${name} declined`,
  busy: (name) => `${name} is busy`,
  "not-supported": (name) => `${name} has no device that can take this call`,
  "no-answer": () => "No answer",
  missed: () => "Missed call",
  "answered-elsewhere": () => "Answered on another device",
  "rejected-elsewhere": () => "Declined on another device",
  "not-connected": () => "No connection could be made",
  "connection-lost": () => "The connection was lost",
};
/** Texts of the errors that a user can do something about. */
const ERRORS = /** @type {Record<string, string>} */ ({
  PERMISSION_DENIED:
    "The browser is not allowed to use your microphone or camera. Allow it and try again.",
  DEVICE_NOT_FOUND: "No microphone was found.",
  DEVICE_IN_USE: "Another program is using your microphone or camera.",
});
/** @type {(EndReason | null)[]} */
const FAILURES = ["not-connected", "connection-lost", "failed"];

/**
 * The state of a call with one other user.
 * @param {Call} call @param {CallState} before the state before the present one @param {Person} person
 * @returns {State}
 */
export function stateOf(call, before, person) {
  const { connectedAt, endReason } = call;
  const [other] = call.participants;
  return {
    name: NAMES[call.state],
    person,
    callType: call.video ? "VIDEO" : "AUDIO",
    since: connectedAt,
    recovering: other?.state === "recovering",
    remoteCameraOff: other?.videoMuted ?? false,
    ...(call.state === "ended" && {
      reason: reasonOf(call, before, person.name),
      failed: FAILURES.includes(endReason),
      ...(connectedAt !== null && { lasted: Date.now() - connectedAt }),
    }),
  };
}

/** @param {Call} call @param {CallState} before @param {string} name */
function reasonOf({ endReason, error }, before, name) {
  if (endReason === "hung-up") {
    if (before === "ringing") return "Declined";
    return before === "calling" ? "Cancelled" : "Call ended";
  }
  if (error) return ERRORS[error.code] ?? error.message;
  return endReason === null ? "" : (REASONS[endReason]?.(name) ?? endReason);
}
