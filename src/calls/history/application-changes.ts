import { type Watch, watchChanges } from "../../bus/watch-changes";
import { warnRarely } from "../../core/log";
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
    // Best effort, as for the participants. Subscriptions find what is lost when they compare.
    warnRarely(log, { err: error }, "failed to publish changed calls to owners");
  }
}

/** What a subscription of an owner watches. */
export interface ApplicationWatch<T> extends Pick<Watch<T>, "present" | "stale" | "load"> {
  applicationId: number;
  /** The only call to watch, also for new signals; null for every call, for its states. */
  callId: number | null;
}

/** Yields the present calls of a watch, then each as it changes, in batches. */
export function watchApplicationCalls<T>(
  deps: Pick<HistoryDeps, "bus" | "log">,
  { applicationId, callId, ...watch }: ApplicationWatch<T>,
): Promise<AsyncIterableIterator<T[]>> {
  return watchChanges(deps, {
    ...watch,
    channel: channelOf(applicationId),
    changedBy(message) {
      const { changed, seen } = JSON.parse(message) as ChangedCalls;
      return callId === null ? changed : [...changed, ...seen].filter((id) => id === callId);
    },
  });
}
