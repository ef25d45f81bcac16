import type { Application } from "../applications/applications";
import { Fault } from "../core/errors";
import { newId } from "../core/random";
import { PURGE_BATCH } from "../store/expired-rows";
import { toUser, USER_COLUMNS, type User, type UserRow } from "./user";
import { removeUsers } from "./user-data";
import type { UserDeps } from "./user-deps";
import { checkUserFields } from "./user-fields";

/** Lifetime of a guest and of its session, in milliseconds. */
export const GUEST_TTL_MS = 24 * 60 * 60 * 1000;

const CREATE = {
  name: "create_guest",
  text: `WITH u AS (
      INSERT INTO users (application_id, login, login_key, full_name, is_guest, guest_until,
        created_at, updated_at)
      VALUES ($1, $2, $3, $4, true, $5, $6, $6) RETURNING *)
    SELECT ${USER_COLUMNS} FROM u`,
};

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
  const [row] = await deps.store.query<UserRow>(CREATE, [
    application.id,
    login,
    login.toLowerCase(),
    fullName,
    new Date(now + GUEST_TTL_MS),
    new Date(now),
  ]);
  return toUser(row!);
}

const EXPIRED = {
  name: "purge_guests",
  text: `SELECT id FROM users WHERE guest_until <= $1 ORDER BY guest_until LIMIT ${PURGE_BATCH}`,
};

/** Deletes expired guests. Idempotent and safe to run concurrently. */
export async function purgeGuests(
  deps: Pick<UserDeps, "store" | "clock" | "sessionEvents" | "userData">,
): Promise<void> {
  const at = new Date(deps.clock.now());
  for (;;) {
    const guests = await deps.store.query<{ id: number }>(EXPIRED, [at]);
    const ids = guests.map(({ id }) => id);
    if (ids.length > 0) await removeUsers(deps, ids);
    if (ids.length < PURGE_BATCH) return;
  }
}
