import { Element } from "ltx";
import { checkSignal } from "../../calls/signals/check-signal";
import type {
  IceCandidate,
  JsonObject,
  Party,
  Signal,
  XmlElement,
} from "../../calls/signals/signal";
import { fromElements, toElements } from "../../calls/signals/user-info";
import { ATTRIBUTES, TEXT } from "../../calls/signals/xml-rules";
import { attribute, contentOf, isElement, nodesOf, toEntry, writeXml } from "./element";
import {
  decodeFields,
  decodeParameters,
  encodeFields,
  type FieldCodec,
  fieldCodec,
  mergeInOrder,
} from "./field-codec";
import { formatJid } from "./jid";
import { CLIENT_NS } from "./xml";

/**
 * The codec between stanzas and signals (docs/SIGNALING-REFERENCE.md). Only this file contains the wire names.
 *
 * A child of extraParams becomes a field only in its plain form: no attributes, the client namespace, only
 * text or the expected list, and the first with its name. Any other child stays an element of `extra`, so
 * that it is written again as it was sent.
 */

const MODULE = "WebRTCVideoChat";
const PARAMS = "extraParams";

const plain = ({ namespace, attributes }: XmlElement) => namespace === undefined && !attributes;
const readText = (element: XmlElement) =>
  plain(element) && !element.children ? (element.text ?? "") : undefined;
const readMatch = (pattern: RegExp) => (element: XmlElement) => {
  const text = readText(element);
  return text !== undefined && pattern.test(text) ? text : undefined;
};
const leaf = (name: string, text: string): XmlElement => (text === "" ? { name } : { name, text });
const container = (name: string, children: XmlElement[]): XmlElement =>
  children.length > 0 ? { name, children } : { name };
/** Converts the line ends of a session description to CRLF (RFC 8866 section 5). */
const crlf = (text: string) => (hasCrlf(text) ? text : text.replace(/\r\n|\r|\n/g, "\r\n"));

/** Whether all line ends are CRLF, as in nearly all session descriptions. */
function hasCrlf(text: string): boolean {
  let cr = text.indexOf("\r");
  let lf = text.indexOf("\n");
  while (cr >= 0 && lf === cr + 1) {
    cr = text.indexOf("\r", lf);
    lf = text.indexOf("\n", lf + 1);
  }
  return cr < 0 && lf < 0;
}

