import { type Log, warnRarely } from "../../../core/log";
import { newId } from "../../../core/random";
import type { Bus } from "../../../platform/bus/bus";
import type { Party } from "../signals/signal";
import { inboxOf, shortText } from "./bus-keys";

/** How long the node of a connected device may take to answer, in milliseconds. */
const ANSWER_MS = 1_000;
/** Starts a question on an inbox's channel. A node that does not know it takes it for a notice of a new entry. */
const QUESTION = "?";

/** Whether a device of a user is connected, asked of all nodes. */
interface Question {
  /** The device's resource, as {@link shortText} stores it. */
  device: string;
  /** The channel to answer on. */
  reply: string;
}

/**
 * Asks all nodes whether a device of a user is connected. The node that has it answers at once; without an answer within
 * a second it is not connected.
 * @param device the device's resource, as {@link shortText} stores it
 * @throws Fault UNAVAILABLE when the bus cannot be reached
 */
export async function isDeviceConnected(bus: Bus, user: Party, device: string): Promise<boolean> {
  const question: Question = { device, reply: `device:${newId()}` };
  let answer: (connected: boolean) => void = () => undefined;
  const answered = new Promise<boolean>((resolve) => {
    answer = resolve;
  });
  if (!(await bus.haveSubscribers([inboxOf(user)]))[0]) return false;
  // An empty message says that notices may have been missed.
  const unsubscribe = await bus.subscribe(question.reply, (message) => message && answer(true));
  const timer = setTimeout(() => answer(false), ANSWER_MS);
  try {
    await bus.publish(inboxOf(user), QUESTION + JSON.stringify(question));
    return await answered;
  } finally {
    clearTimeout(timer);
    await unsubscribe();
  }
}

/** Whether a notice on an inbox's channel is a question for {@link answerQuestion}. */
export const isQuestion = (message: string): boolean => message.startsWith(QUESTION);

/**
 * Answers a question if it is for one of the devices on this node. Does not throw.
 * @param resources the resources of the devices
 */
export async function answerQuestion(
  { bus, log }: { bus: Bus; log: Log },
  message: string,
  resources: readonly string[],
): Promise<void> {
  const { device, reply } = JSON.parse(message.slice(QUESTION.length)) as Question;
  if (!resources.some((resource) => shortText(resource) === device)) return;
  try {
    await bus.publish(reply, "connected");
  } catch (error) {
    warnRarely(log, { err: error }, "failed to tell another node that a device is connected");
  }
}
