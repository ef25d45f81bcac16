import { truncateText } from "../../../core/text/text";
import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import { findCallEndSettings } from "../../applications/application-queries";
import type { PushChannel } from "../channels/channel";
import { PUSH_JOBS } from "../deps/push-deps";
import {
  type CallEndEvent,
  countCallEndDeliveries,
  insertCallEnds,
  withdrawRings,
} from "../events/call-end-queries";
import { readCallPush, writeCallPush } from "../events/call-push";
import { omitUndefined } from "../payload/json";
import { insertCallEndDeliveries } from "./delivery-queries";
import { DELIVER_OPTIONS, type DeliverJob } from "./fan-out";

/** Why a call stopped ringing for a user. */
export type RingEndReason = "ANSWERED_ELSEWHERE" | "DECLINED_ELSEWHERE" | "CANCELLED" | "MISSED";

/** A call that stopped ringing for a user who was sent an incoming-call push. */
export interface EndedRing {
  callId: number;
  userId: number;
  reason: RingEndReason;
  /** The device that answered or declined; null if none did. */
  device: string | null;
}

/** Maximum length of the name of a device in a push, in characters. */
const DEVICE_MAX = 64;
/**
 * The shortest time for which push services keep an end, in seconds. An end expires with its ring; that of a missed call
 * comes when the ring expires.
 */
const KEPT_SECONDS = 30;

/** The text that platforms show which display a push by themselves; the name of the caller follows `Missed call`. */
const TEXTS: Readonly<Record<RingEndReason, string>> = {
  ANSWERED_ELSEWHERE: "Answered on another device",
  DECLINED_ELSEWHERE: "Declined on another device",
  CANCELLED: "Missed call",
  MISSED: "Missed call",
};

/**
 * Withdraws the incoming-call pushes of calls that stopped ringing: deliveries that were not sent are not sent any more.
 * If the application wants it (`callEndPush`), each device whose push service accepted the incoming-call push gets one
 * more push, which says why the call ended (docs/PUSH.md "The end of a ring"). A delivery that is accepted only later
 * gets its end from {@link sendCallEnds}, so an end never overtakes its ring.
 * @param enqueue with the queue `PUSH_JOBS.deliver` open
 * @param now milliseconds since the Unix epoch
 */
export async function endRings(
  transaction: Transaction,
  enqueue: EnqueueIn,
  rings: readonly EndedRing[],
  now: number,
): Promise<void> {
  const { query } = transaction;
  const at = new Date(now);
  const withdrawn = (await withdrawRings(query, rings, at)).filter(({ mayRing }) => mayRing);
  if (withdrawn.length === 0) return;
  const settings = await findCallEndSettings(
    transaction,
    withdrawn.map(({ applicationId }) => applicationId),
  );
  const ended = new Map(rings.map((ring) => [`${ring.callId} ${ring.userId}`, ring]));
  const ends = withdrawn.flatMap(({ id, applicationId, callId, userId, channel, message }) => {
    const own = settings.get(applicationId);
    const ring = ended.get(`${callId} ${userId}`);
    if (!own || !ring || (channel === "apns_voip" && !own.voip)) return [];
    return [{ ring: id, message: endMessage(message, channel, ring, now) }];
  });
  if (ends.length === 0) return;
  await sendCallEnds(transaction, enqueue, await insertCallEnds(query, ends, at), at);
}

/**
 * Enqueues the pushes that end rings, to the devices whose incoming-call push was accepted. Idempotent: a device gets one.
 * @param enqueue with the queue `PUSH_JOBS.deliver` open
 * @param uncertain deliveries of rings that the push service may have accepted before a crash
 */
export async function sendCallEnds(
  transaction: Transaction,
  enqueue: EnqueueIn,
  ends: readonly CallEndEvent[],
  now: Date,
  uncertain: readonly number[] = [],
): Promise<void> {
  const written = await insertCallEndDeliveries(transaction.query, ends, uncertain, now);
  if (written.length === 0) return;
  const counts = written.map(({ event, deliveries }) => ({ event, count: deliveries.length }));
  await countCallEndDeliveries(transaction.query, counts, now);
  const jobs: DeliverJob[] = written.map((each) => ({ ...each, attempts: 0 }));
  await enqueue(transaction, PUSH_JOBS.deliver, jobs, DELIVER_OPTIONS);
}

/** Builds the message of an end from that of its ring, in the form of push_events.message. */
function endMessage(
  ring: string,
  channel: PushChannel,
  { reason, device }: EndedRing,
  now: number,
): string {
  const { call, expiration } = readCallPush(ring);
  const { callerName } = call;
  const kept = Math.ceil(now / 1000) + KEPT_SECONDS;
  const isMissed = TEXTS[reason] === TEXTS.MISSED && typeof callerName === "string";
  const end = omitUndefined({
    message: isMissed ? `${TEXTS[reason]} from ${callerName}` : TEXTS[reason],
    expiration: typeof expiration === "number" ? Math.max(expiration, kept) : kept,
    // Shown without a sound, and without lighting the screen.
    aps: channel === "apns" ? { "interruption-level": "passive" } : undefined,
    call: {
      ...call,
      // Left out, so that an end is smaller than its ring, which the caller may have made as large as a push can be.
      callerAvatar: null,
      userInfo: null,
      type: "END",
      reason,
      device: device === null ? null : truncateText(device, DEVICE_MAX),
    },
  });
  return writeCallPush(end);
}
