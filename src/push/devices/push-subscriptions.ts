import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { UserViewer } from "../../core/viewer";
import { type ListOrder, type Page, type PageRequest, takePage } from "../../paging/page";
import { isDeadlock } from "../../store/database-errors";
import { type PushDeps } from "../deps/push-deps";
import {
  assignToken,
  deleteSubscription,
  listSubscriptions,
  type PushSubscription,
  renewSubscription,
} from "./device-queries";
import { type SubscriptionFields, validateSubscription } from "./subscription-fields";

/** Dependencies of the functions for devices. */
export type PushDeviceDeps = Pick<PushDeps, "store" | "clock" | "connector">;

/** Maximum number of attempts on deadlock. */
const ATTEMPTS = 3;

/**
 * Subscribes a device of the viewer (POST /subscriptions, schema/rest/push-subscriptions.graphql). A device
 * has one subscription per channel and environment; registering again keeps its id and updates the token. A
 * token of another device or user moves to this one and deletes the other subscription, since the phone
 * changed hands. An equal udid of another user has no effect.
 * @throws Fault INVALID with every wrong field, UNAUTHENTICATED if the user was deleted in the meantime
 */
export async function createPushSubscription(
  { store, clock, connector }: PushDeviceDeps,
  viewer: UserViewer,
  fields: SubscriptionFields,
): Promise<PushSubscription> {
  const subscription = validateSubscription(fields, connector.allowPrivate);
  const now = new Date(clock.now());
  // The common case: an app registers again whenever it starts.
  const renewed = await renewSubscription(store.query, viewer.userId, subscription, now);
  if (renewed !== null) return renewed;
  return retryOnDeadlock(() =>
    store.transaction(({ query }) => assignToken(query, viewer, subscription, now)),
  );
}

const BY_ID: ListOrder<PushSubscription, number> = {
  decode: parseId,
  compare: ({ id }, position) => id - position,
};

/** A page of a user's subscriptions, and the number of all. */
export interface PushSubscriptionPage extends Page<PushSubscription> {
  totalCount: number;
}

/** Lists a user's subscriptions, oldest first; a user has at most 100. @throws Fault INVALID on the page */
export async function listPushSubscriptions(
  { store }: PushDeviceDeps,
  { userId }: Pick<UserViewer, "userId">,
  page: PageRequest = {},
): Promise<PushSubscriptionPage> {
  const list = await listSubscriptions(store.query, userId);
  return { ...takePage(list, page, BY_ID), totalCount: list.length };
}

/**
 * Deletes a subscription of a user.
 * @returns its id
 * @throws Fault NOT_FOUND, also for another user's subscription
 */
export async function deletePushSubscription(
  { store }: PushDeviceDeps,
  { userId }: Pick<UserViewer, "userId">,
  id: string,
): Promise<number> {
  const number = parseId(id);
  const deleted =
    number !== null && (await retryOnDeadlock(() => deleteSubscription(store, userId, number)));
  if (number === null || !deleted) throw new Fault("NOT_FOUND", "There is no such subscription");
  return number;
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
