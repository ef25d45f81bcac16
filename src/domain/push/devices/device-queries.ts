import { Fault } from "../../../core/errors";
import type { UserViewer } from "../../../core/viewer";
import { exportedList } from "../../../platform/store/rows/exported-list";
import type { Statement, Store } from "../../../platform/store/store";
import { lockUser } from "../../users/user-change-queries";
import type { PushChannel, PushEnvironment, PushPlatform } from "../channels/channel";
import type { ValidSubscription } from "./subscription-fields";

/**
 * Statements on push_subscriptions for their users and for push services. A function takes `query` of the
 * store or of a transaction, and throws Fault UNAVAILABLE if the database cannot be reached.
 */

/** Subscription of a device on one channel, without its token. */
export interface PushSubscription {
  id: number;
  channel: PushChannel;
  environment: PushEnvironment;
  platform: PushPlatform;
  udid: string;
  bundleId: string | null;
  createdAt: Date;
  /** When the device last registered. */
  updatedAt: Date;
}

/** Maximum number of subscriptions per user; beyond it, the least recently registered one is deleted. */
export const SUBSCRIPTIONS_MAX = 100;

/** First key of the advisory locks on tokens. PostgreSQL keeps two-key locks apart from one-key locks. */
const TOKEN_LOCKS = 7_573_688;

