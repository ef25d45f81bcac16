import type { Bus } from "../../bus/bus";
import type { XmlElement } from "../../xml/xml-element";
import { ANSWER_TYPES, type AnswerDetails } from "../signals/device";
import {
  inboxOf,
  type Party,
  type Signal,
  type StanzaContent,
  type StanzaSignal,
} from "../signals/signal";

/**
 * An entry of a user's inbox that is not a signal: a device of the user answered a call. All nodes read an
 * inbox in the same order, so they agree on its effect (inbox-state.ts). The member names are the stored format.
 */
export type AnswerEntry = { mark: "answer" } & AnswerDetails;

/** The contents of an inbox entry. */
export type InboxContent = Signal | AnswerEntry;

/**
 * Encodes the body of an entry: JSON, and after a line feed, which JSON escapes, the raw session description.
 * That is the largest part of a signal, and escaping its line ends in JSON is slow.
 */
export function encodeContent(content: InboxContent): string {
  if (isAnswer(content)) return JSON.stringify(content);
  if ("stanza" in content) return encodeStanza(content);
  const { sdp, ...rest } = content;
  return sdp === undefined ? JSON.stringify(content) : `${JSON.stringify(rest)}\n${sdp}`;
}

/**
 * Encodes a signal of an XMPP client. Of the fields of its header only the sessionID is stored, which the state of
 * an inbox follows; the elements hold the others.
 */
function encodeStanza({ id, from, to, type, callId, stanza }: StanzaSignal): string {
  const sdp = sdpElement(stanza);
  const text = sdp?.text;
  if (!sdp || text === undefined) return JSON.stringify({ id, from, to, type, callId, stanza });
  sdp.text = "";
  const json = JSON.stringify({ id, from, to, type, callId, stanza });
  sdp.text = text;
  return `${json}\n${text}`;
}

/** The first sdp of a stanza. */
function sdpElement({ params }: StanzaContent): XmlElement | undefined {
  return params.children?.find(({ name }) => name === "sdp");
}

/** Decodes the body of an entry. */
export function decodeContent(body: string): InboxContent {
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
  return "mark" in content;
}

/** Appends an answer to a user's inbox. @throws Fault LIMITED or UNAVAILABLE, as `Bus.append` */
export async function writeAnswer(bus: Bus, user: Party, answer: AnswerEntry): Promise<void> {
  await bus.append(inboxOf(user), encodeContent(answer), {
    sender: String(user.userId),
    highPriority: true,
  });
}

/** The answer for the sender's own inbox; undefined for a signal that does not answer a call. */
export function answerOf({ type, callId, from, to }: Signal): AnswerEntry | undefined {
  const answerType = ANSWER_TYPES.find((candidate) => candidate === type);
  if (!answerType || !callId || from.resource === undefined) return undefined;
  return { mark: "answer", callId, answerType, device: from.resource, peer: to };
}
