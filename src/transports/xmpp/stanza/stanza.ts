import { Element } from "ltx";
import type { AnsweredCall } from "../../../domain/calls/inbox/subscriber";
import type {
  FieldSignal,
  Party,
  Signal,
  StanzaContent,
  StanzaSignal,
} from "../../../domain/calls/signals/signal";
import {
  contentToElement,
  normalizeSdp,
  PARAMS,
  readHeader,
} from "../../../domain/calls/signals/signal-xml";
import {
  fromLtx,
  fromLtxNode,
  isElement,
  nodesOf,
  writeXml,
} from "../../../platform/xml/ltx-element";
import { CLIENT_NS } from "../../../platform/xml/strict-reader";
import { formatJid } from "./jid";

/**
 * The codec between messages and call signals (docs/SIGNALING-REFERENCE.md). That of extraParams is
 * calls/signals/signal-xml.ts.
 */

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
    const params = fromLtx(node);
    const header = readHeader(params);
    if (!header) continue;
    normalizeSdp(params);
    const stanza: StanzaContent = { params };
    if (index > 0) stanza.before = nodes.slice(0, index).map(fromLtxNode);
    if (index + 1 < nodes.length) stanza.after = nodes.slice(index + 1).map(fromLtxNode);
    const attributes = Object.entries(message.attrs as Record<string, string>).filter(
      ([name]) => !KNOWN_ATTRIBUTES.includes(name),
    );
    if (attributes.length > 0) stanza.attributes = Object.fromEntries(attributes);
    return { id: message.attrs.id ?? "", from, to, ...header, stanza };
  }
  return undefined;
}

/**
 * The latest result. A signal is delivered to all devices of a user in a row, so one entry is enough; a
 * WeakMap costs as much as encoding.
 */
let latest: { signal: Signal; domain: string; xml: string } | undefined;

/**
 * Encodes a call signal as a message. The latest result is cached by identity, so the signal must not
 * change afterwards.
 * @param signal from decodeSignal, or checked by checkSignal (calls/signals/signal-from-input.ts)
 * @param domain of the users' JIDs
 */
export function encodeSignal(signal: Signal, domain: string): string {
  if (latest?.signal === signal && latest.domain === domain) return latest.xml;
  const stanza: StanzaContent =
    "stanza" in signal ? signal.stanza : { params: contentToElement(signal) };
  const { before = [], params, after = [], attributes } = stanza;
  const xml = writeXml({
    name: "message",
    namespace: CLIENT_NS,
    attributes: {
      type: "headline",
      from: formatJid(signal.from, domain),
      to: formatJid(signal.to, domain),
      id: signal.id,
      ...attributes,
    },
    children: [...before, params, ...after],
  });
  latest = { signal, domain, xml };
  return xml;
}

/**
 * The substitute that tells a legacy client that another device answered the call: a `hangUp` from the
 * other party of the call.
 */
export function answeredElsewhereHangUp(answer: AnsweredCall, to: Party): FieldSignal {
  const { cursor, peer, callId, answerType } = answer;
  const { applicationId, userId } = to;
  return {
    id: `answered-${cursor}`,
    ...{ type: "hangUp", from: peer, to: { applicationId, userId }, callId },
    userInfo: { answered_elsewhere: answerType },
    extra: [],
  };
}