/** Reads a list of elements with one name; undefined if any of them cannot be read. */
function readList<T>(
  list: XmlElement,
  name: string,
  read: (element: XmlElement) => T | undefined,
): T[] | undefined {
  if (!plain(list) || list.text !== undefined) return undefined;
  const items: T[] = [];
  for (const child of list.children ?? []) {
    const item = child.name === name ? read(child) : undefined;
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

const candidateCodec = (
  name: "sdpMLineIndex" | "sdpMid" | "candidate",
  read: (element: XmlElement) => string | undefined = readText,
) => fieldCodec<IceCandidate, typeof name>(name, name, read, (text) => leaf(name, text));
const CANDIDATE_CODECS = [
  candidateCodec("sdpMLineIndex", readMatch(/^\d{0,9}$/)),
  candidateCodec("sdpMid"),
  candidateCodec("candidate"),
];

function readCandidate(element: XmlElement): IceCandidate | undefined {
  if (!plain(element)) return undefined;
  const text: XmlElement[] = element.text ? [{ name: TEXT, text: element.text }] : [];
  const { fields, rest, order } = decodeFields(CANDIDATE_CODECS, element.children ?? text);
  return { ...fields, extra: rest, ...(order && { order }) };
}

function writeCandidate(candidate: IceCandidate): XmlElement {
  const typed = encodeFields(CANDIDATE_CODECS, candidate);
  return container("iceCandidate", mergeInOrder(typed, candidate.extra, candidate.order));
}

function readObject(element: XmlElement): JsonObject | undefined {
  if (!plain(element) || element.text !== undefined) return undefined;
  return fromElements(element.children ?? []);
}

const signalCodec = (
  name: string,
  key: "type" | "sessionId" | "callType" | "platform" | "callerId",
  read: (element: XmlElement) => string | undefined = readText,
) => fieldCodec<Signal, typeof key>(name, key, read, (text) => leaf(name, text));

/** In canonical order, which applies unless the signal has an order of its own. */
const SIGNAL_CODECS: FieldCodec<Signal>[] = [
  {
    name: "moduleIdentifier",
    decode: (_into, element) => readText(element) === MODULE,
    encode: () => leaf("moduleIdentifier", MODULE),
  },
  signalCodec("signalType", "type"),
  signalCodec("sessionID", "sessionId"),
  signalCodec("callType", "callType", readMatch(/^[12]$/)),
  fieldCodec<Signal, "sdp">(
    "sdp",
    "sdp",
    (element) => {
      const text = readText(element);
      return text === undefined ? undefined : crlf(text);
    },
    (text) => leaf("sdp", crlf(text)),
  ),
  signalCodec("platform", "platform"),
  signalCodec("callerID", "callerId"),
  fieldCodec<Signal, "opponentIds">(
    "opponentsIDs",
    "opponentIds",
    (element) => readList(element, "opponentID", readText),
    (ids) =>
      container(
        "opponentsIDs",
        ids.map((id) => leaf("opponentID", id)),
      ),
  ),
  fieldCodec<Signal, "iceCandidates">(
    "iceCandidates",
    "iceCandidates",
    (element) => readList(element, "iceCandidate", readCandidate),
    (candidates) => container("iceCandidates", candidates.map(writeCandidate)),
  ),
  fieldCodec<Signal, "userInfo">("userInfo", "userInfo", readObject, (json) =>
    container("userInfo", toElements(json)),
  ),
];
const FIELD_NAMES = new Set(SIGNAL_CODECS.map(({ name }) => name));

/** The unknown attributes, as an ATTRIBUTES entry. */
function extraAttributes(element: Element, known: string[]): XmlElement[] {
  const entries = Object.entries(element.attrs as Record<string, string>);
  const kept = entries.filter(([name]) => !known.includes(name));
  return kept.length > 0 ? [{ name: ATTRIBUTES, attributes: Object.fromEntries(kept) }] : [];
}

/** Finds the extraParams of a call signal: with this module's identifier and a signalType. */
function readParams(message: Element) {
  for (const node of message.children) {
    if (!(node instanceof Element) || !isElement(node, PARAMS)) continue;
    const elements = contentOf(node);
    const first = decodeFields(SIGNAL_CODECS, elements);
    if (!first.decoded.has("moduleIdentifier") || !first.fields.type) continue;
    return { node, elements, first };
  }
  return undefined;
}

/**
 * Decodes a message as a call signal.
 * @param message as xml.ts reads it
 * @param from the authenticated sender; the `from` attribute of the message is ignored
 * @param to the recipient
 * @returns undefined for a message that is not a call signal: its type is not headline, or it has no
 *   extraParams with this module's moduleIdentifier and a signalType, both in their plain form
 */
export function decodeSignal(message: Element, from: Party, to: Party): Signal | undefined {
  if (message.attrs.type !== "headline") return undefined;
  const found = readParams(message);
  if (!found) return undefined;
  const { node, elements, first } = found;
  const update =
    first.fields.type === "update" ? decodeParameters(elements, FIELD_NAMES) : undefined;
  const { fields, rest, order } = update?.decoded.size
    ? decodeFields(SIGNAL_CODECS, elements, update.decoded)
    : first;
  const signal: Signal = {
    id: message.attrs.id ?? "",
    from,
    to,
    type: "",
    ...fields,
    extra: [...extraAttributes(node, ["xmlns"]), ...rest],
  };
  if (update?.decoded.size) signal.parameters = update.parameters;
  if (order) signal.order = order;
  const attributes = extraAttributes(message, ["xmlns", "from", "to", "id", "type", "xml:lang"]);
  const nodes = nodesOf(message);
  const index = nodes.indexOf(node);
  const others = nodes.filter((other) => other !== node).map(toEntry);
  if (attributes.length + others.length > 0) signal.siblings = [...attributes, ...others];
  if (attributes.length + index > 0) signal.lead = attributes.length + index;
  const lang = message.attrs["xml:lang"];
  if (lang !== undefined) signal.lang = lang;
  return signal;
}

/**
 * The latest result. A signal is delivered to all devices of a user in a row, so one entry is enough; a
 * WeakMap costs as much as encoding.
 */
let latest: { signal: Signal; domain: string; xml: string } | undefined;

/**
 * Encodes a call signal as a message. The latest result is cached by identity, so the signal must not
 * change afterwards.
 * @param domain of the users' JIDs
 * @throws Fault INVALID for a signal that XML cannot represent (calls/signals/check-signal.ts)
 */
export function encodeSignal(signal: Signal, domain: string): string {
  if (latest?.signal === signal && latest.domain === domain) return latest.xml;
  checkSignal(signal);
  const typed = encodeFields(SIGNAL_CODECS, signal);
  for (const element of toElements(signal.parameters ?? {})) {
    const same = typed.get(element.name);
    if (same) same.push(element);
    else typed.set(element.name, [element]);
  }
  const extra = signal.extra.filter(({ name }) => name !== ATTRIBUTES);
  const content = mergeInOrder(typed, extra, signal.order).map(writeXml).join("");
  const params = `<${PARAMS}${entryAttributes(signal.extra)}>${content}</${PARAMS}>`;
  const siblings = signal.siblings ?? [];
  const lead = signal.lead ?? 0;
  const write = (entries: XmlElement[]) =>
    entries
      .filter(({ name }) => name !== ATTRIBUTES)
      .map(writeXml)
      .join("");
  const head =
    attribute("from", formatJid(signal.from, domain)) +
    attribute("to", formatJid(signal.to, domain)) +
    attribute("id", signal.id) +
    attribute("xml:lang", signal.lang) +
    entryAttributes(siblings);
  const body = write(siblings.slice(0, lead)) + params + write(siblings.slice(lead));
  const xml = `<message xmlns="${CLIENT_NS}" type="headline"${head}>${body}</message>`;
  latest = { signal, domain, xml };
  return xml;
}

function entryAttributes(entries: XmlElement[]): string {
  const kept = entries.find(({ name }) => name === ATTRIBUTES)?.attributes ?? {};
  return Object.entries(kept)
    .map(([name, value]) => attribute(name, value))
    .join("");
}
