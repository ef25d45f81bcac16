import { CoalescingQueue, changedBatches } from "../../bus/coalescing-queue";
import type { HistoryDeps } from "./history-deps";
import type { RecordedCall } from "./recorded-calls";

const channelOf = (applicationId: number) => `calls-of-application:${applicationId}`;

/** What a message on the bus says of an application's calls. */
interface ChangedCalls {
  /** Calls in a new state. */
  changed: number[];
  /** Calls with new signals. */
  seen: number[];
}

/**
 * Publishes changed calls to the subscriptions of owners, on all nodes: one message of ids for each application, however
 * many owners subscribe.
 * @param seen calls with new signals in their time lines
 */
export async function publishApplicationChanges(
  { bus, log }: Pick<HistoryDeps, "bus" | "log">,
  changed: readonly RecordedCall[],
  seen: readonly RecordedCall[],
): Promise<void> {
  const byApplication = new Map<number, ChangedCalls>();
  const messageOf = (applicationId: number) => {
    const message = byApplication.get(applicationId) ?? { changed: [], seen: [] };
    byApplication.set(applicationId, message);
    return message;
  };
  for (const { id, applicationId } of changed) messageOf(applicationId).changed.push(id);
  for (const { id, applicationId } of seen) messageOf(applicationId).seen.push(id);
  try {
    await Promise.all(
      [...byApplication].map(([applicationId, message]) =>
        bus.publish(channelOf(applicationId), JSON.stringify(message)),
      ),
    );
  } catch (error) {
    // Best effort, as for the participants.
    log.warn({ err: error }, "failed to publish changed calls to owners");
  }
}

/** What a subscription of an owner watches. */
export interface ApplicationWatch<T> {
  applicationId: number;
  /** The only call to watch, also for new signals; null for every call, for its states. */
  callId: number | null;
  /** Finds the calls to deliver first, and again when changes may have been missed. */
  present(): Promise<number[]>;
  /** Loads calls of the application. */
  load(ids: number[]): Promise<T[]>;
}

/**
 * Yields the present calls of a watch, then each as it changes, in batches. A slow subscriber gets the last state of
 * each.
 */
export async function watchApplicationCalls<T>(
  { bus, log }: Pick<HistoryDeps, "bus" | "log">,
  { applicationId, callId, present, load }: ApplicationWatch<T>,
): Promise<AsyncIterableIterator<T[]>> {
  let unsubscribe: () => Promise<void> = async () => undefined;
  const queue = new CoalescingQueue(() => void unsubscribe());
  const addPresent = async () => {
    for (const id of await present()) queue.add(id);
  };
  unsubscribe = await bus.subscribe(channelOf(applicationId), (message) => {
    if (message === "") {
      addPresent().catch((error) =>
        log.warn({ err: error }, "failed to read the calls that owners watch"),
      );
      return;
    }
    const { changed, seen } = JSON.parse(message) as ChangedCalls;
    const ids = callId === null ? changed : [...changed, ...seen].filter((id) => id === callId);
    for (const id of ids) queue.add(id);
  });
  try {
    await addPresent();
  } catch (error) {
    queue.close();
    throw error;
  }
  return changedBatches(queue, load);
}
