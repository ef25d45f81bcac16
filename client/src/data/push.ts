import {
  CreatePushEventDocument,
  type CreatePushEventMutation,
  type CreatePushEventMutationVariables,
  CreatePushSubscriptionDocument,
  type CreatePushSubscriptionMutationVariables,
  DeletePushSubscriptionDocument,
  ListPushSubscriptionsDocument,
  type ListPushSubscriptionsQuery,
  type ListPushSubscriptionsQueryVariables,
  WebPushKeyDocument,
  type WebPushKeyQueryVariables,
} from "../generated/operations.ts";
import type { Session } from "../session/session.ts";

/** A page of the user's devices. The next one begins after `pageInfo.endCursor`. */
export type PushDevicePage = ListPushSubscriptionsQuery["pushSubscriptions"];

/** A device of the user that receives push notifications. */
export type PushDevice = PushDevicePage["nodes"][number];

/** A push that was sent: one event for each channel of its recipients. */
export type PushEvent = CreatePushEventMutation["createPushEvent"]["events"][number];

/** Where a device is subscribed: development or production. */
export type PushEnvironment = WebPushKeyQueryVariables["environment"];

/**
 * Lists the devices of the signed-in user, 100 to a page.
 * @example
 * ```ts
 * import { listPushSubscriptions } from "@signalbox/client";
 *
 * const { nodes } = await listPushSubscriptions(signalbox.session);
 * for (const { platform, udid } of nodes) console.log(platform, udid);
 * ```
 * @throws SignalboxError
 */
export async function listPushSubscriptions(
  session: Session,
  variables: ListPushSubscriptionsQueryVariables = {},
): Promise<PushDevicePage> {
  return (await session.execute(ListPushSubscriptionsDocument, variables)).pushSubscriptions;
}

/**
 * Subscribes a device of the signed-in user. The same device (`udid`) on the same channel and environment gets the new
 * token in place of the old one. `enableWebPush` does this for a browser.
 * @example
 * ```ts
 * import { createPushSubscription } from "@signalbox/client";
 *
 * await createPushSubscription(signalbox.session, {
 *   channel: "GCM",
 *   platform: "ANDROID",
 *   environment: "PRODUCTION",
 *   udid: "an id of this installation",
 *   token: "token-of-Firebase",
 * });
 * ```
 * @throws SignalboxError INVALID
 */
export async function createPushSubscription(
  session: Session,
  input: CreatePushSubscriptionMutationVariables["input"],
): Promise<PushDevice> {
  return (await session.execute(CreatePushSubscriptionDocument, { input })).createPushSubscription
    .subscription;
}

/**
 * Unsubscribes a device of the signed-in user.
 * @example
 * ```ts
 * import { deletePushSubscription, listPushSubscriptions } from "@signalbox/client";
 *
 * const { nodes } = await listPushSubscriptions(signalbox.session);
 * for (const { id } of nodes) await deletePushSubscription(signalbox.session, id);
 * ```
 * @throws SignalboxError NOT_FOUND
 */
export async function deletePushSubscription(session: Session, id: string): Promise<void> {
  await session.execute(DeletePushSubscriptionDocument, { input: { id } });
}

/**
 * Sends a push notification to users, by ids, external ids or tags.
 * @example
 * ```ts
 * import { createPushEvent, SignalboxError } from "@signalbox/client";
 *
 * const push = {
 *   environment: "PRODUCTION" as const,
 *   tagsAny: ["staff"],
 *   message: { notification: { title: "Order 7", body: "On its way" } },
 * };
 * try {
 *   await createPushEvent(signalbox.session, push, "order-7");
 * } catch (error) {
 *   if (!(error instanceof SignalboxError) || error.code !== "INVALID") throw error;
 *   console.log("Nobody has a device");
 * }
 * ```
 * @param idempotencyKey a repeat with the same key sends nothing again, and returns the same events
 * @throws SignalboxError INVALID, also if no recipient has a device; FORBIDDEN if the application lets nobody or no
 *   guests send
 */
export async function createPushEvent(
  session: Session,
  input: CreatePushEventMutationVariables["input"],
  idempotencyKey?: string,
): Promise<PushEvent[]> {
  const variables = { input, idempotencyKey: idempotencyKey ?? null };
  return (await session.execute(CreatePushEventDocument, variables)).createPushEvent.events;
}

/**
 * The application's public VAPID key, in base64url; null if its owner has set none.
 * @example
 * ```ts
 * import { webPushKey } from "@signalbox/client";
 *
 * const key = await webPushKey(signalbox.session, "PRODUCTION");
 * console.log(key ?? "The application has no web push");
 * ```
 * @throws SignalboxError
 */
export async function webPushKey(
  session: Session,
  environment: PushEnvironment,
): Promise<string | null> {
  return (await session.execute(WebPushKeyDocument, { environment })).webPushKey;
}
