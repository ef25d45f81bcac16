import type { JsonObject } from "../../../core/json";
import type { XmlElement } from "../../../platform/xml/xml-element";
import type { HEADER_FIELDS, SignalFields } from "./signal-fields";

/** Sender or recipient of a signal: a user of an application, or one device of that user. */
export interface Party {
  applicationId: number;
  userId: number;
  /** The device: the resource of the JID (RFC 7622 section 3.4); omitted for all devices of the user. */
  resource?: string;
}

/** One of {@link HEADER_FIELDS}. */
export type HeaderField = (typeof HEADER_FIELDS)[number];

/** The part of a signal that the router and the call history read. */
export interface SignalHeader extends Pick<SignalFields, HeaderField> {
  /** Id of the stanza, from the sender; generated if there is none. */
  id: string;
  /** Set by the service, regardless of what the sender wrote. */
  from: Party;
  to: Party;
  /** The signalType: one of SIGNAL_TYPES, or an unknown type. */
  type: string;
}

/** What a signal carries: the fields of signal-fields.ts, and elements beside them. */
export interface SignalContent extends SignalFields {
  /** The changed parameters of an `update`, name to value, by the rules of userInfo. */
  parameters?: JsonObject;
  /** Children of extraParams without a field, in the order sent. */
  extra: XmlElement[];
}

/** A signal from GraphQL or REST. It is written as a stanza in canonical order. */
export interface FieldSignal extends SignalHeader, SignalContent {}

/**
 * A signal from an XMPP client: its elements as the strict reader has read them. It reaches XMPP clients with the
 * same elements in the same order; its fields are decoded for GraphQL clients.
 */
export interface StanzaSignal extends SignalHeader {
  stanza: StanzaContent;
}

/** The elements of a message. */
export interface StanzaContent {
  /** The element extraParams. The line ends of its sdp are CRLF. */
  params: XmlElement;
  /** The elements before it; omitted if there are none. */
  before?: XmlElement[];
  /** The elements after it; omitted if there are none. */
  after?: XmlElement[];
  /** Attributes of the message beside its addresses, id and type; omitted if there are none. */
  attributes?: Record<string, string>;
}

/** A call signal as the service stores it (docs/SIGNALING-REFERENCE.md). */
export type Signal = FieldSignal | StanzaSignal;
