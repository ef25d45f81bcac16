/**
 * A call signal as the service carries it from any door to any other (interface.md "Events";
 * docs/SIGNALING.md). The form is lossless: what an XMPP client sent can be written again from it,
 * element for element, save for white space between elements.
 */

/** An XML element that the protocol does not name. */
export interface XmlElement {
  name: string;
  /** Namespace URI; left out where it is the parent's (`jabber:client` at the top). */
  namespace?: string;
  attributes?: Record<string, string>;
  /** Text where the element holds text alone. */
  text?: string;
  /** Child elements; in mixed content a run of text stands among them as an element named `#text`. */
  children?: XmlElement[];
}

/** A JSON value, as userInfo holds it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** One end of a signal: a user of an application, or one device of that user. */
export interface Party {
  applicationId: number;
  userId: number;
  /** The device (the resource of the JID, RFC 7622 section 3.4); absent for all of the user's. */
  resource?: string;
}

/** Name of a user's inbox, and of the channel of notices about it. */
export function inboxOf(party: Party): string {
  return `user:${party.applicationId}:${party.userId}`;
}

/** The signals that the protocol names; any other word of the module passes through unchanged. */
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
/** A word of {@link SIGNAL_TYPES}. */
export type SignalType = (typeof SIGNAL_TYPES)[number];

/** The signals that begin a call or settle it: what else of their sender an inbox holds goes before them. */
const LASTING: readonly string[] = ["call", "accept", "reject", "hangUp"] satisfies SignalType[];

/** Whether a signal begins a call or settles it. */
export function isLasting({ type }: Pick<Signal, "type">): boolean {
  return LASTING.includes(type);
}

/** One ICE candidate (RFC 8839 section 5.1), its parts as sent: an empty sdpMLineIndex means 0. */
export interface IceCandidate {
  sdpMLineIndex?: string;
  sdpMid?: string;
  candidate?: string;
  /** What else the candidate held. */
  extra: XmlElement[];
  /** Names of the parts in the order sent; the usual order when left out. */
  order?: string[];
}

/** A call signal. Of the optional fields a signal has those its type calls for. */
export interface Signal {
  /** The stanza's id, kept from the sender; the router gives one when there is none. */
  id: string;
  /** Stamped by the service, whatever the sender wrote. */
  from: Party;
  to: Party;
  /** The signalType: one of {@link SIGNAL_TYPES}, or an unknown word. */
  type: string;
  sessionId?: string;
  /** `1` for video, `2` for audio; anything else a client sends is an element of `extra`. */
  callType?: string;
  /** Session description, with line ends of CRLF (RFC 8866 section 5). */
  sdp?: string;
  platform?: string;
  /** In a group call the user who began it; a claim of the sender. */
  callerId?: string;
  opponentIds?: string[];
  userInfo?: JsonObject;
  iceCandidates?: IceCandidate[];
  /** What changed, of an `update`: name to value, by the rules of userInfo. */
  parameters?: JsonObject;
  /** Children of extraParams that none of the fields above holds, in the order sent. */
  extra: XmlElement[];
  /** Names of all children of extraParams in the order sent; the usual order when left out. */
  order?: string[];
  /** Children of the message beside extraParams, in the order sent. */
  siblings?: XmlElement[];
  /** How many of the siblings stand before extraParams. */
  lead?: number;
  /** xml:lang of the message (RFC 6120 section 8.1.5). */
  lang?: string;
}
