import { Element } from "ltx";
import type { Party, Signal, StanzaContent, StanzaSignal } from "../../calls/signals/signal";
import { contentToXml, PARAMS, readHeader, writeChildren } from "../../calls/signals/signal-xml";
import { attribute, contentOf, isElement, nodesOf, writeElement } from "../../xml/element";
import { CLIENT_NS } from "../../xml/strict-reader";
import { formatJid } from "./jid";

/** The codec between messages and call signals (docs/SIGNALING-REFERENCE.md). */

/** The attributes of a message that have a place of their own in a signal. */
const KNOWN_ATTRIBUTES: readonly string[] = ["xmlns", "from", "to", "id", "type"];

/**
 * Decodes a message as a call signal.
 * @param message as the strict reader returns it
 * @param from the authenticated sender; the `from` attribute of the message is ignored
 * @param to the recipient
 * @returns undefined for a message that is not a call signal: its type is not headline, or it has no
 *   extraParams with this module's moduleIdentifier and a signalType, both in their plain form
 */
export function decodeSignal(message: Element, from: Party, to: Party): StanzaSignal | undefined {
  if (message.attrs.type !== "headline") return undefined;
  const nodes = nodesOf(message);
  for (const [index, node] of nodes.entries()) {
    if (!(node instanceof Element) || !isElement(node, PARAMS)) continue;
    const children = contentOf(node);
    const header = readHeader(children);
    if (!header) continue;
    const head = attributesOf(node, ["xmlns"]);
    const stanza: StanzaContent = {
      params: `<${PARAMS}${head}>${writeChildren(children)}</${PARAMS}>`,
    };
    const before = nodes.slice(0, index).map(writeElement).join("");
    const after = nodes
      .slice(index + 1)
      .map(writeElement)
      .join("");
    const attributes = attributesOf(message, KNOWN_ATTRIBUTES);
    if (before !== "") stanza.before = before;
    if (after !== "") stanza.after = after;
    if (attributes !== "") stanza.attributes = attributes;
    return { id: message.attrs.id ?? "", from, to, ...header, stanza };
  }
  return undefined;
}

/** Serializes the attributes of an element except for the known ones. */
function attributesOf(element: Element, known: readonly string[]): string {
  return Object.entries(element.attrs)
    .map(([name, value]) => (known.includes(name) ? "" : attribute(name, value)))
    .join("");
}

/**
 * The latest result. A signal is delivered to all devices of a user in a row, so one entry is enough; a
 * WeakMap costs as much as encoding.
 */
let latest: { signal: Signal; domain: string; xml: string } | undefined;

/**
 * Encodes a call signal as a message. The latest result is cached by identity, so the signal must not
 * change afterwards.
 * @param signal from decodeSignal, or checked by checkSignal (calls/signals/check-signal.ts)
 * @param domain of the users' JIDs
 */
export function encodeSignal(signal: Signal, domain: string): string {
  if (latest?.signal === signal && latest.domain === domain) return latest.xml;
  const stanza: StanzaContent =
    "stanza" in signal ? signal.stanza : { params: contentToXml(signal) };
  const { params, before = "", after = "", attributes = "" } = stanza;
  const head =
    attribute("from", formatJid(signal.from, domain)) +
    attribute("to", formatJid(signal.to, domain)) +
    attribute("id", signal.id);
  const xml = `<message xmlns="${CLIENT_NS}" type="headline"${head}${attributes}>${before}${params}${after}</message>`;
  latest = { signal, domain, xml };
  return xml;
}