/** The columns of a {@link PushSubscription}. */
const COLUMNS = `id, channel, environment, platform, udid, bundle_id AS "bundleId",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const RENEW: Statement = {
  name: "renew_push_subscription",
  text: `UPDATE push_subscriptions SET platform = $6::push_platform, bundle_id = $7, web_auth = $8,
      web_p256dh = $9, updated_at = $10
    WHERE user_id = $1 AND udid = $2 AND channel = $3::push_channel
      AND environment = $4::push_environment AND token = $5 RETURNING ${COLUMNS}`,
};

const LIST: Statement = {
  name: "push_subscriptions",
  text: `SELECT ${COLUMNS} FROM push_subscriptions WHERE user_id = $1
    ORDER BY id LIMIT ${SUBSCRIPTIONS_MAX}`,
};

/** Spares devices that registered a new token in the meantime. Locks rows in id order to avoid deadlocks. */
const DELETE_UNREGISTERED: Statement = {
  name: "forget_push_subscriptions",
  text: `DELETE FROM push_subscriptions WHERE id = ANY(ARRAY(
      SELECT s.id FROM unnest($1::bigint[], $2::text[]) AS g(id, token)
      JOIN push_subscriptions s ON s.id = g.id AND s.token = g.token
      ORDER BY s.id FOR UPDATE OF s)) RETURNING user_id`,
};

const OWNER: Statement = {
  name: "owner_of_push_subscription",
  text: `SELECT application_id AS "applicationId", user_id AS "userId" FROM push_subscriptions WHERE id = $1`,
};

const EXPORT: Statement = {
  name: "export_push_subscriptions",
  text: `SELECT to_jsonb(p) AS row, jsonb_build_array(p.id) AS next FROM push_subscriptions p
    WHERE p.user_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3::int`,
};

/** Two users may register the same new token concurrently. */
const LOCK_TOKEN: Statement = {
  name: "lock_push_token",
  text: "SELECT pg_advisory_xact_lock($1::int, hashtext($2))::text AS locked",
};

/** Locks rows in id order, like all other transactions, to avoid deadlocks. */
const LOCK_CONFLICTS: Statement = {
  name: "lock_push_subscriptions",
  text: `SELECT id, user_id = $1 AND udid = $2 AS own FROM push_subscriptions
    WHERE (user_id = $1 AND udid = $2 AND channel = $3::push_channel
        AND environment = $4::push_environment)
      OR (application_id = $5 AND channel = $3::push_channel
        AND environment = $4::push_environment AND sha256(token::bytea) = sha256($6::text::bytea))
    ORDER BY id FOR UPDATE`,
};

const DELETE_CONFLICTS: Statement = {
  name: "delete_push_subscriptions",
  text: "DELETE FROM push_subscriptions WHERE id = ANY($1::bigint[])",
};

const PUT: Statement = {
  name: "put_push_subscription",
  text: `INSERT INTO push_subscriptions (user_id, udid, channel, environment, token, platform,
      bundle_id, web_auth, web_p256dh, updated_at, created_at, application_id)
    VALUES ($1, $2, $3::push_channel, $4::push_environment, $5, $6::push_platform, $7, $8, $9,
      $10, $10, $11)
    ON CONFLICT (user_id, udid, channel, environment) DO UPDATE SET token = excluded.token,
      platform = excluded.platform, bundle_id = excluded.bundle_id, web_auth = excluded.web_auth,
      web_p256dh = excluded.web_p256dh, updated_at = excluded.updated_at
    RETURNING ${COLUMNS}`,
};

/** Skips rows locked by others: they are being changed or deleted, and waiting could deadlock. */
const TRIM: Statement = {
  name: "trim_push_subscriptions",
  text: `DELETE FROM push_subscriptions WHERE id = ANY(ARRAY(
      SELECT id FROM push_subscriptions WHERE user_id = $1 AND id <> $2 ORDER BY updated_at, id
      LIMIT greatest(0, (SELECT count(*) FROM push_subscriptions WHERE user_id = $1) - $3::int)
      FOR UPDATE SKIP LOCKED))`,
};

/**
 * Renews the subscription of a device that registers again with the same token.
 * @returns null if the device has no subscription with this token
 */
export async function renewSubscription(
  query: Store["query"],
  userId: number,
  subscription: ValidSubscription,
  now: Date,
): Promise<PushSubscription | null> {
  const values = valuesOf(userId, subscription, now);
  const [renewed] = await query<PushSubscription>(RENEW, values);
  return renewed ?? null;
}

/**
 * Assigns a token to a device, and deletes the other subscription with the token. The lock order avoids
 * deadlocks: the user, the token, then the conflicting subscriptions by id.
 * @param query of a transaction
 * @throws Fault UNAUTHENTICATED if the user does not exist any more; an error of the database on a deadlock
 */
export async function assignToken(
  query: Store["query"],
  { applicationId, userId }: UserViewer,
  subscription: ValidSubscription,
  now: Date,
): Promise<PushSubscription> {
  const { channel, environment, token, udid } = subscription;
  if (!(await lockUser(query, userId))) throw Fault.noSession();
  const key = `${applicationId} ${channel} ${environment} ${token}`;
  await query(LOCK_TOKEN, [TOKEN_LOCKS, key]);
  const conflicts = await query<{ id: number; own: boolean }>(LOCK_CONFLICTS, [
    userId,
    udid,
    channel,
    environment,
    applicationId,
    token,
  ]);
  const others = conflicts.filter(({ own }) => !own).map(({ id }) => id);
  if (others.length > 0) await query(DELETE_CONFLICTS, [others]);
  const values = valuesOf(userId, subscription, now);
  const [row] = await query<PushSubscription>(PUT, [...values, applicationId]);
  if (row === undefined) throw new Error("the subscription was not written");
  if (conflicts.length === others.length) {
    await query(TRIM, [userId, row.id, SUBSCRIPTIONS_MAX]);
  }
  return row;
}

/** Lists a user's subscriptions, oldest first. */
export function listSubscriptions(
  query: Store["query"],
  userId: number,
): Promise<PushSubscription[]> {
  return query<PushSubscription>(LIST, [userId]);
}

/**
 * Deletes a subscription of a user.
 * @returns whether the user had it
 * @throws an error of the database on a deadlock
 */
export async function deleteSubscription(
  { db }: Pick<Store, "db">,
  userId: number,
  id: number,
): Promise<boolean> {
  const where = { id: BigInt(id), userId: BigInt(userId) };
  return (await db.pushSubscription.deleteMany({ where })).count > 0;
}

/** The application and the user of a subscription. */
export interface SubscriptionOwner {
  applicationId: number;
  userId: number;
}

/** Finds whose a subscription is; null if there is none. */
export async function findSubscriptionOwner(
  query: Store["query"],
  id: number,
): Promise<SubscriptionOwner | null> {
  const [row] = await query<SubscriptionOwner>(OWNER, [id]);
  return row ?? null;
}

/**
 * Deletes the subscriptions of devices that a push service no longer knows.
 * @param devices subscriptions, and the tokens that the push service refused; null matches no subscription
 * @returns the ids of the users of deleted subscriptions, each once
 * @throws an error of the database on a deadlock
 */
export async function deleteUnregisteredDevices(
  query: Store["query"],
  devices: ReadonlyArray<{ subscription: number | null; token: string }>,
): Promise<number[]> {
  const rows = await query<{ user_id: number }>(DELETE_UNREGISTERED, [
    devices.map(({ subscription }) => subscription),
    devices.map(({ token }) => token),
  ]);
  return [...new Set(rows.map(({ user_id: userId }) => userId))];
}

/** The push subscriptions of a user in an export. */
export const EXPORTED_SUBSCRIPTIONS = exportedList("subscriptions", EXPORT);

/** The values `$1` to `$10` of {@link RENEW} and of the statement that writes a subscription. */
function valuesOf(userId: number, subscription: ValidSubscription, now: Date): unknown[] {
  const { udid, channel, environment, token, platform } = subscription;
  const { bundleId, webAuth, webP256dh } = subscription;
  const device = [userId, udid, channel, environment, token];
  return [...device, platform, bundleId, webAuth, webP256dh, now];
}
