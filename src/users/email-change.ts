import { findApplication } from "../applications/applications";
import { Fault } from "../core/errors";
import type { UserViewer } from "../core/viewer";
import type { Identity } from "../identity/identity";
import { isEmailVariantTaken } from "./find-user";

/**
 * Checks a user's new e-mail. The old address is notified of each change, and users may enter any address,
 * so a change counts as a requested mail.
 * @throws Fault INVALID if the address is taken; LIMITED
 */
export async function checkNewEmail(
  identity: Identity,
  { applicationId, userId }: UserViewer,
  newEmail: string | null | undefined,
  oldEmail: string | null,
  ip: string,
): Promise<void> {
  if (identity.deliverEmailChange !== null && oldEmail !== null) {
    await identity.limits.countForAddress("reset", ip);
    await identity.limits.countForApplication("reset", applicationId);
  }
  await checkEmailVariants(identity, applicationId, newEmail, userId);
}

/** @throws Fault INVALID if another user has the address in a different spelling */
export async function checkEmailVariants(
  identity: Identity,
  applicationId: number,
  email: string | null | undefined,
  userId: number | null,
): Promise<void> {
  if (email === null || email === undefined) return;
  if (await isEmailVariantTaken(identity.store, applicationId, email, userId)) {
    throw Fault.field("email", "has already been taken");
  }
}

/** Returns whether the application requires the password for a change of the e-mail. */
export async function emailNeedsPassword(
  identity: Identity,
  applicationId: number,
): Promise<boolean> {
  return (await findApplication(identity, applicationId)).emailNeedsPassword;
}

/** Notifies the old address of a change. Best effort: a failure is only logged. */
export async function notifyOldEmail(
  identity: Identity,
  applicationId: number,
  email: string | null,
): Promise<void> {
  if (email === null || identity.deliverEmailChange === null) return;
  try {
    await identity.deliverEmailChange({ applicationId, email });
  } catch (error) {
    identity.log.error({ err: error }, "an old e-mail address could not be notified of its change");
  }
}
