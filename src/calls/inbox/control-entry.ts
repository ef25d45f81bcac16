import type { Bus, SenderShare } from "../../bus/bus";
import { ANSWER_TYPES, type AnswerDetails } from "../signals/device";
import { inboxOf, type Party, type Signal } from "../signals/signal";
import { ACKNOWLEDGEMENTS_PARTITION, ANSWERS_PARTITION } from "./partitions";

/**
 * An entry of a user's inbox that is not a signal and is never sent to a client. All nodes read an inbox in
 * the same order, so the state that a user's devices have to agree on is kept there. The member names are the
 * stored format.
 */
export type ControlEntry =
  /** A device of the user answered a call, or tried to; the order of the entries decides (inbox-state.ts). */
  | ({ mark: "answer" } & AnswerDetails)
  /** A device that will acknowledge has received nothing after this cursor. */
  | { mark: "bound"; device: string; at: string }
  /** A device has received everything up to this cursor. */
  | { mark: "acknowledged"; device: string; at: string };

/** The contents of an inbox entry. */
export type InboxContent = Signal | ControlEntry;

/**
 * Encodes the body of an entry: JSON, and after a line feed, which JSON escapes, the raw session description.
 * That is the largest part of a signal, and escaping its line ends in JSON is slow.
 */
export function encodeContent(content: InboxContent): string {
  if (isControlEntry(content) || content.sdp === undefined) return JSON.stringify(content);
  const { sdp, ...rest } = content;
  return `${JSON.stringify(rest)}\n${sdp}`;
}

/** Decodes the body of an entry. */
export function decodeContent(body: string): InboxContent {
  const end = body.indexOf("\n");
  if (end < 0) return JSON.parse(body) as InboxContent;
  const signal = JSON.parse(body.slice(0, end)) as Signal;
  signal.sdp = body.slice(end + 1);
  return signal;
}

/** Whether an entry is a control entry and not a signal. */
export function isControlEntry(content: InboxContent): content is ControlEntry {
  return "mark" in content;
}

/** Appends a control entry to a user's inbox. @throws Fault LIMITED or UNAVAILABLE, as `Bus.append` */
export async function writeControlEntry(bus: Bus, user: Party, entry: ControlEntry): Promise<void> {
  const isAnswer = entry.mark === "answer";
  const share: SenderShare = { sender: String(user.userId), highPriority: isAnswer };
  await bus.append(
    inboxOf(user),
    encodeContent(entry),
    isAnswer ? ANSWERS_PARTITION : ACKNOWLEDGEMENTS_PARTITION,
    share,
  );
}

/** The control entry for the sender's own inbox; undefined for a signal that does not answer a call. */
export function answerEntryOf({ type, sessionId, from, to }: Signal): ControlEntry | undefined {
  const word = ANSWER_TYPES.find((candidate) => candidate === type);
  if (!word || !sessionId || from.resource === undefined) return undefined;
  return { mark: "answer", sessionId, word, device: from.resource, peer: to };
}
