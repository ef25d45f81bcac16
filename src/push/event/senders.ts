import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import { findApplication } from "../../identity/application/applications";
import type { Push } from "../push";

/**
 * Lets pass who may notify users, as the application's setting has it, and counts it.
 * @throws Fault FORBIDDEN, or LIMITED when the user asks too often
 */
export async function allowSender({ identity }: Push, viewer: UserViewer): Promise<void> {
  const { pushSenders } = await findApplication(identity, viewer.applicationId);
  if (pushSenders === "nobody") {
    throw new Fault("FORBIDDEN", "Only the application's owner may send push notifications");
  }
  if (pushSenders === "members" && viewer.kind === "guest") {
    throw new Fault("FORBIDDEN", "Guests may not send push notifications in this application");
  }
  await identity.limits.sender(viewer.userId);
}
