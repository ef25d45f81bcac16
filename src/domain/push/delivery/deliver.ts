import type { Counter } from "../../../core/statistics/application-counters";
import { inSpan } from "../../../core/tracing";
import type { JobRun } from "../../../platform/jobs/jobs";
import { CHANNEL_TABLE, type PushChannel } from "../channels/channel";
import type { PushDeps } from "../deps/push-deps";
import { collapseCallPush } from "../events/call-push";
import { findEventToDeliver } from "../events/dispatch-queries";
import type { PushEvent } from "../events/push-event";
import { expirationOf, type Message, readStoredMessage } from "../payload/message";
import type { PushPayload as Payload } from "../payload/push-payload";
import { sizeProblem } from "../payload/size";
import { translate } from "../payload/translate";
import type { Outcome, Provider, PushTarget } from "../providers/port/provider";
import { refusalOf } from "../providers/port/refusal";
import { publishDeliveryUpdate } from "./deliveries";
import { type BatchEntry, findBatch } from "./delivery-queries";
import type { DeliverJob } from "./fan-out";
import { type Attempt, recordOutcomes } from "./record-outcomes";

/** Batches in flight per node. After a crash, up to 500 times as many pushes may be sent twice. */
export const CONCURRENT_BATCHES = 4;

/** The counter of each outcome in the statistics of an application. */
const OUTCOME_COUNTERS = {
  accepted: "pushesAccepted",
  unregistered: "pushesUnregistered",
  failed: "pushesFailed",
  retry: "pushesRetried",
} as const satisfies Record<Outcome["kind"], Counter>;

type Send = (target: PushTarget) => Promise<Outcome>;

/** What the deliveries of a batch are sent with. */
interface Sender {
  send: Send;
  /** When the credentials were set that the outcomes are about; null if nothing is sent. */
  credentialsSetAt: Date | null;
}

/**
 * Sends the deliveries of a batch that still await this attempt, and records their outcomes. A batch that a
 * crash interrupts is sent again as a whole. If it was of an incoming call that has stopped ringing since, it is not sent
 * again, and its devices are told that the call has ended, since they may have got it.
 */
export async function deliver(
  push: PushDeps,
  job: DeliverJob,
  { repeated }: JobRun = { repeated: false },
): Promise<void> {
  const { query } = push.store;
  const event = await findEventToDeliver(query, job.event);
  if (event === null) return;
  const batch = await findBatch(query, job.deliveries, job.attempts);
  if (batch.length === 0) return;
  const { send, credentialsSetAt } = event.withdrawnAt
    ? sendNothing("It was withdrawn before it could be sent")
    : await senderOf(push, event);
  const attempts = await Promise.all(
    batch.map((entry) => attemptDelivery(entry, entry.blocked ? REFUSE_BLOCKED : send)),
  );
  const uncertain = repeated && event.withdrawnAt !== null;
  const { service } = CHANNEL_TABLE[event.channel];
  for (const { outcome } of await recordOutcomes(push, job, attempts, { uncertain })) {
    push.metrics.pushDeliveries.inc({ service, outcome: outcome.kind });
    push.counters.count(event.applicationId, OUTCOME_COUNTERS[outcome.kind]);
  }
  const refusal = refusalOf(service, attempts);
  if (refusal !== undefined && credentialsSetAt !== null) {
    const { applicationId, environment } = event;
    const credentials = { applicationId, environment, service, updatedAt: credentialsSetAt };
    await push.noteCredentials(credentials, refusal);
  }
  await publishDeliveryUpdate(push, event, job.deliveries);
}

async function attemptDelivery({ subscription, target }: BatchEntry, send: Send): Promise<Attempt> {
  const outcome: Outcome =
    subscription === null
      ? { kind: "unregistered", reason: "The subscription was deleted before the push was sent" }
      : await send(target);
  const { deliveryId: delivery, token, bundleId } = target;
  return { delivery, subscription, token, bundleId, outcome };
}

/** A function that sends nothing and fails every delivery. */
function refuseAll(reason: string): Send {
  const outcome: Outcome = { kind: "failed", reason };
  return () => Promise.resolve(outcome);
}

/** As {@link refuseAll}, for all deliveries of a batch. */
function sendNothing(reason: string): Sender {
  return { send: refuseAll(reason), credentialsSetAt: null };
}

/** Fails the delivery to a user who was blocked after the fan-out. */
const REFUSE_BLOCKED = refuseAll("The user was blocked before the push was sent");

/** Returns what sends the event to devices, or what refuses if it cannot be sent at all. */
async function senderOf(push: PushDeps, event: PushEvent): Promise<Sender> {
  const { applicationId, environment, channel } = event;
  const now = push.clock.now();
  const message = readStoredMessage(event);
  const translated = translate(message, channel, now);
  const payload = event.kind === "API" ? translated : collapseCallPush(translated, message);
  const problem = isExpired(message, now)
    ? "The notification expired before it could be sent"
    : sizeProblem(payload);
  if (problem !== null) return sendNothing(problem);
  const key = [applicationId, environment, CHANNEL_TABLE[channel].service] as const;
  // Read first: if other credentials are set in between, the verdict about them is dropped, and none is wrong.
  const credentialsSetAt = await push.credentialsSetAt(...key);
  const provider = await push.provider(...key);
  if (provider === null) return sendNothing(`No ${channel} credentials are set for ${environment}`);
  return { send: withTimer(push, provider, channel, payload), credentialsSetAt };
}

function withTimer(
  push: PushDeps,
  provider: Provider,
  channel: PushChannel,
  payload: Payload,
): Send {
  const service = CHANNEL_TABLE[channel].service;
  const attributes = { "signalbox.push.service": service };
  return (target) =>
    inSpan(`push ${service}`, "internal", attributes, async (span) => {
      const stop = push.metrics.pushSeconds.startTimer({ service });
      const outcome = await provider.send(payload, target);
      stop();
      span?.setAttribute("signalbox.push.outcome", outcome.kind);
      return outcome;
    });
}

/** Whether the notification has expired. An expiration of 0 asks the platform to try once. */
function isExpired(message: Message, now: number): boolean {
  const expiration = expirationOf(message);
  return expiration !== null && expiration > 0 && expiration * 1000 <= now;
}
