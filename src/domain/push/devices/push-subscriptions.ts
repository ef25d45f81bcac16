import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import type { UserOrMember, UserViewer } from "../../../core/viewer";
import { isDeadlock } from "../../../platform/store/database-errors";
import { OLDEST_FIRST } from "../../paging/list-order";
import { type Page, type PageRequest, takePage } from "../../paging/page";
import { type PushDeps } from "../deps/push-deps";
import {
  assignToken,
  deleteSubscription,
  findSubscriptionOwner,
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
  return { ...takePage(list, page, OLDEST_FIRST), totalCount: list.length };
}

/** A deleted subscription, and whose it was. */
export interface DeletedSubscription {
  id: number;
  userId: number;
}

/**
 * Deletes a subscription of the viewer, or of a user of an application of the member's account.
 * @throws Fault NOT_FOUND, also for a subscription of others
 */
export async function deletePushSubscription(
  { store }: PushDeviceDeps,
  viewer: UserOrMember,
  id: string,
): Promise<DeletedSubscription> {
  const number = parseId(id);
  const userId = number === null ? null : await findOwner(store, viewer, number);
  if (number === null || userId === null) throw noSubscription();
  const deleted = await retryOnDeadlock(() => deleteSubscription(store, userId, number));
  if (!deleted) throw noSubscription();
  return { id: number, userId };
}

/** The user whose subscription the viewer may delete; null if it is of others. */
async function findOwner(
  store: PushDeviceDeps["store"],
  viewer: UserOrMember,
  id: number,
): Promise<number | null> {
  if (viewer.kind !== "member") return viewer.userId;
  const owner = await findSubscriptionOwner(store.query, id);
  return owner !== null && (await viewer.owns(owner.applicationId)) ? owner.userId : null;
}

function noSubscription(): Fault {
  return new Fault("NOT_FOUND", "There is no such subscription");
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
