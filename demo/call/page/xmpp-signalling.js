import { $msg, $pres, Strophe } from "strophe.js";

/** @import { CallSignal, CallSignalling, ConnectionStatus, SignalInput } from "@signalbox/client" */

/**
 * @typedef {NonNullable<CallSignal["iceCandidates"]>[number]} SignalledCandidate
 *
 * @typedef {object} Signal
 * @property {string} signalType call, accept, reject, hangUp, iceCandidates, update, iceRestart, iceRestartAccept
 * @property {string} callId
 * @property {"VIDEO" | "AUDIO"} [callType]
 * @property {string} [sdp]
 * @property {string} [callerId]
 * @property {string[]} [opponentIds]
 * @property {SignalledCandidate[]} [iceCandidates]
 * @property {Record<string, unknown>} [userInfo]
 * @property {Record<string, string>} [parameters] The changed parameters of an `update`.
 *
 * @typedef {{
 *   on(name: "status", listener: (status: ConnectionStatus) => void): () => void,
 *   close(): void,
 * }} Transport What the page needs of either protocol besides the calls.
 */

/** Wire names of text fields, and wire values of callType. */
const TEXTS = /** @type {const} */ ([
  ["callId", "sessionID"],
  ["sdp", "sdp"],
]);
const CALL_TYPES = { VIDEO: "1", AUDIO: "2" };
/** Maximum number of signals that are queued while offline. */
const QUEUE_MAX = 100;
/** Time in which the service reports that it refuses a signal, in milliseconds. */
const REFUSAL_MS = 1_000;

/** Delay before a reconnect, in milliseconds: exponential back-off with jitter. */
function reconnectDelay(/** @type {number} */ attempt) {
  return Math.min(500 * 2 ** attempt, 15_000) * (0.5 + Math.random() / 2);
}

/**
 * Signals over XMPP for the calls of @signalbox/client: a chat stream over WebSocket (RFC 7395), with a headline
 * message for each signal.
 * @param {{ url: string, domain: string, applicationId: number, userId: string, token: string }} access
 * @returns {CallSignalling & Transport}
 */
export function openXmppSignalling({ url, domain, applicationId, userId, token }) {
  const bare = (/** @type {string | number} */ id) => `${id}-${applicationId}@${domain}`;
  // Reconnects keep the resource, so that the other side of a call still reaches this device.
  const jid = `${bare(userId)}/web-${crypto.randomUUID().slice(0, 8)}`;
  /** What waits for the outcome of a sent stanza, by its id. @type {Map<string, (error: Error) => void>} */
  const refused = new Map();
  /** @type {Element[]} */
  const queue = [];
  /** @type {Map<string, Set<(argument: any) => void>>} */
  const listeners = new Map();
  let attempt = 0;
  let closed = false;
  let online = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;

  // If the service offers stream management (XEP-0198), signals in flight survive a reconnect.
  const connection = new Strophe.Connection(url, { enableStreamManagement: true });

  /** @param {"signal" | "status"} name @param {any} argument */
  function emit(name, argument) {
    for (const listener of listeners.get(name) ?? []) listener(argument);
  }

  function connect() {
    retry = undefined;
    emit("status", "connecting");
    connection.addHandler(handleMessage, null, "message", null);
    connection.connect(jid, token, onStatus);
  }

  /** @param {number} status */
  function onStatus(status) {
    const { CONNECTED, ATTACHED, AUTHFAIL, DISCONNECTED } = Strophe.Status;
    if (closed) return;
    if (status === CONNECTED || status === ATTACHED) {
      attempt = 0;
      clearTimeout(retry);
      retry = undefined;
      online = true;
      // Initial presence makes the client available (RFC 6121 section 4.2).
      connection.send($pres().tree());
      for (const stanza of queue.splice(0)) connection.send(stanza);
      emit("status", "online");
    } else if (status === AUTHFAIL) {
      closed = true;
      emit("status", "ended");
    } else if (status === DISCONNECTED) {
      online = false;
      emit("status", "offline");
      // Strophe may report one failure twice; a second retry would abort the first.
      retry ??= setTimeout(connect, reconnectDelay(attempt++));
    }
  }

  /** @param {Element} stanza @returns {true} to keep the handler registered */
  function handleMessage(stanza) {
    const id = stanza.getAttribute("id") ?? "";
    if (stanza.getAttribute("type") === "error") refused.get(id)?.(new Error(reasonOf(stanza)));
    else {
      // A repeat may have the id of the first `call`, and keeps it ringing; any other signal may be handled twice.
      const signal = readSignal(stanza);
      if (signal) emit("signal", signal);
    }
    return true;
  }

  /** Sends now or, while offline, later. @param {Element} stanza */
  function transmit(stanza) {
    if (online) connection.send(stanza);
    else if (queue.length < QUEUE_MAX) queue.push(stanza);
  }

  connect();
  return {
    get status() {
      return online ? "online" : "offline";
    },
    on(/** @type {string} */ name, /** @type {(argument: any) => void} */ listener) {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener));
      return () => known.delete(listener);
    },
    send(to, input) {
      const id = crypto.randomUUID();
      const signal = signalOf(input);
      const address = to.device ? `${bare(to.userId)}/${to.device}` : bare(to.userId);
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer);
          refused.delete(id);
        };
        // XMPP reports failures alone, so no news in this time is success.
        const timer = setTimeout(() => {
          settle();
          resolve(undefined);
        }, REFUSAL_MS);
        refused.set(id, (error) => {
          settle();
          reject(error);
        });
        transmit(writeSignal(address, id, signal));
      });
    },
    close() {
      closed = true;
      clearTimeout(retry);
      connection.disconnect("signed out");
    },
  };
}

