import type { Element } from "ltx";
import { ERRORS, type Fault } from "../../../core/errors";
import { attribute, escapeText } from "../../../platform/xml/ltx-element";
import { CLIENT_NS } from "../../../platform/xml/strict-reader";

const STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas";
const STREAMS = "urn:ietf:params:xml:ns:xmpp-streams";

/** Types of the stanza error conditions (RFC 6120 section 8.3.3) that are not in the errors table. */
export const STANZA_ERROR_TYPES = {
  "bad-request": "modify",
  conflict: "cancel",
  "feature-not-implemented": "cancel",
  "item-not-found": "cancel",
  "jid-malformed": "modify",
  "not-allowed": "cancel",
  "remote-server-not-found": "cancel",
  "service-unavailable": "cancel",
} as const;

/** A stanza error condition of {@link STANZA_ERROR_TYPES}. */
export type StanzaErrorCondition = keyof typeof STANZA_ERROR_TYPES;

/**
 * The error response to a stanza: same kind and id, with swapped addresses (RFC 6120 section 8.3.1).
 * @param stanza as the client sent it
 * @param client the client's full JID; undefined before it has one
 * @param reason a fault, rendered by the errors table, or a condition of the protocol
 */
export function stanzaError(
  stanza: Element,
  client: string | undefined,
  reason: Fault | StanzaErrorCondition,
): string {
  const isCondition = typeof reason === "string";
  const condition = isCondition ? reason : ERRORS[reason.code].condition;
  const type = isCondition ? STANZA_ERROR_TYPES[reason] : ERRORS[reason.code].type;
  const text = isCondition
    ? ""
    : `<text xmlns="${STANZAS}" xml:lang="en">${escapeText(reason.message)}</text>`;
  // Clients parse the `from` address, so an invalid one is not sent back.
  const from = reason === "jid-malformed" ? undefined : stanza.attrs.to;
  const head =
    attribute("from", from) +
    attribute("to", client) +
    attribute("id", stanza.attrs.id) +
    attribute("type", "error");
  return `<${stanza.name} xmlns="${CLIENT_NS}"${head}><error type="${type}"><${condition} xmlns="${STANZAS}"/>${text}</error></${stanza.name}>`;
}

/** Stream error conditions that the service sends (RFC 6120 section 4.9.3). */
export type StreamCondition =
  | "conflict"
  | "connection-timeout"
  | "host-unknown"
  | "internal-server-error"
  | "invalid-namespace"
  | "not-authorized"
  | "not-well-formed"
  | "policy-violation"
  | "resource-constraint"
  | "restricted-xml"
  | "system-shutdown"
  | "unsupported-encoding"
  | "unsupported-stanza-type"
  | "unsupported-version";

/** A stream error. The stream must end after it. */
export function streamError(condition: StreamCondition, text?: string): string {
  const textElement =
    text === undefined ? "" : `<text xmlns="${STREAMS}" xml:lang="en">${escapeText(text)}</text>`;
  return `<stream:error xmlns:stream="http://etherx.jabber.org/streams"><${condition} xmlns="${STREAMS}"/>${textElement}</stream:error>`;
}
