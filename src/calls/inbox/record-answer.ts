import type { Bus } from "../../bus/bus";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import type { Party, Signal } from "../signals/signal";
import { acceptedKey, shortText } from "./bus-keys";
import { type AnswerEntry, toAnswerEntry, writeAnswer } from "./inbox-log";

/** The effect of an answer: the first one notifies the user's other devices; another device may have accepted. */
type Claim = "first" | "repeat" | "conflict";

/**
 * Writes an answer to its sender's own inbox, for the sender's other devices. The first `accept` of a call
 * wins: an `accept` of another device is refused until the first device hangs up or declines. This is decided
 * before the `accept` is delivered, and within the TTL of an inbox. If the answer cannot be written or read,
 * the signal is delivered nevertheless.
 * @throws Fault CONFLICT when the call was answered on another device
 */
export async function recordAnswer(deps: { bus: Bus; log: Log }, signal: Signal): Promise<void> {
  const answer = toAnswerEntry(signal);
  if (!answer) return;
  let claim: Claim | undefined;
  try {
    claim = await claimCall(deps.bus, signal.from, answer);
    // Other devices are not notified of a repeated or refused `accept`.
    if (claim === "first") await writeAnswer(deps.bus, signal.from, answer);
  } catch (error) {
    // A Fault, such as a full inbox, can be caused by a client.
    const level = error instanceof Fault ? "info" : "warn";
    deps.log[level]({ err: error }, "failed to record an answer");
  }
  if (claim === "conflict") {
    throw new Fault("CONFLICT", "The call was answered on another device");
  }
}

/** Records the device that has accepted a call, or that it no longer does, as one value on the bus. */
async function claimCall(bus: Bus, user: Party, answer: AnswerEntry): Promise<Claim> {
  const key = acceptedKey(user, answer.callId);
  const device = shortText(answer.device);
  if (answer.answerType !== "accept") {
    await bus.values.deleteIf(key, device);
    return "first";
  }
  const acceptedBy = await bus.values.setIfAbsent(key, device);
  if (acceptedBy === undefined) return "first";
  return acceptedBy === device ? "repeat" : "conflict";
}
