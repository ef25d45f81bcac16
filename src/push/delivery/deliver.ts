import type { Statement } from "../../store/store";
import { type PushChannel, SERVICE_OF } from "../channels/channel";
import type { PushDeps } from "../deps/push-deps";
import { EVENT_COLUMNS, type EventRow } from "../events/push-event";
import { expirationOf, type Message, readMessage } from "../payload/message";
import type { PushPayload as Payload } from "../payload/push-payload";
import { sizeProblem } from "../payload/size";
import { translate } from "../payload/translate";
import type { Outcome, Provider, PushTarget } from "../providers/port/provider";
import { publishDeliveryUpdate } from "./delivery-updates";
import type { DeliverJob } from "./fan-out";
import { type Attempt, recordOutcomes } from "./record-outcomes";

/** Batches in flight per node. After a crash, up to 500 times as many pushes may be sent twice. */
export const CONCURRENT_BATCHES = 4;

const EVENT: Statement = {
  name: "push_event_to_deliver",
  text: `SELECT ${EVENT_COLUMNS}, e.withdrawn_at FROM push_events e WHERE e.id = $1`,
};

const BATCH: Statement = {
  name: "push_batch",
  text: `SELECT d.id, s.id AS subscription, coalesce(s.token, '') AS token, s.bundle_id,
      s.web_auth, s.web_p256dh
    FROM push_deliveries d LEFT JOIN push_subscriptions s ON s.id = d.subscription_id
    WHERE d.id = ANY($1::bigint[]) AND d.outcome IN ('pending', 'later') AND d.attempts = $2`,
};

type DeliveredRow = EventRow & { withdrawn_at: Date | null };

interface BatchRow {
  id: number;
  subscription: number | null;
  token: string;
  bundle_id: string | null;
  web_auth: string | null;
  web_p256dh: string | null;
}

type Send = (target: PushTarget) => Promise<Outcome>;

/**
 * Sends the deliveries of a batch that still await this attempt, and records their outcomes. A batch that a
 * crash interrupts is sent again as a whole.
 */
export async function deliver(push: PushDeps, job: DeliverJob): Promise<void> {
  const { query } = push.store;
  const [event] = await query<DeliveredRow>(EVENT, [job.event]);
  if (!event) return;
  const rows = await query<BatchRow>(BATCH, [job.deliveries, job.attempts]);
  if (rows.length === 0) return;
  const send = await senderOf(push, event);
  const attempts = await Promise.all(rows.map((row) => attemptDelivery(row, send)));
  for (const { outcome } of await recordOutcomes(push, job, attempts)) {
    push.metrics.pushDeliveries.inc({ service: SERVICE_OF[event.channel], outcome: outcome.kind });
  }
  await publishDeliveryUpdate(push, event, job.deliveries);
}

async function attemptDelivery(row: BatchRow, send: Send): Promise<Attempt> {
  const { id: delivery, subscription, token } = row;
  const outcome: Outcome =
    subscription === null
      ? { kind: "unregistered", reason: "The subscription was deleted before the push was sent" }
      : await send({
          deliveryId: delivery,
          token,
          bundleId: row.bundle_id,
          webAuth: row.web_auth,
          webP256dh: row.web_p256dh,
        });
  return { delivery, subscription, token, outcome };
}

/** Returns the function that sends the event to a device, or one that refuses if it cannot be sent at all. */
async function senderOf(push: PushDeps, event: DeliveredRow): Promise<Send> {
  const refuseAll = (reason: string): Send => {
    const outcome: Outcome = { kind: "failed", reason };
    return () => Promise.resolve(outcome);
  };
  if (event.withdrawn_at !== null) return refuseAll("It was withdrawn before it could be sent");
  const { application_id: applicationId, environment, channel } = event;
  const now = push.clock.now();
  const message = readMessage(event.message, event.universal ? null : channel);
  const payload = translate(message, channel, now);
  const problem = isExpired(message, now)
    ? "The notification expired before it could be sent"
    : sizeProblem(payload);
  if (problem !== null) return refuseAll(problem);
  const provider = await push.provider(applicationId, environment, SERVICE_OF[channel]);
  if (provider === null) return refuseAll(`No ${channel} credentials are set for ${environment}`);
  return withTimer(push, provider, channel, payload);
}

function withTimer(
  push: PushDeps,
  provider: Provider,
  channel: PushChannel,
  payload: Payload,
): Send {
  const service = SERVICE_OF[channel];
  return async (target) => {
    const stop = push.metrics.pushSeconds.startTimer({ service });
    const outcome = await provider.send(payload, target);
    stop();
    return outcome;
  };
}

/** Whether the notification has expired. An expiration of 0 asks the platform to try once. */
function isExpired(message: Message, now: number): boolean {
  const expiration = expirationOf(message);
  return expiration !== null && expiration > 0 && expiration * 1000 <= now;
}
