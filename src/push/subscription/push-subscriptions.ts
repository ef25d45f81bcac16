import { Fault } from "../../core/errors";
import type { UserViewer } from "../../core/viewer";
import type { Identity } from "../../identity/identity";
import { parseId } from "../../identity/user/find-user";
import { deadlocked } from "../../store/conflicts";
import type { PushChannel, PushEnvironment, PushPlatform } from "../channel";
import {
  type CheckedSubscription,
  checkSubscription,
  type SubscriptionFields,
} from "./subscription-fields";

/** A device that receives notifications over one channel, without its token. */
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

/** Subscriptions of a user at most; beyond, the one that registered longest ago goes. */
export const SUBSCRIPTIONS_MAX = 100;

/** How often a transaction is begun that met a deadlock. */
const ATTEMPTS = 3;

/** First key of the advisory locks on tokens: a space apart from that of the locks with one key. */
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

/** Statements of the transaction that gives a device its token, in their order. */
const PLACE = {
  user: "SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE",
  token: "SELECT pg_advisory_xact_lock($1::int, hashtext($2))::text AS locked",
  // In the order of their ids, as everybody who locks several does.
  rivals: `SELECT id, user_id = $1 AND udid = $2 AS own FROM push_subscriptions
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
  // One that somebody else holds is about to go anyway; to wait for it could be to wait in a ring.
  trim: `DELETE FROM push_subscriptions WHERE id = ANY(ARRAY(
      SELECT id FROM push_subscriptions WHERE user_id = $1 AND id <> $2 ORDER BY updated_at, id
      LIMIT greatest(0, (SELECT count(*) FROM push_subscriptions WHERE user_id = $1) - $3::int)
      FOR UPDATE SKIP LOCKED))`,
};

/**
 * Subscribes a device of the calling user (interface.md "POST /subscriptions"). A device has one
 * subscription per channel and environment: registered again, it keeps its id and gets the new token. A
 * token that another device or user had moves here, and their subscription goes: the phone changed
 * hands. A udid alone moves nothing.
 * @throws Fault INVALID with every field that is wrong, UNAUTHENTICATED when the user is deleted meanwhile
 */
export async function createPushSubscription(
  identity: Identity,
  viewer: UserViewer,
  fields: SubscriptionFields,
): Promise<PushSubscription> {
  const checked = checkSubscription(fields, identity.connector.allowPrivate);
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
    new Date(identity.clock.now()),
  ];
  // What nearly every call is: an app that registers again whenever it starts.
  const [renewed] = await identity.store.query<PushSubscription>(RENEW, values);
  return renewed ?? again(() => place(identity, viewer, checked, values));
}

/** Subscriptions of the calling user, oldest first. One indexed read. */
export function listPushSubscriptions(
  { store }: Identity,
  { userId }: UserViewer,
): Promise<PushSubscription[]> {
  return store.query<PushSubscription>(LIST, [userId]);
}

/**
 * Ends a subscription of the calling user.
 * @returns its id
 * @throws Fault NOT_FOUND for somebody else's as for none
 */
export async function deletePushSubscription(
  { store }: Identity,
  { userId }: UserViewer,
  id: string,
): Promise<number> {
  const number = parseId(id);
  const deleted = number === null ? [] : await again(() => store.query(DELETE, [number, userId]));
  if (number === null || deleted.length === 0) {
    throw new Fault("NOT_FOUND", "There is no such subscription");
  }
  return number;
}

/**
 * Gives a device its token, in a transaction. Nobody waits in a ring: first comes the lock of the user,
 * then that of the token, then those of the subscriptions that stand in the way, by their ids.
 */
function place(
  { store }: Identity,
  { applicationId, userId }: UserViewer,
  { channel, environment, token, udid }: CheckedSubscription,
  values: unknown[],
): Promise<PushSubscription> {
  return store.db.$transaction(async (tx) => {
    const run = <Row>(text: string, ...given: unknown[]) =>
      tx.$queryRawUnsafe<Row[]>(text, ...given);
    const users = await run(PLACE.user, userId);
    if (users.length === 0) throw Fault.noSession();
    // Two users may bring a token that nobody has yet.
    await run(PLACE.token, TOKEN_LOCKS, `${applicationId} ${channel} ${environment} ${token}`);
    const rivals = await run<{ id: bigint; own: boolean }>(
      PLACE.rivals,
      ...[userId, udid, channel, environment, applicationId, token],
    );
    const others = rivals.filter(({ own }) => !own).map(({ id }) => id);
    if (others.length > 0) await run(PLACE.remove, others);
    const [row] = await run<PushSubscription>(PLACE.put, ...values, applicationId);
    const id = Number(row!.id);
    if (rivals.length === others.length) await run(PLACE.trim, userId, id, SUBSCRIPTIONS_MAX);
    return { ...row!, id };
  });
}

/**
 * Tries again what was ended because of a deadlock: deliveries end the subscriptions of devices that
 * are gone in an order of their own.
 */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS || !deadlocked(error)) throw error;
    }
  }
}
