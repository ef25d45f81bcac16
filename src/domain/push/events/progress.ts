import { warnRarely } from "../../../core/log";
import type { PushDeps } from "../deps/push-deps";

/** Channel of the bus about the progress of an event; see {@link publishProgress}. */
export const progressChannel = (eventId: number) => `push:progress:${eventId}`;

/**
 * Notifies those who watch an event, on any node, that it has changed. Best effort: they also look at intervals.
 * @param deliveries ids of deliveries that were attempted
 */
export function publishProgress(
  push: Pick<PushDeps, "bus" | "log">,
  eventId: number,
  deliveries: number[] = [],
): Promise<void> {
  return publishPushNotice(push, progressChannel(eventId), JSON.stringify(deliveries));
}

/** Publishes a notice about a push. It never throws: clients can still query what it is about. */
export async function publishPushNotice(
  { bus, log }: Pick<PushDeps, "bus" | "log">,
  channel: string,
  message: string,
): Promise<void> {
  try {
    await bus.publish(channel, message);
  } catch (error) {
    warnRarely(log, { err: error }, "failed to notify clients of the progress of a push");
  }
}
