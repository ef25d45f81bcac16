import { Element } from "ltx";
import { checkSignal } from "../calls/check-signal";
import type { IceCandidate, JsonObject, Party, Signal, XmlElement } from "../calls/signal";
import { fromElements, toElements } from "../calls/user-info";
import { ATTRIBUTES, TEXT } from "../calls/xml-form";
import { attribute, contentOf, isElement, nodesOf, toEntry, writeXml } from "./element";
import { formatJid } from "./jid";
import { arrange, put, type Slot, slot, take, takeParameters } from "./slots";
import { CLIENT } from "./xml";

/**
 * Stanza ⇄ Signal (interface.md "Events"; docs/SIGNALING.md). The names of the wire stand here alone.
 *
 * A child of extraParams goes to its field only in its plain form: no attributes, the client
 * namespace, text or the expected list alone, the first of its name. Any other stays an element of
 * `extra`, so that what was sent can be written again.
 */

const MODULE = "WebRTCVideoChat";
const PARAMS = "extraParams";

const plain = ({ namespace, attributes }: XmlElement) => namespace === undefined && !attributes;
const readText = (element: XmlElement) =>
  plain(element) && !element.children ? (element.text ?? "") : undefined;
/** Reads a text that the model has a type for; any other stays an element of `extra`. */
const readMatch = (form: RegExp) => (element: XmlElement) => {
  const text = readText(element);
  return text !== undefined && form.test(text) ? text : undefined;
};
const leaf = (name: string, text: string): XmlElement => (text === "" ? { name } : { name, text });
const holder = (name: string, children: XmlElement[]): XmlElement =>
  children.length > 0 ? { name, children } : { name };
/** Line ends of a session description (RFC 8866 section 5). */
const crlf = (text: string) => (hasCrlf(text) ? text : text.replace(/\r\n|\r|\n/g, "\r\n"));

/** Whether each CR stands before an LF and each LF behind a CR: how nearly all of them come. */
function hasCrlf(text: string): boolean {
  let cr = text.indexOf("\r");
  let lf = text.indexOf("\n");
  while (cr >= 0 && lf === cr + 1) {
    cr = text.indexOf("\r", lf);
    lf = text.indexOf("\n", lf + 1);
  }
  return cr < 0 && lf < 0;
}

/** Reads a list of elements of one name, all or nothing. */
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

const candidateText = (
  name: "sdpMLineIndex" | "sdpMid" | "candidate",
  read: (element: XmlElement) => string | undefined = readText,
) => slot<IceCandidate, typeof name>(name, name, read, (text) => leaf(name, text));
const CANDIDATE_SLOTS = [
  candidateText("sdpMLineIndex", readMatch(/^\d{0,9}$/)),
  candidateText("sdpMid"),
  candidateText("candidate"),
];

function readCandidate(element: XmlElement): IceCandidate | undefined {
  if (!plain(element)) return undefined;
  const text: XmlElement[] = element.text ? [{ name: TEXT, text: element.text }] : [];
  const { fields, rest, order } = take(CANDIDATE_SLOTS, element.children ?? text);
  return { ...fields, extra: rest, ...(order && { order }) };
}

function writeCandidate(candidate: IceCandidate): XmlElement {
  const typed = put(CANDIDATE_SLOTS, candidate);
  return holder("iceCandidate", arrange(typed, candidate.extra, candidate.order));
}

function readObject(element: XmlElement): JsonObject | undefined {
  if (!plain(element) || element.text !== undefined) return undefined;
  return fromElements(element.children ?? []);
}

const signalText = (
  name: string,
  key: "type" | "sessionId" | "callType" | "platform" | "callerId",
  read: (element: XmlElement) => string | undefined = readText,
) => slot<Signal, typeof key>(name, key, read, (text) => leaf(name, text));

/** In the order they are written in when the signal names no other. */
const SIGNAL_SLOTS: Slot<Signal>[] = [
  {
    name: "moduleIdentifier",
    take: (_into, element) => readText(element) === MODULE,
    put: () => leaf("moduleIdentifier", MODULE),
  },
  signalText("signalType", "type"),
  signalText("sessionID", "sessionId"),
  signalText("callType", "callType", readMatch(/^[12]$/)),
  slot<Signal, "sdp">(
    "sdp",
    "sdp",
    (element) => {
      const text = readText(element);
      return text === undefined ? undefined : crlf(text);
    },
    (text) => leaf("sdp", crlf(text)),
  ),
  signalText("platform", "platform"),
  signalText("callerID", "callerId"),
  slot<Signal, "opponentIds">(
    "opponentsIDs",
    "opponentIds",
    (element) => readList(element, "opponentID", readText),
    (ids) =>
      holder(
        "opponentsIDs",
        ids.map((id) => leaf("opponentID", id)),
      ),
  ),
  slot<Signal, "iceCandidates">(
    "iceCandidates",
    "iceCandidates",
    (element) => readList(element, "iceCandidate", readCandidate),
    (candidates) => holder("iceCandidates", candidates.map(writeCandidate)),
  ),
  slot<Signal, "userInfo">("userInfo", "userInfo", readObject, (json) =>
    holder("userInfo", toElements(json)),
  ),
];
const FIELD_NAMES = new Set(SIGNAL_SLOTS.map(({ name }) => name));

