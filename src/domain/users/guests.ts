import { Fault } from "../../core/errors";
import { newId } from "../../core/random";
import { PURGE_BATCH } from "../../platform/store/rows/expired-rows";
import type { Application } from "../applications/applications";
import type { User } from "./user";
import { findExpiredGuests, insertGuest } from "./user-change-queries";
import { removeUsers } from "./user-data";
import type { UserDeps } from "./user-deps";
import { checkUserFields } from "./user-fields";

/** Lifetime of a guest and of its session, in milliseconds. */
export const GUEST_TTL_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a temporary user with a generated login and without e-mail or password. The purge deletes it
 * after {@link GUEST_TTL_MS}, even if no session was ever created for it.
 * @throws Fault INVALID for the full name, FORBIDDEN while the application does not accept sign-ups
 */
export async function createGuest(
  deps: UserDeps,
  application: Application,
  fullName: string | null,
): Promise<User> {
  if (!application.signUpOpen) {
    throw new Fault("FORBIDDEN", "This application does not accept sign-ups");
  }
  checkUserFields({ fullName });
  const login = `guest-${newId()}`;
  const now = deps.clock.now();
  const guest = await insertGuest(deps.store, {
    applicationId: application.id,
    login,
    fullName,
    guestUntil: new Date(now + GUEST_TTL_MS),
    createdAt: new Date(now),
  });
  deps.counters.count(application.id, "signUps");
  return guest;
}

/** Deletes expired guests. Idempotent and safe to run concurrently. */
export async function purgeGuests(
  deps: Pick<UserDeps, "store" | "clock" | "sessionEvents" | "userData">,
): Promise<void> {
  const at = new Date(deps.clock.now());
  for (;;) {
    const ids = await findExpiredGuests(deps.store, at);
    if (ids.length > 0) await removeUsers(deps, ids);
    if (ids.length < PURGE_BATCH) return;
  }
}
