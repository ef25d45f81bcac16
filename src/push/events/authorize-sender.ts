import { findApplication } from "../../applications/applications";
import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import type { PushDeps } from "../deps/push-deps";

/**
 * Checks that the application's settings allow the user to send pushes, and applies the rate limit.
 * @throws Fault FORBIDDEN, LIMITED
 */
export async function authorizeSender(push: PushDeps, viewer: UserViewer): Promise<void> {
  const { pushSenders } = await findApplication(push, viewer.applicationId);
  if (pushSenders === "nobody") {
    throw new Fault("FORBIDDEN", "Only the application's owner may send push notifications");
  }
  if (pushSenders === "members" && viewer.kind === "guest") {
    throw new Fault("FORBIDDEN", "Guests may not send push notifications in this application");
  }
  await push.limits.countPush(viewer.userId);
}
