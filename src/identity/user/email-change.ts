import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import { findApplication } from "../application/applications";
import type { Identity } from "../identity";
import { isSpelledOtherwise } from "./email";

/**
 * Checks an e-mail that a user changes to. The old address is told of each change, and anybody's address
 * can be written there first, so a change counts as a mail that was asked for.
 * @throws Fault INVALID when the address is taken, LIMITED
 */
export async function checkNewEmail(
  identity: Identity,
  { applicationId, userId }: UserViewer,
  fresh: string | null | undefined,
  old: string | null,
  ip: string,
): Promise<void> {
  if (identity.deliverEmailChange !== null && old !== null) {
    await identity.limits.address("reset", ip);
    await identity.limits.application("reset", applicationId);
  }
  await refuseSpelling(identity, applicationId, fresh, userId);
}

/** @throws Fault INVALID when somebody else has the address in another spelling */
export async function refuseSpelling(
  identity: Identity,
  applicationId: number,
  email: string | null | undefined,
  userId: number | null,
): Promise<void> {
  if (email === null || email === undefined) return;
  if (await isSpelledOtherwise(identity.store, applicationId, email, userId)) {
    throw Fault.field("email", "has already been taken");
  }
}

/** Whether the application asks for the password before an e-mail changes. */
export async function emailNeedsPassword(
  identity: Identity,
  applicationId: number,
): Promise<boolean> {
  return (await findApplication(identity, applicationId)).emailNeedsPassword;
}

/** Has the old address told of a change, behind the answer. The change stands, whatever becomes of it. */
export async function tellOldEmail(
  identity: Identity,
  applicationId: number,
  email: string | null,
): Promise<void> {
  if (email === null || identity.deliverEmailChange === null) return;
  try {
    await identity.deliverEmailChange({ applicationId, email });
  } catch (error) {
    identity.log.error({ err: error }, "an old address could not be told that the e-mail changed");
  }
}
