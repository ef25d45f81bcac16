import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import { findApplication } from "../applications/applications";
import type { UserDeps } from "./user-deps";
import { isEmailVariantTaken } from "./user-queries";

/**
 * Checks a user's new e-mail. The old address is notified of each change, and users may enter any address,
 * so a change counts as a requested mail.
 * @param ip the client's address; null for a backend with an API key, which counts for its application alone
 * @throws Fault INVALID if the address is taken; LIMITED
 */
export async function checkNewEmail(
  deps: UserDeps,
  { applicationId, userId }: Pick<UserViewer, "applicationId" | "userId">,
  newEmail: string | null | undefined,
  oldEmail: string | null,
  ip: string | null,
): Promise<void> {
  if (deps.deliverEmailChange !== null && oldEmail !== null) {
    if (ip !== null) await deps.limits.countForAddress("reset", ip);
    await deps.limits.countForApplication("reset", applicationId);
  }
  await checkEmailVariants(deps, applicationId, newEmail, userId);
}

/** @throws Fault INVALID if another user has the address in a different spelling */
export async function checkEmailVariants(
  deps: UserDeps,
  applicationId: number,
  email: string | null | undefined,
  userId: number | null,
): Promise<void> {
  if (email === null || email === undefined) return;
  if (await isEmailVariantTaken(deps.store, applicationId, email, userId)) {
    throw Fault.field("email", "has already been taken");
  }
}

/** Returns whether the application requires the password for a change of the e-mail. */
export async function emailNeedsPassword(deps: UserDeps, applicationId: number): Promise<boolean> {
  return (await findApplication(deps, applicationId)).emailNeedsPassword;
}

/** Notifies the old address of a change. Best effort: a failure is only logged. */
export async function notifyOldEmail(
  deps: UserDeps,
  { applicationId, userId }: Pick<UserViewer, "applicationId" | "userId">,
  email: string | null,
): Promise<void> {
  if (email === null || deps.deliverEmailChange === null) return;
  try {
    await deps.deliverEmailChange({ applicationId, userId, email });
  } catch (error) {
    deps.log.error({ err: error }, "an old e-mail address could not be notified of its change");
  }
}
