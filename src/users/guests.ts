import type { Application } from "../applications/applications";
import { Fault } from "../core/errors";
import { newId } from "../core/random";
import type { Identity } from "../identity/identity";
import { toUser, USER_COLUMNS, type User, type UserRow } from "./user";
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
  identity: Identity,
  application: Application,
  fullName: string | null,
): Promise<User> {
  if (!application.signUpOpen) {
    throw new Fault("FORBIDDEN", "This application does not accept sign-ups");
  }
  checkUserFields({ fullName });
  const login = `guest-${newId()}`;
  const now = identity.clock.now();
  const [row] = await identity.store.query<UserRow>(CREATE, [
    application.id,
    login,
    login.toLowerCase(),
    fullName,
    new Date(now + GUEST_TTL_MS),
    new Date(now),
  ]);
  return toUser(row!);
}
