import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import { PUSH_JOBS } from "../deps/push-deps";
import {
  countAlertDeliveries,
  createAlertEvent,
  lockAlertEvent,
} from "../events/alert-event-queries";
import type { VoipEvent } from "../events/dispatch-queries";
import { insertAlertDeliveries } from "./delivery-queries";
import { DELIVER_OPTIONS, type DeliverJob } from "./fan-out";
import { WINDOW_SIZE } from "./recipient-window-queries";

/**
 * Falls back to the alert push for users whose last VoIP subscription was deleted, in the transaction
 * that deletes it. Users with a VoIP subscription are excluded from the alert channel.
 * @param users ids of users whose subscriptions were deleted
 * @param occurrence index of the event's dispatch
 */
export async function sendVoipFallback(
  transaction: Transaction,
  enqueue: EnqueueIn,
  voip: VoipEvent,
  { users, occurrence, now }: { users: number[]; occurrence: number; now: Date },
): Promise<void> {
  if (voip.channel !== "apns_voip" || !voip.universal || users.length === 0) return;
  const { query } = transaction;
  const event =
    voip.alertId === null
      ? await createAlertEvent(query, voip.id, users, now)
      : await lockAlertEvent(query, voip.alertId);
  // It has no recipients, or its sender deleted it.
  if (event === null) return;
  const ids = await insertAlertDeliveries(query, event, users, occurrence, now);
  if (ids.length === 0) return;
  await countAlertDeliveries(query, event, ids.length, now);
  for (let from = 0; from < ids.length; from += WINDOW_SIZE) {
    const deliveries = ids.slice(from, from + WINDOW_SIZE);
    const batch: DeliverJob = { event, deliveries, attempts: 0 };
    await enqueue(transaction, PUSH_JOBS.deliver, batch, DELIVER_OPTIONS);
  }
}
