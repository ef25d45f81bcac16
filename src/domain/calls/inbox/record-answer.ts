import type { Clock } from "../../../core/clock";
import { Fault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type { Bus } from "../../../platform/bus/bus";
import type { Party, Signal } from "../signals/signal";
import { acceptedAtKey, acceptedKey, shortText } from "./bus-keys";
import { type AnswerEntry, toAnswerEntry, writeAnswer } from "./inbox-log";

/** What recording an answer has found. */
export interface RecordedAnswer {
  /**
   * Whether it concerns the user's part in the call whatever the name of the device: the device is the one that has
   * accepted, or has taken over from one that is no longer connected, as a client does that signs in again.
   */
  ofUser: boolean;
}

/**
 * How long a device that has accepted counts as connected even if it is not, in milliseconds: an application that a push
 * has woken may answer before its connection is open.
 */
export const CONNECTING_MS = 10_000;

interface AnswerDeps {
  bus: Bus;
  clock: Clock;
  log: Log;
  /**
   * Whether a device of a user is connected.
   * @param device its resource, as {@link shortText} stores it
   */
  isDeviceConnected(user: Party, device: string): Promise<boolean>;
}

/** The effect of an answer: the first one notifies the user's other devices; another device may have accepted. */
type Claim = "first" | "repeat" | "conflict";

/**
 * Writes an answer to its sender's own inbox, for the sender's other devices. The first `accept` of a call
 * wins: an `accept` of another device is refused until the first device hangs up, declines, or is no longer
 * connected. This is decided before the `accept` is delivered, and within the TTL of an inbox. If the answer cannot
 * be written or read, the signal is delivered nevertheless.
 * @throws Fault CONFLICT when the call was answered on another device
 */
export async function recordAnswer(deps: AnswerDeps, signal: Signal): Promise<RecordedAnswer> {
  const answer = toAnswerEntry(signal);
  let ofUser = false;
  let claim: Claim | undefined;
  try {
    if (signal.type === "hangUp") ofUser = await concernsUser(deps, signal);
    if (!answer) return { ofUser };
    claim = await claimCall(deps, signal.from, answer);
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
  return { ofUser };
}

/** Records the device that has accepted a call, or that it no longer does, as one value on the bus. */
async function claimCall(deps: AnswerDeps, user: Party, answer: AnswerEntry): Promise<Claim> {
  const { values } = deps.bus;
  const key = acceptedKey(user, answer.callId);
  const device = shortText(answer.device);
  if (answer.answerType !== "accept") {
    await values.deleteIf(key, device);
    return "first";
  }
  let acceptedBy = await values.setIfAbsent(key, device);
  if (acceptedBy === device) return "repeat";
  if (acceptedBy !== undefined && (await isGone(deps, user, answer.callId, acceptedBy))) {
    await values.deleteIf(key, acceptedBy);
    acceptedBy = await values.setIfAbsent(key, device);
  }
  if (acceptedBy !== undefined) return "conflict";
  await values.set(acceptedAtKey(user, answer.callId), String(deps.clock.now()));
  return "first";
}

/** Whether the device that has accepted a call is no longer connected. */
async function isGone(
  { bus, clock, isDeviceConnected }: AnswerDeps,
  user: Party,
  callId: string,
  acceptedBy: string,
): Promise<boolean> {
  const acceptedAt = await bus.values.get(acceptedAtKey(user, callId));
  if (acceptedAt === undefined || clock.now() - Number(acceptedAt) < CONNECTING_MS) return false;
  return !(await isDeviceConnected(user, acceptedBy));
}

/** Whether a `hangUp` is from, or to, the device that has accepted the call, or to one that has taken over from it. */
async function concernsUser(deps: AnswerDeps, { from, to, callId }: Signal): Promise<boolean> {
  if (!callId) return false;
  for (const { resource, ...user } of [from, to]) {
    if (resource === undefined) continue;
    const acceptedBy = await deps.bus.values.get(acceptedKey(user, callId));
    if (acceptedBy === undefined) continue;
    return acceptedBy === shortText(resource) || (await isGone(deps, user, callId, acceptedBy));
  }
  return false;
}
