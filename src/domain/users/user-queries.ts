import { emailKey, emailKeys } from "../../core/text/email";
import { parseId } from "../../core/text/ids";
import type { Statement, Store } from "../../platform/store/store";
import type { User } from "./user";
import type { UserDeps } from "./user-deps";

/**
 * Statements on users and user_tags that find users. A function throws Fault UNAVAILABLE if the database cannot be
 * reached.
 */

/** SQL for the tags of the user `u` in their order, as a comma-separated text; tags contain no commas. */
export const TAGS_SQL =
  "(SELECT string_agg(t.tag, ',' ORDER BY t.position) FROM user_tags t WHERE t.user_id = u.id)";

/** The columns of {@link UserRow}, from the table `users` with the alias `u`. */
export const USER_COLUMNS = `u.id AS u_id, u.application_id AS u_application_id, u.login, u.email,
  u.external_user_id, u.external_id, u.facebook_id, u.twitter_id, u.full_name, u.phone, u.website,
  u.custom_data, u.avatar, u.blob_id, u.timezone, u.is_guest, u.last_request_at,
  u.blocked_at, u.block_reason, u.created_at AS u_created_at, u.updated_at AS u_updated_at, ${TAGS_SQL} AS tags`;

/** A row of {@link USER_COLUMNS}. */
export interface UserRow {
  u_id: number;
  u_application_id: number;
  login: string | null;
  email: string | null;
  external_user_id: string | null;
  external_id: string | null;
  facebook_id: string | null;
  twitter_id: string | null;
  full_name: string | null;
  phone: string | null;
  website: string | null;
  custom_data: string | null;
  avatar: string | null;
  blob_id: number | null;
  timezone: number | null;
  is_guest: boolean;
  last_request_at: Date | null;
  blocked_at: Date | null;
  block_reason: string | null;
  u_created_at: Date;
  u_updated_at: Date;
  tags: string | null;
}

/** Converts a row to a user. */
export function toUser(row: UserRow): User {
  return {
    id: row.u_id,
    databaseId: row.u_id,
    applicationId: row.u_application_id,
    login: row.login,
    email: row.email,
    externalUserId: row.external_user_id,
    externalId: row.external_id,
    facebookId: row.facebook_id,
    twitterId: row.twitter_id,
    fullName: row.full_name,
    phone: row.phone,
    website: row.website,
    customData: row.custom_data,
    tags: row.tags === null ? [] : row.tags.split(","),
    avatar: row.avatar,
    blobId: row.blob_id,
    timezone: row.timezone,
    isGuest: row.is_guest,
    lastRequestAt: row.last_request_at,
    blockedAt: row.blocked_at,
    blockReason: row.block_reason,
    createdAt: row.u_created_at,
    updatedAt: row.u_updated_at,
  };
}

const statement = (name: string, condition: string): Statement => ({
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

const BY_IDS: Statement = {
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

const FIND_VARIANTS: Statement = {
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

/** A user with the hash of the password. */
export interface UserWithPassword {
  user: User;
  /** Null for a user without a password. */
  passwordHash: string | null;
  /** Whether the password has the form of a session's token; null if unknown. */
  passwordHasTokenForm: boolean | null;
}

/** A unique key that a user signs in with. */
export type SignInKey = { id: number } | { loginKey: string } | { emailKeys: string[] };

const withPassword = (name: string, condition: string): Statement => ({
  name,
  text: `SELECT ${USER_COLUMNS}, u.password_hash, u.password_has_token_form FROM users u
    WHERE u.application_id = $1 AND ${condition}`,
});
const WITH_PASSWORD = {
  id: withPassword("sign_in_by_id", "u.id = $2"),
  loginKey: withPassword("sign_in_by_login", "u.login_key = $2"),
  emailKeys: withPassword(
    "sign_in_by_email",
    "u.email_key = ANY($2::text[]) ORDER BY array_position($2::text[], u.email_key) LIMIT 1",
  ),
};

/** Finds the user who signs in with a key; null if there is none. */
export async function findUserWithPassword(
  { query }: Pick<Store, "query">,
  applicationId: number,
  key: SignInKey,
): Promise<UserWithPassword | null> {
  const [field, value] = Object.entries(key)[0] as [keyof typeof WITH_PASSWORD, unknown];
  type Row = UserRow & { password_hash: string | null; password_has_token_form: boolean | null };
  const [row] = await query<Row>(WITH_PASSWORD[field], [applicationId, value]);
  if (row === undefined) return null;
  const { password_hash: passwordHash, password_has_token_form: passwordHasTokenForm } = row;
  return { user: toUser(row), passwordHash, passwordHasTokenForm };
}

const PASSWORD_UNCHANGED: Statement = {
  name: "password_still",
  text: "SELECT 1 AS one FROM users WHERE id = $1 AND password_hash = $2 AND blocked_at IS NULL",
};

/** Whether a user is not blocked and has this hash of the password; never for null. */
export async function hasPasswordHash(
  { query }: Pick<Store, "query">,
  id: number,
  passwordHash: string | null,
): Promise<boolean> {
  return (await query(PASSWORD_UNCHANGED, [id, passwordHash])).length > 0;
}

const EXISTS: Statement = {
  name: "user_exists",
  text: "SELECT 1 AS one FROM users WHERE id = $1 AND application_id = $2",
};

/** Whether a user of an application exists. */
export async function userExists(
  { query }: Pick<Store, "query">,
  applicationId: number,
  id: number,
): Promise<boolean> {
  return (await query(EXISTS, [id, applicationId])).length > 0;
}
