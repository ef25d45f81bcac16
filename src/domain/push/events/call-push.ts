import type { JsonObject } from "../../../core/json";
import type { EnqueueIn } from "../../../platform/jobs/jobs";
import type { Transaction } from "../../../platform/store/store";
import type { PushChannel, PushEnvironment } from "../channels/channel";
import { FAN_OUT_OPTIONS, PUSH_JOBS } from "../deps/push-deps";
import type { Selector } from "../devices/recipient-queries";
import { isObject } from "../payload/json";
import { decodeText, type Message } from "../payload/message";
import type { PushPayload } from "../payload/push-payload";
import { insertCallPushes } from "./call-push-queries";
import { FIRST_WINDOW } from "./dispatch-queries";
import { validateEvent } from "./event-request";

/** Content of a push about a call, in terms of a universal message. */
export interface CallPushContent {
  /** Text for platforms that display the notification by themselves. */
  text: string;
  /** Expiration time in Unix seconds. */
  expiration: number;
  /** Number on the app's icon; absent to leave it. */
  badge?: number;
  /** Custom keys for the app. */
  custom: JsonObject;
}

/** Recipient and call of a push about a call. */
export interface CallPushRequest {
  kind: "CALL" | "MISSED_CALL";
  applicationId: number;
  environment: PushEnvironment;
  callId: number;
  userId: number;
  /** The user's channels (see `channelsOfUsers`). */
  channels: readonly PushChannel[];
  content: CallPushContent;
}

/** A validated incoming-call push. */
export interface CallPush extends Omit<CallPushRequest, "content"> {
  message: string;
  selector: Selector;
}

/** Prefers VoIP subscriptions, with the standard channels as a fallback. */
export const CALL_PUSH_ROUTING = { voip: true } as const;

/**
 * Validates an incoming-call push like any other push.
 * @param now milliseconds since the Unix epoch
 * @throws Fault INVALID if the content does not fit a push
 */
export function validateCallPush({ content, ...request }: CallPushRequest, now: number): CallPush {
  const { text, expiration, badge, custom } = content;
  const message = {
    ...custom,
    message: text,
    ...(request.kind === "CALL" && { ios_voip: 1 }),
    ios_sound: "default",
    ...(badge !== undefined && { ios_badge: badge }),
    expiration,
  };
  const validated = validateEvent(
    {
      environment: request.environment,
      userIds: [String(request.userId)],
      message: {
        encoded: { channel: null, text: writeCallPush(message) },
      },
    },
    now,
  );
  return { ...request, message: validated.message, selector: validated.selector };
}

/**
 * Writes incoming-call pushes, one event per channel, and their fan-out jobs, with two statements in total.
 * @param enqueue with the queue `PUSH_JOBS.fanOut` open
 * @param now milliseconds since the Unix epoch
 */
export async function writeCallPushes(
  transaction: Transaction,
  enqueue: EnqueueIn,
  pushes: readonly CallPush[],
  now: number,
): Promise<void> {
  const ids = await insertCallPushes(transaction.query, pushes, new Date(now));
  const jobs = ids.map((id) => ({ event: id, occurrence: 0, ...FIRST_WINDOW }));
  await enqueue(transaction, PUSH_JOBS.fanOut, jobs, FAN_OUT_OPTIONS);
}

/**
 * Names the call as what a push is about, so that of two pushes of one call the second replaces the first on the screen
 * (apns-collapse-id) or in the queue of the push service (Topic). FCM keeps only four collapse keys for a device, so
 * apps recognize the call by `callUuid` there.
 * @param message of an event of kind `CALL` or `CALL_END`; one that an earlier version wrote has no UUID
 */
export function collapseCallPush(payload: PushPayload, message: Message): PushPayload {
  const call = message.kind === "universal" ? message.custom.call : null;
  const uuid = isObject(call) ? call.callUuid : null;
  if (typeof uuid !== "string") return payload;
  switch (payload.channel) {
    case "apns":
    case "apns_voip":
      return { ...payload, collapseId: uuid };
    case "web":
      return { ...payload, topic: uuid.replaceAll("-", "") };
    case "gcm":
      return payload;
  }
}

/** A message without what an incoming-call push says of its caller, except for the id. */
export function withoutCaller(message: string): string {
  const content = readCallPush(message);
  const call = { ...content.call, callerName: null, callerAvatar: null, userInfo: null };
  return writeCallPush({ ...content, message: "Incoming call", call });
}

/** The content of a message that {@link validateCallPush} made; without keys if it is another one. */
export function readCallPush(message: string): JsonObject & { call: JsonObject } {
  try {
    const content = JSON.parse(decodeText(message)) as JsonObject;
    return { ...content, call: isObject(content.call) ? content.call : {} };
  } catch {
    return { call: {} };
  }
}

/** The stored form of a universal message: Base64 of its JSON. */
export function writeCallPush(content: JsonObject): string {
  return Buffer.from(JSON.stringify(content)).toString("base64");
}