/** Attributes beyond those named, as the entry that keeps them. */
function keepAttributes(element: Element, known: string[]): XmlElement[] {
  const entries = Object.entries(element.attrs as Record<string, string>);
  const kept = entries.filter(([name]) => !known.includes(name));
  return kept.length > 0 ? [{ name: ATTRIBUTES, attributes: Object.fromEntries(kept) }] : [];
}

/** The extraParams of a call signal: of this module, and with a signalType. */
function readParams(message: Element) {
  for (const node of message.children) {
    if (!(node instanceof Element) || !isElement(node, PARAMS)) continue;
    const elements = contentOf(node);
    const first = take(SIGNAL_SLOTS, elements);
    if (!first.taken.has("moduleIdentifier") || !first.fields.type) continue;
    return { node, elements, first };
  }
  return undefined;
}

/**
 * Reads a message as a call signal.
 * @param message as xml.ts reads it
 * @param from the sender as the service knows it; what the message says about it does not count
 * @param to whom the message is addressed to
 * @returns undefined for a message that is no call signal: its type is not headline, or it has no
 *   extraParams with this module's moduleIdentifier and a signalType, both in their plain form
 */
export function decodeSignal(message: Element, from: Party, to: Party): Signal | undefined {
  if (message.attrs.type !== "headline") return undefined;
  const found = readParams(message);
  if (!found) return undefined;
  const { node, elements, first } = found;
  const update = first.fields.type === "update" ? takeParameters(elements, FIELD_NAMES) : undefined;
  const { fields, rest, order } = update?.dynamic.size
    ? take(SIGNAL_SLOTS, elements, update.dynamic)
    : first;
  const signal: Signal = {
    id: message.attrs.id ?? "",
    from,
    to,
    type: "",
    ...fields,
    extra: [...keepAttributes(node, ["xmlns"]), ...rest],
  };
  if (update?.dynamic.size) signal.parameters = update.parameters;
  if (order) signal.order = order;
  const attributes = keepAttributes(message, ["xmlns", "from", "to", "id", "type", "xml:lang"]);
  const nodes = nodesOf(message);
  const place = nodes.indexOf(node);
  const others = nodes.filter((other) => other !== node).map(toEntry);
  if (attributes.length + others.length > 0) signal.siblings = [...attributes, ...others];
  if (attributes.length + place > 0) signal.lead = attributes.length + place;
  const lang = message.attrs["xml:lang"];
  if (lang !== undefined) signal.lang = lang;
  return signal;
}

/** What was written last. All devices of a user are served in a row; a WeakMap costs as much as writing. */
let written: { signal: Signal; domain: string; xml: string } | undefined;

/**
 * Writes a call signal as a message. The same signal is written once for however many devices it goes to
 * in a row; it must therefore not change afterwards.
 * @param domain of the users' JIDs
 * @throws Fault INVALID for a signal that XML cannot hold (calls/check-signal.ts)
 */
export function encodeSignal(signal: Signal, domain: string): string {
  if (written?.signal === signal && written.domain === domain) return written.xml;
  checkSignal(signal);
  const typed = put(SIGNAL_SLOTS, signal);
  for (const element of toElements(signal.parameters ?? {})) {
    const same = typed.get(element.name);
    if (same) same.push(element);
    else typed.set(element.name, [element]);
  }
  const extra = signal.extra.filter(({ name }) => name !== ATTRIBUTES);
  const content = arrange(typed, extra, signal.order).map(writeXml).join("");
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
  const xml = `<message xmlns="${CLIENT}" type="headline"${head}>${body}</message>`;
  written = { signal, domain, xml };
  return xml;
}

function entryAttributes(entries: XmlElement[]): string {
  const kept = entries.find(({ name }) => name === ATTRIBUTES)?.attributes ?? {};
  return Object.entries(kept)
    .map(([name, value]) => attribute(name, value))
    .join("");
}
