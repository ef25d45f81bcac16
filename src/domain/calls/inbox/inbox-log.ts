import { carriedTrace } from "../../../core/tracing";
import type { Bus, InboxEntry } from "../../../platform/bus/bus";
import type { XmlElement } from "../../../platform/xml/xml-element";
import { type Party, type Signal, type StanzaContent, type StanzaSignal } from "../signals/signal";
import { inboxOf } from "./bus-keys";
import { ANSWER_TYPES, type AnswerDetails } from "./subscriber";

/**
 * An entry of a user's inbox that is not a signal: a device of the user answered a call. All nodes read an
 * inbox in the same order, so they agree on its effect (inbox-state.ts). The member names are the stored format.
 */
export type AnswerEntry = { kind: "answer" } & AnswerDetails;

/** The contents of an inbox entry. */
export type InboxContent = Signal | AnswerEntry;

/**
 * The signal that was encoded last, as {@link decodeContent} returns it. A node with a device of the recipient reads an
 * entry as soon as it is written, so one is enough. All who read it share it, so nobody may change it.
 */
let latest: { body: string; signal: Signal } | undefined;

/**
 * Encodes the body of an entry: JSON, and after a line feed, which JSON escapes, the raw session description.
 * That is the largest part of a signal, and escaping its line ends in JSON is slow.
 * @param trace of the sender (core/tracing.ts), a member of the JSON; absent if it is not sampled
 */
export function encodeContent(content: InboxContent, trace?: string): string {
  if (isAnswer(content)) return JSON.stringify({ ...content, trace });
  const signal = "stanza" in content ? storedStanza(content) : content;
  const body = encodeSignal(signal, trace);
  // The reader of an entry takes its trace from it.
  if (trace === undefined) latest = { body, signal };
  return body;
}

function encodeSignal(signal: Signal, trace: string | undefined): string {
  if ("stanza" in signal) return encodeStanza(signal, trace);
  const { sdp, ...rest } = signal;
  const json = JSON.stringify(trace === undefined ? rest : { ...rest, trace });
  return sdp === undefined ? json : `${json}\n${sdp}`;
}

/**
 * What is stored of a signal of an XMPP client: of the fields of its header only the sessionID, which the state of an
 * inbox follows; the elements hold the others.
 */
function storedStanza({ id, from, to, type, callId, stanza }: StanzaSignal): StanzaSignal {
  return { id, from, to, type, ...(callId !== undefined && { callId }), stanza };
}

function encodeStanza(signal: StanzaSignal, trace: string | undefined): string {
  const stored = trace === undefined ? signal : { ...signal, trace };
  const sdp = sdpElement(signal.stanza);
  const text = sdp?.text;
  if (!sdp || text === undefined) return JSON.stringify(stored);
  sdp.text = "";
  const json = JSON.stringify(stored);
  sdp.text = text;
  return `${json}\n${text}`;
}

/** The first sdp of a stanza. */
function sdpElement({ params }: StanzaContent): XmlElement | undefined {
  return params.children?.find(({ name }) => name === "sdp");
}

/** Decodes the body of an entry. */
export function decodeContent(body: string): InboxContent {
  return body === latest?.body ? latest.signal : parseContent(body);
}

function parseContent(body: string): InboxContent {
  const end = body.indexOf("\n");
  if (end < 0) return JSON.parse(body) as InboxContent;
  const signal = JSON.parse(body.slice(0, end)) as Signal;
  const sdp = body.slice(end + 1);
  if (!("stanza" in signal)) signal.sdp = sdp;
  else Object.assign(sdpElement(signal.stanza) ?? {}, { text: sdp });
  return signal;
}

/** Whether an entry is an answer and not a signal. */
export function isAnswer(content: InboxContent): content is AnswerEntry {
  return "kind" in content;
}

/** Appends an answer to a user's inbox. @throws Fault LIMITED or UNAVAILABLE, as `Bus.append` */
export async function writeAnswer(bus: Bus, user: Party, answer: AnswerEntry): Promise<void> {
  await bus.append(inboxOf(user), encodeContent(answer, carriedTrace()), {
    sender: String(user.userId),
    highPriority: true,
  });
}

/** The answer for the sender's own inbox; undefined for a signal that does not answer a call. */
export function toAnswerEntry({ type, callId, from, to }: Signal): AnswerEntry | undefined {
  const answerType = ANSWER_TYPES.find((candidate) => candidate === type);
  if (!answerType || !callId || from.resource === undefined) return undefined;
  return { kind: "answer", callId, answerType, device: from.resource, peer: to };
}

/** A decoded entry of an inbox. */
export interface DecodedEntry {
  cursor: string;
  content: InboxContent;
  /** The trace of the sender, if it is sampled. */
  trace?: string;
}

/** A page of an inbox, in order. */
export interface DecodedPage {
  entries: DecodedEntry[];
  /** See `InboxPage`. */
  complete: boolean;
  /** See `InboxPage`. */
  more: boolean;
}

/** The result of reading a whole inbox. */
export interface InboxEnd {
  /** Cursor of its last entry, even if that is gone; empty if unknown. */
  lastCursor: string;
  /** See `InboxPage`. */
  priorityEvicted: boolean;
}

/** Reads one page of an inbox after a cursor (see `Bus.read`). @throws Fault UNAVAILABLE */
export async function readInboxPage(bus: Bus, inbox: string, after: string): Promise<DecodedPage> {
  const { entries, complete, more } = await bus.read(inbox, after);
  return { entries: entries.map(decodeEntry), complete, more };
}

/**
 * Reads a whole inbox page by page, so that it is never in memory at once.
 * @param take called for each entry
 * @throws Fault UNAVAILABLE
 */
export async function readInbox(
  bus: Bus,
  inbox: string,
  take: (entry: DecodedEntry) => void,
): Promise<InboxEnd> {
  let lastCursor = "";
  let priorityEvicted = false;
  for (;;) {
    const page = await bus.read(inbox, lastCursor);
    for (const entry of page.entries) take(decodeEntry(entry));
    priorityEvicted ||= page.priorityEvicted;
    lastCursor = page.entries.at(-1)?.cursor ?? (lastCursor || page.lastCursor);
    if (!page.more) return { lastCursor, priorityEvicted };
  }
}

function decodeEntry({ cursor, body }: InboxEntry): DecodedEntry {
  const content: InboxContent & { trace?: string } = decodeContent(body);
  const { trace } = content;
  if (trace === undefined) return { cursor, content };
  delete content.trace;
  return { cursor, content, trace };
}
