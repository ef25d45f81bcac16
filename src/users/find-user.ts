import { emailKey, emailKeys } from "../core/text/email";
import { parseId } from "../core/text/ids";
import type { Store } from "../store/store";
import { toUser, USER_COLUMNS, type User, type UserRow } from "./user";
import type { UserDeps } from "./user-deps";

const statement = (name: string, condition: string) => ({
  name,
  text: `SELECT ${USER_COLUMNS} FROM users u WHERE u.application_id = $1 AND ${condition}`,
});
const BY = {
  id: statement("user_by_id", "u.id = $2"),
  login: statement("user_by_login", "u.login_key = $2"),
  email: statement(
    "user_by_email",
    "u.email_key = ANY($2::text[]) ORDER BY array_position($2::text[], u.email_key) LIMIT 1",
  ),
  // Several profiles may contain the same id; the lowest user id wins.
  facebookId: statement("user_by_facebook_id", "u.facebook_id = $2 ORDER BY u.id LIMIT 1"),
  twitterId: statement("user_by_twitter_id", "u.twitter_id = $2 ORDER BY u.id LIMIT 1"),
  externalId: statement(
    "user_by_external_id",
    `(u.external_id = $2 OR u.external_user_id = $2)
      ORDER BY (u.external_id = $2) IS TRUE DESC LIMIT 1`,
  ),
};

/**
 * The key of a look-up of one user. If several users have the same Facebook or Twitter id, the lowest user
 * id wins. An external id matches `external_id` before `external_user_id`.
 */
export type UserKey =
  | { id: string }
  | { login: string }
  | { email: string }
  | { facebookId: string }
  | { twitterId: string }
  | { externalId: string };

/** Finds a user of an application by one indexed read; null if there is none. */
export async function findUser(
  { store }: Pick<UserDeps, "store">,
  applicationId: number,
  key: UserKey,
): Promise<User | null> {
  const [field, text] = Object.entries(key)[0] as [keyof typeof BY, string];
  const value = operandOf(field, text);
  if (value === null) return null;
  const [row] = await store.query<UserRow>(BY[field], [applicationId, value]);
  return row ? toUser(row) : null;
}

const BY_IDS = {
  name: "users_by_id",
  text: `SELECT ${USER_COLUMNS} FROM users u WHERE u.id = ANY($1::bigint[])`,
};

/** Finds users of any application by their ids, in one indexed read. Deleted users are absent. */
export async function findUsersById(
  { store }: Pick<UserDeps, "store">,
  ids: readonly number[],
): Promise<Map<number, User>> {
  const rows = await store.query<UserRow>(BY_IDS, [[...new Set(ids)]]);
  return new Map(rows.map((row) => [row.u_id, toUser(row)]));
}

/** The value that the column of a key is compared with; null if no user can match. */
function operandOf(field: keyof typeof BY, text: string): number | string | string[] | null {
  if (field === "id") return parseId(text);
  if (field === "login") return text.toLowerCase();
  return field === "email" ? emailKeys(text) : text;
}

const FIND_VARIANTS = {
  name: "email_in_another_spelling",
  text: `SELECT id FROM users WHERE application_id = $1 AND email_key = ANY($2::text[])
    AND id IS DISTINCT FROM $3::bigint LIMIT 1`,
};

/**
 * Returns whether another user has this address in a spelling from before the introduction of normalization.
 * The unique index covers all other spellings.
 */
export async function isEmailVariantTaken(
  { query }: Pick<Store, "query">,
  applicationId: number,
  email: string,
  userId: number | null,
): Promise<boolean> {
  const key = emailKey(email);
  const variants = emailKeys(email).filter((variant) => variant !== key);
  if (variants.length === 0) return false;
  return (await query(FIND_VARIANTS, [applicationId, variants, userId])).length > 0;
}
