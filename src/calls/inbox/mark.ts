import type { Bus } from "../../bus/bus";
import { ANSWER_WORDS, type Answer } from "../device";
import { inboxOf, type Party, type Signal } from "../signal";
import { ANSWERS, POSITIONS } from "./lanes";

/**
 * What stands in a user's inbox beside signals and is shown to no client. The inbox is the one thing
 * that every node reads in the same order, so what devices of a user have to agree on is written there.
 */
export type Mark =
  /** A device of the user answered a call, or tried to: the order of the marks decides (story.ts). */
  | ({ mark: "answer" } & Answer)
  /** A device that will acknowledge has nothing after this cursor yet. */
  | { mark: "bound"; device: string; at: string }
  /** A device has everything up to this cursor. */
  | { mark: "acknowledged"; device: string; at: string };

/** What an entry of an inbox holds. */
export type Content = Signal | Mark;

/**
 * Writes the body of an entry: JSON, and behind a line end, which JSON writes otherwise, the session
 * description as it is. That is most of a signal, and its line ends are what JSON takes longest with.
 */
export function writeContent(content: Content): string {
  if (isMark(content) || content.sdp === undefined) return JSON.stringify(content);
  const { sdp, ...rest } = content;
  return `${JSON.stringify(rest)}\n${sdp}`;
}

/** Reads the body of an entry. */
export function readContent(body: string): Content {
  const end = body.indexOf("\n");
  if (end < 0) return JSON.parse(body) as Content;
  const signal = JSON.parse(body.slice(0, end)) as Signal;
  signal.sdp = body.slice(end + 1);
  return signal;
}

/** Whether an entry is no signal. */
export function isMark(content: Content): content is Mark {
  return "mark" in content;
}

/** Writes a mark to a user's inbox. @throws Fault UNAVAILABLE */
export async function writeMark(bus: Bus, user: Party, mark: Mark): Promise<void> {
  const answers = mark.mark === "answer";
  const share = { sender: String(user.userId), lasting: answers };
  await bus.append(inboxOf(user), writeContent(mark), answers ? ANSWERS : POSITIONS, share);
}

/** The mark that a signal leaves in its sender's inbox; undefined for one that answers no call. */
export function answerMark({ type, sessionId, from, to }: Signal): Mark | undefined {
  const word = ANSWER_WORDS.find((each) => each === type);
  if (!word || !sessionId || from.resource === undefined) return undefined;
  return { mark: "answer", sessionId, word, device: from.resource, peer: to };
}
