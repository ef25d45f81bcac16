import type { Element } from "ltx";
import { ERRORS, type Fault } from "../core/errors";
import { attribute, escapeText } from "./element";
import { CLIENT } from "./xml";

const STANZAS = "urn:ietf:params:xml:ns:xmpp-stanzas";
const STREAMS = "urn:ietf:params:xml:ns:xmpp-streams";

/** Refusals of the chat protocol itself (RFC 6120 section 8.3.3), beside those of the errors table. */
export const REFUSALS = {
  "bad-request": "modify",
  conflict: "cancel",
  "feature-not-implemented": "cancel",
  "item-not-found": "cancel",
  "jid-malformed": "modify",
  "not-allowed": "cancel",
  "remote-server-not-found": "cancel",
  "service-unavailable": "cancel",
} as const;

/** A condition of {@link REFUSALS}. */
export type Refusal = keyof typeof REFUSALS;

/**
 * The answer to a stanza that is refused: same kind and id, addresses the other way round (RFC 6120
 * section 8.3.1).
 * @param stanza as the client sent it
 * @param client the client's full JID, or nothing before it has one
 * @param reason a fault, rendered by the errors table, or a condition of the protocol
 */
export function stanzaError(
  stanza: Element,
  client: string | undefined,
  reason: Fault | Refusal,
): string {
  const known = typeof reason === "string";
  const condition = known ? reason : ERRORS[reason.code].condition;
  const type = known ? REFUSALS[reason] : ERRORS[reason.code].type;
  const text = known
    ? ""
    : `<text xmlns="${STANZAS}" xml:lang="en">${escapeText(reason.message)}</text>`;
  // Clients parse the sender, so what is no address is not sent back as one.
  const from = reason === "jid-malformed" ? undefined : stanza.attrs.to;
  const head =
    attribute("from", from) +
    attribute("to", client) +
    attribute("id", stanza.attrs.id) +
    attribute("type", "error");
  return `<${stanza.name} xmlns="${CLIENT}"${head}><error type="${type}"><${condition} xmlns="${STANZAS}"/>${text}</error></${stanza.name}>`;
}

/** Stream error conditions that are sent (RFC 6120 section 4.9.3). */
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

/** A stream error, after which the stream ends. */
export function streamError(condition: StreamCondition, text?: string): string {
  const words =
    text === undefined ? "" : `<text xmlns="${STREAMS}" xml:lang="en">${escapeText(text)}</text>`;
  return `<stream:error xmlns:stream="http://etherx.jabber.org/streams"><${condition} xmlns="${STREAMS}"/>${words}</stream:error>`;
}
