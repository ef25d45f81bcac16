import { hash } from "node:crypto";
import { type Bus, UNTRACKED } from "../../bus/bus";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import { inboxOf, type Party, type Signal } from "../signals/signal";
import {
  answerEntryOf,
  type ControlEntry,
  encodeContent,
  writeControlEntry,
} from "./control-entry";
import { readInboxState } from "./inbox-state";

type AnswerEntry = Extract<ControlEntry, { mark: "answer" }>;

/**
 * Writes an answer to its sender's own inbox, for the sender's other devices. The first `accept` of a call
 * wins: an `accept` of another device is refused until the first device hangs up or declines. This is decided
 * before the `accept` is delivered, and within the TTL of an inbox. If the answer cannot be written or read,
 * the signal is delivered nevertheless.
 * @throws Fault CONFLICT when the call was answered on another device
 */
export async function claimAnswer(deps: { bus: Bus; log: Log }, signal: Signal): Promise<void> {
  const answer = answerEntryOf(signal);
  if (answer?.mark !== "answer") return;
  let acceptedBy: string | undefined;
  try {
    const claim = await claimCall(deps.bus, signal.from, answer);
    acceptedBy = claim.acceptedBy;
    // Other devices are not notified of a repeated or refused `accept`.
    const isNews = answer.word !== "accept" || (claim.appended && acceptedBy === answer.device);
    if (isNews) await writeControlEntry(deps.bus, signal.from, answer);
  } catch (error) {
    // A Fault, such as a full inbox, can be caused by a client.
    const level = error instanceof Fault ? "info" : "warn";
    deps.log[level]({ err: error }, "failed to record an answer");
  }
  if (answer.word === "accept" && acceptedBy !== undefined && acceptedBy !== answer.device) {
    throw new Fault("CONFLICT", "The call was answered on another device");
  }
}

/**
 * Appends an answer to a separate log of this user's answers to this call, so that finding the accepting
 * device takes a few entries, whatever the size of the user's inbox. The order of the entries decides; an
 * answer without an effect is not appended. The log is untracked, since clients choose sessionIDs and can
 * make up any number.
 * @returns the device that has accepted, if any, and whether the answer was appended
 */
async function claimCall(
  bus: Bus,
  user: Party,
  answer: AnswerEntry,
): Promise<{ acceptedBy: string | undefined; appended: boolean }> {
  const log = answerLogOf(user, answer.sessionId);
  const readAcceptedBy = async () => (await readInboxState(bus, log)).acceptedBy(answer.sessionId);
  const acceptedBy = await readAcceptedBy();
  const hasEffect =
    answer.word === "accept" ? acceptedBy === undefined : acceptedBy === answer.device;
  if (!hasEffect) return { acceptedBy, appended: false };
  await bus.append(log, encodeContent(answer), UNTRACKED);
  if (answer.word !== "accept") return { acceptedBy: undefined, appended: true };
  return { acceptedBy: await readAcceptedBy(), appended: true };
}

/** Name of the log of a user's answers to a call. The sessionID is hashed, since it is any text. */
function answerLogOf(user: Party, sessionId: string): string {
  return `answers:${inboxOf(user)}:${hash("sha256", sessionId, "base64url")}`;
}
