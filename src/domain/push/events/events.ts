import { hash } from "node:crypto";
import { Fault } from "../../../core/errors";
import type { UserViewer } from "../../../core/viewer";
import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import { findApplication } from "../../applications/applications";
import { lockUnblockedUser } from "../../users/block-queries";
import type { PushChannel } from "../channels/channel";
import { FAN_OUT_OPTIONS, PUSH_JOBS, type PushDeps } from "../deps/push-deps";
import { channelsWithRecipients } from "../devices/recipient-count";
import { FIRST_WINDOW } from "./dispatch-queries";
import { findEventsByKey, forgetKey, lockKey } from "./event-key-queries";
import { type EventDetails, insertEvents, linkAlertEvent } from "./event-queries";
import { type EventInput, type EventRequest, validateEvent } from "./event-request";
import type { PushEvent, Sender } from "./push-event";

/** Error of a push request without recipients. */
export const NO_RECIPIENTS =
  "No one can receive the message: no recipient has a device in this environment";
/** The same on REST, where legacy clients may compare it. */
const NO_RECIPIENTS_ON_REST = "No one can receive the message";

/** TTL of an idempotency key, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Checks that the application's settings allow the user to send pushes, and applies the rate limit.
 * @throws Fault FORBIDDEN, LIMITED
 */
export async function authorizeSender(push: PushDeps, viewer: UserViewer): Promise<void> {
  const { pushSenders } = await findApplication(push, viewer.applicationId);
  if (pushSenders === "nobody") {
    throw new Fault("FORBIDDEN", "Only the application's owner may send push notifications");
  }
  if (pushSenders === "members" && viewer.kind === "guest") {
    throw new Fault("FORBIDDEN", "Guests may not send push notifications in this application");
  }
  await push.limits.countPush(viewer.userId);
}

/**
 * Creates a push: one event per channel and, for an immediate push, the fan-out jobs, in one transaction.
 * @param key idempotency key: for a day, a repeated request returns the events of the first one
 * @throws Fault UNAUTHENTICATED if the user who sends was blocked since the request began; INVALID on the wrong field,
 * if an immediate push has no recipients, or if the key was used for another request
 */
export async function createEvents(
  push: PushDeps,
  sender: Sender,
  input: EventInput,
  key: string | null = null,
): Promise<PushEvent[]> {
  const now = push.clock.now();
  if (key !== null && !KEY.test(key)) {
    throw Fault.field("idempotencyKey", "must be 1 to 255 visible ASCII characters");
  }
  const requestHash = key === null ? null : hashOf(input);
  const enqueue = await push.jobs.openQueues(PUSH_JOBS.fanOut);
  return push.store.transaction(async (transaction) => {
    // A block stops the events that exist. It must not miss one that a running request writes.
    if (sender.userId !== null && !(await lockUnblockedUser(transaction, sender.userId))) {
      throw Fault.noSession();
    }
    if (key !== null) {
      const existing = await findByKey(transaction, sender, key, requestHash, now);
      if (existing !== null) return existing;
    }
    // Validated only now: a date that was in the future at the first request may have passed.
    const request = validateEvent(input, now);
    const channels = await channelsOf(transaction, sender, request);
    const details = { channels, key, requestHash, now, callId: null };
    return writePushEvents(transaction, enqueue, sender, request, details);
  });
}

/**
 * Writes the events of a validated request, one per channel, and the fan-out jobs of an immediate push.
 * @param details.callId the call of an incoming-call push; null for an API request
 */
export async function writePushEvents(
  transaction: Transaction,
  enqueue: EnqueueIn,
  sender: Sender,
  request: EventRequest,
  details: EventDetails,
): Promise<PushEvent[]> {
  const events = await insertEvents(transaction.query, sender, request, details);
  const voip = events.find(({ channel }) => channel === "apns_voip");
  const alert = events.find(({ channel }) => channel === "apns");
  if (voip && alert) await linkAlertEvent(transaction.query, voip.id, alert.id);
  if (request.eventType === "one_shot") {
    for (const { id } of events) {
      await enqueue(
        transaction,
        PUSH_JOBS.fanOut,
        { event: id, occurrence: 0, ...FIRST_WINDOW },
        FAN_OUT_OPTIONS,
      );
    }
  }
  return events;
}

/** The channels to create events for. */
async function channelsOf(
  transaction: Transaction,
  { applicationId }: Sender,
  request: EventRequest,
): Promise<readonly PushChannel[]> {
  const { environment, selector, universal, channels, eventType } = request;
  // Recipients of a scheduled push may register devices before it is dispatched.
  if (eventType !== "one_shot") return channels;
  const filter = { applicationId, environment, selector, universal };
  const withRecipients = await channelsWithRecipients(transaction, filter, channels);
  if (withRecipients.length === 0) throw Fault.base(NO_RECIPIENTS, NO_RECIPIENTS_ON_REST);
  return withRecipients;
}

/** The events that an earlier request with this key created within its TTL; null without one. */
async function findByKey(
  { query }: Transaction,
  sender: Sender,
  key: string,
  requestHash: Buffer | null,
  now: number,
): Promise<PushEvent[] | null> {
  await lockKey(query, sender, key);
  const found = await findEventsByKey(query, sender, key);
  if (found === null) return null;
  if (found.createdAt.getTime() <= now - IDEMPOTENCY_TTL_MS) {
    await forgetKey(query, sender, key);
    return null;
  }
  if (requestHash === null || !requestHash.equals(found.requestHash)) {
    throw Fault.field("idempotencyKey", "was used for another request within the last 24 hours");
  }
  return found.events;
}

/** SHA-256 of a request, independent of the order of its fields. */
function hashOf(input: EventInput): Buffer {
  const entries = Object.entries(input)
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha256", JSON.stringify(entries), "buffer");
}
