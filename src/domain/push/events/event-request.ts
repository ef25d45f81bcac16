import { Fault } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channels/channel";
import type { Selector } from "../devices/recipient-queries";
import { type RecipientsInput, toSelector } from "../devices/selector";
import { type Message, readMessage, wantsVoip, writePlatformMessage } from "../payload/message";
import { type PushNotification, writeNotification } from "../payload/notification";
import { checkMessageLength } from "../payload/size";
import { translate } from "../payload/translate";
import type { PushEventType } from "./push-event";

/** Allowed periods of a schedule in seconds: a day, a week, 30 days, a year. */
export const PERIODS = [86_400, 604_800, 2_592_000, 31_557_600] as const;
/** Tolerance in milliseconds for a date in the past: clocks of clients differ. */
const CLOCK_TOLERANCE_MS = 60 * 60 * 1000;
const NAME_MAX = 255;

/** The message of a push, in one of three forms. */
export type MessageInput =
  | { notification: PushNotification }
  | { platform: { channel: PushChannel; payload: JsonObject } }
  /** `event[message]`, and the channel of a platform-specific one. */
  | { encoded: { channel: PushChannel | null; text: string } };

/** Request for a push (POST /events, schema/rest/push-events.graphql). */
export interface EventInput extends RecipientsInput {
  environment: PushEnvironment;
  eventType?: PushEventType | null;
  message: MessageInput;
  name?: string | null;
  /** First dispatch of a schedule. */
  date?: Date | null;
  endDate?: Date | null;
  period?: number | null;
}

/** A validated push request. */
export interface EventRequest {
  /** Channels that the push may use; a universal push uses VoIP only if its message asks for it. */
  channels: readonly PushChannel[];
  universal: { voip: boolean } | null;
  environment: PushEnvironment;
  eventType: PushEventType;
  /** The message as push_events.message stores it. */
  message: string;
  content: Message;
  name: string | null;
  date: Date | null;
  endDate: Date | null;
  period: number | null;
  selector: Selector;
}

/**
 * Validates a push request, including its payload.
 * @param now milliseconds since the Unix epoch
 * @throws Fault INVALID on the wrong field
 */
export function validateEvent(input: EventInput, now: number): EventRequest {
  const message = validateMessage(input, now);
  const { environment } = input;
  const name = validateName(input);
  const schedule = validateSchedule(input, now);
  const selector = toSelector(input);
  return { ...message, ...schedule, environment, name, selector };
}

/** Every problem of a push request, as `field: reason`; see {@link validateEvent}. */
export function findProblems(input: EventInput, now: number): string[] {
  const checks = [
    () => validateMessage(input, now),
    () => validateName(input),
    () => validateSchedule(input, now),
    () => toSelector(input),
  ];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return textsOf(error);
    }
  });
}

function textsOf({ fields, message }: Fault): string[] {
  return Object.entries(fields ?? { base: [message] }).flatMap(([field, texts]) =>
    texts.map((text) => (field === "base" ? text : `${field}: ${text}`)),
  );
}

function validateMessage(
  { message: input }: EventInput,
  now: number,
): Pick<EventRequest, "message" | "content" | "universal" | "channels"> {
  const { message, channel } = storedForm(input);
  const universal = channel === null;
  const content =
    "notification" in input
      ? { kind: "notification" as const, notification: input.notification }
      : readMessage(message, channel);
  const voip = universal && wantsVoip(content);
  const channels = universal ? CHANNELS.filter((each) => voip || each !== "apns_voip") : [channel];
  // Fails here rather than once per device if a payload cannot be translated.
  for (const each of channels) translate(content, each, now);
  return { message, content, universal: universal ? { voip } : null, channels };
}

/** A message as it is stored, and the channel of a platform-specific one. */
function storedForm(input: MessageInput): { message: string; channel: PushChannel | null } {
  if ("encoded" in input) return { message: input.encoded.text, channel: input.encoded.channel };
  if ("platform" in input) {
    const { channel, payload } = input.platform;
    return { message: writePlatformMessage(payload), channel };
  }
  const message = writeNotification(input.notification, "message.notification.");
  checkMessageLength(message);
  return { message, channel: null };
}

function validateName({ name = null }: EventInput): string | null {
  if (name !== null && name.length > NAME_MAX) {
    throw Fault.field("name", `is too long (maximum is ${NAME_MAX} characters)`);
  }
  return name;
}

function validateSchedule(
  input: EventInput,
  now: number,
): Pick<EventRequest, "eventType" | "date" | "endDate" | "period"> {
  const eventType = input.eventType ?? "one_shot";
  const { date = null, endDate = null, period = null } = input;
  if (eventType === "one_shot") {
    for (const [field, value] of Object.entries({ date, endDate, period })) {
      if (value !== null) throw scheduleFault(field, "is only for FIXED_DATE and PERIOD_DATE");
    }
    return { eventType, date, endDate, period };
  }
  if (date === null) throw scheduleFault("date", `is required for ${eventType.toUpperCase()}`);
  if (date.getTime() < now - CLOCK_TOLERANCE_MS) {
    throw Fault.field("date", "must be in the future");
  }
  if (eventType === "fixed_date") {
    if (period !== null) throw scheduleFault("period", "is only for PERIOD_DATE");
    if (endDate !== null) throw scheduleFault("endDate", "is only for PERIOD_DATE");
    return { eventType, date, endDate, period };
  }
  if (period === null) throw scheduleFault("period", "is required for PERIOD_DATE");
  if (!(PERIODS as readonly number[]).includes(period)) {
    throw Fault.field("period", `must be one of ${PERIODS.join(", ")} seconds`);
  }
  if (endDate !== null && endDate <= date) throw Fault.field("endDate", "must be after date");
  return { eventType, date, endDate, period };
}

/** INVALID on a field, with the event types as GraphQL writes them; REST writes them in lower case. */
function scheduleFault(field: string, text: string): Fault {
  const onRest = text.replace(/(?:FIXED|PERIOD)_DATE/g, (name) => name.toLowerCase());
  return Fault.field(field, text, onRest);
}
