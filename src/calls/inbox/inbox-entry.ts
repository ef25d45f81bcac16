import type { Bus } from "../../bus/bus";
import { ANSWER_TYPES, type AnswerDetails } from "../signals/device";
import { inboxOf, type Party, type Signal } from "../signals/signal";

/**
 * An entry of a user's inbox that is not a signal: a device of the user answered a call. All nodes read an
 * inbox in the same order, so they agree on its effect (inbox-state.ts). The member names are the stored format.
 */
export type AnswerEntry = { mark: "answer" } & AnswerDetails;

/** The contents of an inbox entry. */
export type InboxContent = Signal | AnswerEntry;

/**
 * Encodes the body of an entry: JSON, and after a line feed, which JSON escapes, the largest part of a signal as
 * raw text, since escaping its line ends in JSON is slow: the extraParams of a stanza, or the session description.
 */
export function encodeContent(content: InboxContent): string {
  if (isAnswer(content)) return JSON.stringify(content);
  if ("stanza" in content) {
    const { id, from, to, type, sessionId } = content;
    const { params, ...stanza } = content.stanza;
    return `${JSON.stringify({ id, from, to, type, sessionId, stanza })}\n${params}`;
  }
  const { sdp, ...rest } = content;
  return sdp === undefined ? JSON.stringify(content) : `${JSON.stringify(rest)}\n${sdp}`;
}

/** Decodes the body of an entry. */
export function decodeContent(body: string): InboxContent {
  const end = body.indexOf("\n");
  if (end < 0) return JSON.parse(body) as InboxContent;
  const signal = JSON.parse(body.slice(0, end)) as Signal;
  const raw = body.slice(end + 1);
  if ("stanza" in signal) signal.stanza.params = raw;
  else signal.sdp = raw;
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
export function answerOf({ type, sessionId, from, to }: Signal): AnswerEntry | undefined {
  const word = ANSWER_TYPES.find((candidate) => candidate === type);
  if (!word || !sessionId || from.resource === undefined) return undefined;
  return { mark: "answer", sessionId, word, device: from.resource, peer: to };
}
