/** A user. Times are Dates, ids are integers up to 2^53-1. */
export interface User {
  id: number;
  /** Same as `id`, for the GraphQL field of this name. */
  databaseId: number;
  applicationId: number;
  login: string | null;
  email: string | null;
  externalUserId: string | null;
  externalId: string | null;
  facebookId: string | null;
  twitterId: string | null;
  fullName: string | null;
  phone: string | null;
  website: string | null;
  customData: string | null;
  /** At most five, in the order given. */
  tags: string[];
  avatar: string | null;
  blobId: number | null;
  /** UTC offset in minutes. */
  timezone: number | null;
  isGuest: boolean;
  lastRequestAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** SQL for the tags of the user `u` in their order, as a comma-separated text; tags contain no commas. */
export const TAGS_SQL =
  "(SELECT string_agg(t.tag, ',' ORDER BY t.position) FROM user_tags t WHERE t.user_id = u.id)";

/** The columns of {@link UserRow}, from the table `users` with the alias `u`. */
export const USER_COLUMNS = `u.id AS u_id, u.application_id AS u_application_id, u.login, u.email,
  u.external_user_id, u.external_id, u.facebook_id, u.twitter_id, u.full_name, u.phone, u.website,
  u.custom_data, u.avatar, u.blob_id, u.timezone, u.is_guest, u.last_request_at,
  u.created_at AS u_created_at, u.updated_at AS u_updated_at, ${TAGS_SQL} AS tags`;

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
    createdAt: row.u_created_at,
    updatedAt: row.u_updated_at,
  };
}
