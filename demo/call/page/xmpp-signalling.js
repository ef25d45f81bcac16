import { $msg, $pres, Strophe } from "strophe.js";
import { createDeduplicator, reconnectDelay } from "./signalling.js";

/** @import { Address, IncomingSignal, Listener, Signal, Signalling } from "./signalling.js" */

/** Wire names of text fields, and wire values of callType. */
const TEXTS = /** @type {const} */ ([
  ["callId", "sessionID"],
  ["sdp", "sdp"],
]);
const CALL_TYPES = { VIDEO: "1", AUDIO: "2" };
/** Maximum number of signals that are queued while offline. */
const QUEUE_MAX = 100;

/**
 * Signalling over XMPP: a chat stream over WebSocket (RFC 7395), with a headline message for each signal.
 * @param {{ url: string, domain: string, applicationId: number, userId: string, token: string }} access
 * @param {Listener} listener
 * @returns {Signalling}
 */
export function openXmppSignalling({ url, domain, applicationId, userId, token }, listener) {
  const bare = (/** @type {string} */ id) => `${id}-${applicationId}@${domain}`;
  // Reconnects keep the resource, so that the other side of a call still reaches this device.
  const jid = `${bare(userId)}/web-${crypto.randomUUID().slice(0, 8)}`;
  const isDuplicate = createDeduplicator();
  /** @type {Map<string, Signal>} */
  const sent = new Map();
  /** @type {Element[]} */
  const queue = [];
  let attempt = 0;
  let closed = false;
  let online = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;

  // If the service offers stream management (XEP-0198), signals in flight survive a reconnect.
  const connection = new Strophe.Connection(url, { enableStreamManagement: true });

  function connect() {
    retry = undefined;
    listener.onStatus("connecting");
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
      listener.onStatus("online");
    } else if (status === AUTHFAIL) {
      closed = true;
      listener.onStatus("ended");
    } else if (status === DISCONNECTED) {
      online = false;
      listener.onStatus("offline");
      // Strophe may report one failure twice; a second retry would abort the first.
      retry ??= setTimeout(connect, reconnectDelay(attempt++));
    }
  }

  /** @param {Element} stanza @returns {true} to keep the handler registered */
  function handleMessage(stanza) {
    const id = stanza.getAttribute("id") ?? "";
    if (stanza.getAttribute("type") === "error") {
      const signal = sent.get(id);
      if (signal) listener.onRejected(signal, reasonOf(stanza));
    } else {
      const signal = readSignal(stanza);
      if (signal && !(id && isDuplicate(id))) listener.onSignal(signal);
    }
    return true;
  }

  connect();
  return {
    /** @param {Address} to @param {Signal} signal */
    send(to, signal) {
      const id = crypto.randomUUID();
      sent.set(id, signal);
      const [oldest] = sent.keys();
      if (sent.size > QUEUE_MAX && oldest !== undefined) sent.delete(oldest);
      const address = to.device ? `${bare(to.userId)}/${to.device}` : bare(to.userId);
      const people = { callerID: userId, opponentID: to.userId };
      const stanza = writeSignal(address, id, signal, people);
      if (online) connection.send(stanza);
      else if (queue.length < QUEUE_MAX) queue.push(stanza);
    },
    close() {
      closed = true;
      clearTimeout(retry);
      connection.disconnect("signed out");
    },
  };
}

/**
 * @param {string} to @param {string} id @param {Signal} signal
 * @param {{ callerID: string, opponentID: string }} people
 * @returns {Element}
 */
function writeSignal(to, id, signal, people) {
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
    leaf("callerID", people.callerID);
    message.c("opponentsIDs");
    leaf("opponentID", people.opponentID).up();
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
    for (const [name, value] of Object.entries(signal.userInfo)) leaf(name, value);
    message.up();
  }
  return message.tree();
}

/** @param {Element} stanza @returns {IncomingSignal | null} null for any other message */
function readSignal(stanza) {
  const params = child(stanza, "extraParams");
  if (!params || textOf(params, "moduleIdentifier") !== "WebRTCVideoChat") return null;
  const [, userId = "", device = null] =
    /^(\d+)-[^/]+(?:\/(.*))?$/.exec(stanza.getAttribute("from") ?? "") ?? [];
  const callType = textOf(params, "callType");
  const candidates = child(params, "iceCandidates");
  const userInfo = child(params, "userInfo");
  return {
    id: stanza.getAttribute("id") ?? "",
    from: { userId, device },
    signalType: textOf(params, "signalType") ?? "",
    callId: textOf(params, "sessionID") ?? "",
    callType: callType === CALL_TYPES.AUDIO ? "AUDIO" : "VIDEO",
    sdp: textOf(params, "sdp"),
    iceCandidates: candidates && [...candidates.children].map(readCandidate),
    userInfo: userInfo && textsOf(userInfo),
    parameters: textsOf(params),
  };
}

/** @param {Element} element @returns {RTCIceCandidateInit} */
const readCandidate = (element) => ({
  sdpMLineIndex: Number(textOf(element, "sdpMLineIndex") || 0),
  sdpMid: textOf(element, "sdpMid"),
  candidate: textOf(element, "candidate"),
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