/**
 * The signal of an input, with its type as a field.
 * @param {SignalInput} input @returns {Signal}
 */
function signalOf(input) {
  const [[signalType, content] = []] = Object.entries(input);
  return /** @type {Signal} */ ({ signalType, ...content });
}

/** @param {string} to @param {string} id @param {Signal} signal @returns {Element} */
function writeSignal(to, id, signal) {
  const message = $msg({ to, id, type: "headline" }).c("extraParams", { xmlns: "jabber:client" });
  /** @param {string} name @param {string} value */
  const leaf = (name, value) => message.c(name, {}, value);
  leaf("moduleIdentifier", "WebRTCVideoChat");
  leaf("signalType", signal.signalType);
  for (const [key, name] of TEXTS) {
    const value = signal[key];
    if (value !== undefined) leaf(name, value);
  }
  if (signal.callType) leaf("callType", CALL_TYPES[signal.callType]);
  leaf("platform", "web");
  if (signal.signalType === "call") {
    leaf("callerID", signal.callerId ?? "");
    message.c("opponentsIDs");
    for (const userId of signal.opponentIds ?? []) leaf("opponentID", userId);
    message.up();
  }
  if (signal.iceCandidates) {
    message.c("iceCandidates");
    for (const { sdpMLineIndex, sdpMid, candidate } of signal.iceCandidates) {
      message.c("iceCandidate");
      leaf("sdpMLineIndex", String(sdpMLineIndex ?? 0));
      leaf("sdpMid", sdpMid ?? "");
      leaf("candidate", candidate ?? "").up();
    }
    message.up();
  }
  // An update has one element for each changed parameter.
  for (const [name, value] of Object.entries(signal.parameters ?? {})) leaf(name, value);
  if (signal.userInfo) {
    message.c("userInfo");
    for (const [name, value] of Object.entries(signal.userInfo)) leaf(name, String(value));
    message.up();
  }
  return message.tree();
}

/** @param {Element} stanza @returns {CallSignal | null} null for any other message */
function readSignal(stanza) {
  const params = child(stanza, "extraParams");
  if (!params || textOf(params, "moduleIdentifier") !== "WebRTCVideoChat") return null;
  const [, userId = "", device = null] =
    /^(\d+)-[^/]+(?:\/(.*))?$/.exec(stanza.getAttribute("from") ?? "") ?? [];
  const callType = textOf(params, "callType");
  const candidates = child(params, "iceCandidates");
  const userInfo = child(params, "userInfo");
  const opponents = child(params, "opponentsIDs");
  return {
    from: { userId, device },
    signalType: textOf(params, "signalType") ?? "",
    callId: textOf(params, "sessionID") ?? "",
    callerId: textOf(params, "callerID"),
    callType: callType === CALL_TYPES.AUDIO ? "AUDIO" : "VIDEO",
    sdp: textOf(params, "sdp"),
    opponentIds: opponents && [...opponents.children].map((each) => each.textContent ?? ""),
    iceCandidates: candidates && [...candidates.children].map(readCandidate),
    userInfo: userInfo && textsOf(userInfo),
    parameters: textsOf(params),
  };
}

/** @param {Element} element @returns {SignalledCandidate} */
const readCandidate = (element) => ({
  sdpMLineIndex: Number(textOf(element, "sdpMLineIndex") || 0),
  sdpMid: textOf(element, "sdpMid") ?? null,
  candidate: textOf(element, "candidate") ?? null,
});

/** @param {Element} parent @param {string} name */
const child = (parent, name) => [...parent.children].find(({ localName }) => localName === name);

/** @param {Element} parent @param {string} name */
const textOf = (parent, name) => child(parent, name)?.textContent ?? undefined;

/** @param {Element} parent @returns {Record<string, string>} */
const textsOf = (parent) =>
  Object.fromEntries([...parent.children].map((each) => [each.localName, each.textContent ?? ""]));

/** @param {Element} stanza */
function reasonOf(stanza) {
  const error = child(stanza, "error");
  return (error && textOf(error, "text")) ?? error?.firstElementChild?.localName ?? "rejected";
}
