/**
 * A call signal as the service carries it between protocols (docs/SIGNALING-REFERENCE.md). The form is
 * lossless: the stanza of an XMPP client can be restored from it element for element, except for white space
 * between elements.
 */

/** An XML element that is not part of the protocol. */
export interface XmlElement {
  name: string;
  /** Namespace URI; omitted if it is the parent's (`jabber:client` at the top). */
  namespace?: string;
  attributes?: Record<string, string>;
  /** Text of an element without children. */
  text?: string;
  /** Child elements; in mixed content a run of text is an element named `#text`. */
  children?: XmlElement[];
}

/** A JSON value, as userInfo holds it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Sender or recipient of a signal: a user of an application, or one device of that user. */
export interface Party {
  applicationId: number;
  userId: number;
  /** The device: the resource of the JID (RFC 7622 section 3.4); omitted for all devices of the user. */
  resource?: string;
}

/** Name of a user's inbox, and of its notification channel. */
export function inboxOf(party: Party): string {
  return `user:${party.applicationId}:${party.userId}`;
}

/** The signal types of the protocol; other types of the module are forwarded unchanged. */
export const SIGNAL_TYPES = [
  "call",
  "accept",
  "reject",
  "hangUp",
  "iceCandidates",
  "update",
  "iceRestart",
  "iceRestartAccept",
] as const;
/** One of {@link SIGNAL_TYPES}. */
export type SignalType = (typeof SIGNAL_TYPES)[number];

/** The signals that start, answer or end a call. An inbox evicts the sender's other signals before them. */
const CALL_CONTROL: readonly string[] = [
  "call",
  "accept",
  "reject",
  "hangUp",
] satisfies SignalType[];

/** Whether a signal starts, answers or ends a call. */
export function isCallControl({ type }: Pick<Signal, "type">): boolean {
  return CALL_CONTROL.includes(type);
}

/** An ICE candidate (RFC 8839 section 5.1), its parts as sent; an empty sdpMLineIndex means 0. */
export interface IceCandidate {
  sdpMLineIndex?: string;
  sdpMid?: string;
  candidate?: string;
  /** Further child elements. */
  extra: XmlElement[];
  /** Names of the parts in the order sent; the usual order when omitted. */
  order?: string[];
}

/** A call signal. Which optional fields it has depends on its type. */
export interface Signal {
  /** Id of the stanza, from the sender; generated if there is none. */
  id: string;
  /** Set by the service, regardless of what the sender wrote. */
  from: Party;
  to: Party;
  /** The signalType: one of {@link SIGNAL_TYPES}, or an unknown type. */
  type: string;
  sessionId?: string;
  /** `1` for video, `2` for audio; any other value is an element of `extra`. */
  callType?: string;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp?: string;
  platform?: string;
  /** The user who started a group call, as claimed by the sender. */
  callerId?: string;
  opponentIds?: string[];
  userInfo?: JsonObject;
  iceCandidates?: IceCandidate[];
  /** The changed parameters of an `update`, name to value, by the rules of userInfo. */
  parameters?: JsonObject;
  /** Children of extraParams without a field above, in the order sent. */
  extra: XmlElement[];
  /** Names of all children of extraParams in the order sent; the usual order when omitted. */
  order?: string[];
  /** Children of the message other than extraParams, in the order sent. */
  siblings?: XmlElement[];
  /** Number of siblings before extraParams. */
  lead?: number;
  /** xml:lang of the message (RFC 6120 section 8.1.5). */
  lang?: string;
}
