import { publishProgress } from "../delivery/deliveries";
import type { PushDeps } from "../deps/push-deps";
import { stopApplicationEvent } from "../events/event-list";
import type { PushEvent } from "../events/push-event";

/** Stops an event of an application and notifies those who watch it. @throws as {@link stopApplicationEvent} */
export async function stopAndPublish(
  push: PushDeps,
  applicationId: number,
  eventId: string,
  withdraw: boolean,
): Promise<PushEvent> {
  const event = await stopApplicationEvent(push, applicationId, eventId, withdraw);
  await publishProgress(push, event.id);
  return event;
}
