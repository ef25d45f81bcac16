import { hash } from "node:crypto";
import { type Bus, UNREMEMBERED } from "../../bus/bus";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import { inboxOf, type Party, type Signal } from "../signal";
import { answerMark, type Mark, writeContent, writeMark } from "./mark";
import { readStory } from "./story";

type AnswerMark = Extract<Mark, { mark: "answer" }>;

/**
 * Leaves the mark of an answer in its sender's own inbox, for the sender's other devices. The first
 * `accept` of a call wins; another device's is refused as long as the first one has neither hung up nor
 * declined. It is decided before the `accept` is passed on, within the minute that an inbox remembers; a
 * mark that cannot be written or read stops no signal.
 * @throws Fault CONFLICT when the call was answered on another device
 */
export async function claimAnswer(parts: { bus: Bus; log: Log }, signal: Signal): Promise<void> {
  const mark = answerMark(signal);
  if (mark?.mark !== "answer") return;
  let holder: string | undefined;
  try {
    const claimed = await claim(parts.bus, signal.from, mark);
    holder = claimed.holder;
    // A repeated `accept` says nothing new, and one that is refused nothing at all.
    const told = mark.word !== "accept" || (claimed.entered && holder === mark.device);
    if (told) await writeMark(parts.bus, signal.from, mark);
  } catch (error) {
    // A full inbox is a client's doing.
    const level = error instanceof Fault ? "info" : "warn";
    parts.log[level]({ err: error }, "an answer was not marked");
  }
  if (mark.word === "accept" && holder !== undefined && holder !== mark.device) {
    throw new Fault("CONFLICT", "The call was answered on another device");
  }
}

/**
 * Enters an answer where the answers of this user to this call stand by themselves, so that who has
 * accepted is a matter of a few entries, however many signals the user's inbox holds. The order of the
 * entries decides; what changes nothing is not entered. Nothing is left of them after their minute, since
 * a sessionID is a client's word, and as many can be answered as it makes up.
 * @returns the device that has accepted, if any, and whether the answer was entered
 */
async function claim(
  bus: Bus,
  user: Party,
  mark: AnswerMark,
): Promise<{ holder: string | undefined; entered: boolean }> {
  const log = claimsOf(user, mark.sessionId);
  const holder = (await readStory(bus, log)).holder(mark.sessionId);
  const changes = mark.word === "accept" ? holder === undefined : holder === mark.device;
  if (!changes) return { holder, entered: false };
  await bus.append(log, writeContent(mark), UNREMEMBERED);
  if (mark.word !== "accept") return { holder: undefined, entered: true };
  return { holder: (await readStory(bus, log)).holder(mark.sessionId), entered: true };
}

/** Name of the log of a user's answers to a call; a sessionID is any text. */
function claimsOf(user: Party, sessionId: string): string {
  return `answers:${inboxOf(user)}:${hash("sha256", sessionId, "base64url")}`;
}
