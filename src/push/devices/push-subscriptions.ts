import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { UserViewer } from "../../core/viewer";
import { isDeadlock } from "../../store/database-errors";
import type { PushChannel, PushEnvironment, PushPlatform } from "../channels/channel";
import { type PushDeps } from "../deps/push-deps";
import {
  type SubscriptionFields,
  type ValidSubscription,
  validateSubscription,
} from "./subscription-fields";

/** Dependencies of the functions for devices. */
export type DeviceDeps = Pick<PushDeps, "store" | "clock" | "connector">;

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

/** Maximum number of attempts on deadlock. */
const ATTEMPTS = 3;

/** First key of the advisory locks on tokens. PostgreSQL keeps two-key locks apart from one-key locks. */
const TOKEN_LOCKS = 7_573_688;

const COLUMNS = `id, channel, environment, platform, udid, bundle_id AS "bundleId",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

const RENEW = {
  name: "renew_push_subscription",
  text: `UPDATE push_subscriptions SET platform = $6::push_platform, bundle_id = $7, web_auth = $8,
      web_p256dh = $9, updated_at = $10
    WHERE user_id = $1 AND udid = $2 AND channel = $3::push_channel
      AND environment = $4::push_environment AND token = $5 RETURNING ${COLUMNS}`,
};
const LIST = {
  name: "push_subscriptions",
  text: `SELECT ${COLUMNS} FROM push_subscriptions WHERE user_id = $1
    ORDER BY id LIMIT ${SUBSCRIPTIONS_MAX}`,
};
const DELETE = {
  name: "delete_push_subscription",
  text: "DELETE FROM push_subscriptions WHERE id = $1 AND user_id = $2 RETURNING id",
};

/** Statements of the transaction that assigns a token to a device, in order. */
const ASSIGN = {
  user: "SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE",
  token: "SELECT pg_advisory_xact_lock($1::int, hashtext($2))::text AS locked",
  // Locks rows in id order, like all other transactions, to avoid deadlocks.
  conflicts: `SELECT id, user_id = $1 AND udid = $2 AS own FROM push_subscriptions
    WHERE (user_id = $1 AND udid = $2 AND channel = $3::push_channel
        AND environment = $4::push_environment)
      OR (application_id = $5 AND channel = $3::push_channel
        AND environment = $4::push_environment AND sha256(token::bytea) = sha256($6::text::bytea))
    ORDER BY id FOR UPDATE`,
  remove: "DELETE FROM push_subscriptions WHERE id = ANY($1::bigint[])",
  put: `INSERT INTO push_subscriptions (user_id, udid, channel, environment, token, platform,
      bundle_id, web_auth, web_p256dh, updated_at, created_at, application_id)
    VALUES ($1, $2, $3::push_channel, $4::push_environment, $5, $6::push_platform, $7, $8, $9,
      $10, $10, $11)
    ON CONFLICT (user_id, udid, channel, environment) DO UPDATE SET token = excluded.token,
      platform = excluded.platform, bundle_id = excluded.bundle_id, web_auth = excluded.web_auth,
      web_p256dh = excluded.web_p256dh, updated_at = excluded.updated_at
    RETURNING ${COLUMNS}`,
  // Skips rows locked by others: they are being changed or deleted, and waiting could deadlock.
  trim: `DELETE FROM push_subscriptions WHERE id = ANY(ARRAY(
      SELECT id FROM push_subscriptions WHERE user_id = $1 AND id <> $2 ORDER BY updated_at, id
      LIMIT greatest(0, (SELECT count(*) FROM push_subscriptions WHERE user_id = $1) - $3::int)
      FOR UPDATE SKIP LOCKED))`,
};

/**
 * Subscribes a device of the viewer (POST /subscriptions, schema/rest/push-subscriptions.graphql). A device
 * has one subscription per channel and environment; registering again keeps its id and updates the token. A
 * token of another device or user moves to this one and deletes the other subscription, since the phone
 * changed hands. An equal udid of another user has no effect.
 * @throws Fault INVALID with every wrong field, UNAUTHENTICATED if the user was deleted in the meantime
 */
export async function createPushSubscription(
  deps: DeviceDeps,
  viewer: UserViewer,
  fields: SubscriptionFields,
): Promise<PushSubscription> {
  const checked = validateSubscription(fields, deps.connector.allowPrivate);
  const values = [
    viewer.userId,
    checked.udid,
    checked.channel,
    checked.environment,
    checked.token,
    checked.platform,
    checked.bundleId,
    checked.webAuth,
    checked.webP256dh,
    new Date(deps.clock.now()),
  ];
  // The common case: an app registers again whenever it starts.
  const [renewed] = await deps.store.query<PushSubscription>(RENEW, values);
  return renewed ?? retryOnDeadlock(() => assignToken(deps, viewer, checked, values));
}

/** Lists the viewer's subscriptions, oldest first. */
export function listPushSubscriptions(
  { store }: DeviceDeps,
  { userId }: UserViewer,
): Promise<PushSubscription[]> {
  return store.query<PushSubscription>(LIST, [userId]);
}

/**
 * Deletes a subscription of the viewer.
 * @returns its id
 * @throws Fault NOT_FOUND, also for another user's subscription
 */
export async function deletePushSubscription(
  { store }: DeviceDeps,
  { userId }: UserViewer,
  id: string,
): Promise<number> {
  const number = parseId(id);
  const deleted =
    number === null ? [] : await retryOnDeadlock(() => store.query(DELETE, [number, userId]));
  if (number === null || deleted.length === 0) {
    throw new Fault("NOT_FOUND", "There is no such subscription");
  }
  return number;
}

/**
 * Assigns a token to a device in a transaction. The lock order avoids deadlocks: the user, the token, then
 * the conflicting subscriptions by id.
 */
function assignToken(
  { store }: DeviceDeps,
  { applicationId, userId }: UserViewer,
  { channel, environment, token, udid }: ValidSubscription,
  values: unknown[],
): Promise<PushSubscription> {
  return store.db.$transaction(async (tx) => {
    const run = <Row>(text: string, ...params: unknown[]) =>
      tx.$queryRawUnsafe<Row[]>(text, ...params);
    const users = await run(ASSIGN.user, userId);
    if (users.length === 0) throw Fault.noSession();
    // Two users may register the same new token concurrently.
    await run(ASSIGN.token, TOKEN_LOCKS, `${applicationId} ${channel} ${environment} ${token}`);
    const conflicts = await run<{ id: bigint; own: boolean }>(
      ASSIGN.conflicts,
      ...[userId, udid, channel, environment, applicationId, token],
    );
    const others = conflicts.filter(({ own }) => !own).map(({ id }) => id);
    if (others.length > 0) await run(ASSIGN.remove, others);
    const [row] = await run<PushSubscription>(ASSIGN.put, ...values, applicationId);
    const id = Number(row!.id);
    if (conflicts.length === others.length) {
      await run(ASSIGN.trim, userId, id, SUBSCRIPTIONS_MAX);
    }
    return { ...row!, id };
  });
}

/** Retries on deadlock: recording outcomes deletes subscriptions in a different lock order. */
async function retryOnDeadlock<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}
