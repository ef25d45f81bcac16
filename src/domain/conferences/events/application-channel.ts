import { type Log, warnRarely } from "../../../core/log";
import type { Bus } from "../../../platform/bus/bus";

/**
 * The channel of an application's conferences on the bus. Its messages are the ids of conferences that have changed.
 */
export function channelOfConferences(applicationId: number): string {
  return `conferences-of-application:${applicationId}`;
}

/**
 * Tells the subscriptions to an application's conferences, on all nodes, that a conference or its participants have
 * changed; never waits. Best effort: what is lost while the bus cannot be reached is read again by the subscriptions.
 */
export function publishConferenceChange(
  { bus, log }: { bus: Pick<Bus, "publish">; log: Log },
  applicationId: number,
  conferenceId: number,
): void {
  bus.publish(channelOfConferences(applicationId), String(conferenceId)).catch((error: unknown) => {
    warnRarely(log, { err: error }, "failed to publish a changed conference");
  });
}
