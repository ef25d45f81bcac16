import { Fault } from "../../core/errors";
import { CHANNELS, type PushChannel, type PushEnvironment } from "../channel";
import { type Message, readMessage, voipWanted } from "../payload/message";
import { translate } from "../payload/translate";
import type { PushEventType } from "./push-event";
import { type Recipients, type Selector, toSelector } from "./selector";

/** Seconds between two dispatches that a schedule may have: a day, a week, 30 days, a year. */
export const PERIODS = [86_400, 604_800, 2_592_000, 31_557_600] as const;
/** Milliseconds that a date may lie in the past: clocks of clients differ. */
const LATE_MS = 60 * 60 * 1000;
const NAME_MAX = 255;

/** A push as it is asked for (interface.md "POST /events"). */
export interface EventInput extends Recipients {
  /** One platform's channel; null or absent for a universal push. */
  pushType?: PushChannel | null;
  environment: PushEnvironment;
  eventType?: PushEventType | null;
  message: string;
  name?: string | null;
  /** Of a schedule: when it is dispatched first. */
  date?: Date | null;
  endDate?: Date | null;
  period?: number | null;
}

/** A push that was checked. */
export interface EventRequest {
  /** Channels that it may go over, and no universal push by more than it names. */
  channels: readonly PushChannel[];
  universal: { voip: boolean } | null;
  environment: PushEnvironment;
  eventType: PushEventType;
  message: string;
  content: Message;
  name: string | null;
  date: Date | null;
  endDate: Date | null;
  period: number | null;
  selector: Selector;
}

/**
 * Checks a push, its payload included.
 * @param now milliseconds since the Unix epoch
 * @throws Fault INVALID on the field that is wrong
 */
export function checkEvent(input: EventInput, now: number): EventRequest {
  const message = checkMessage(input, now);
  const { environment } = input;
  const name = checkName(input);
  const schedule = checkSchedule(input, now);
  const selector = toSelector(input);
  return { ...message, ...schedule, message: input.message, environment, name, selector };
}

/** Everything that is wrong with a push, as `field: reason`; see {@link checkEvent}. */
export function findProblems(input: EventInput, now: number): string[] {
  const checks = [
    () => checkMessage(input, now),
    () => checkName(input),
    () => checkSchedule(input, now),
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

function checkMessage(
  { pushType, message }: EventInput,
  now: number,
): Pick<EventRequest, "content" | "universal" | "channels"> {
  const channel = pushType ?? null;
  const content = readMessage(message, channel);
  const voip = channel === null && voipWanted(content);
  const channels =
    channel === null ? CHANNELS.filter((each) => voip || each !== "apns_voip") : [channel];
  // What cannot be translated is told now, not to every device.
  for (const each of channels) translate(content, each, now);
  return { content, universal: channel === null ? { voip } : null, channels };
}

function checkName({ name = null }: EventInput): string | null {
  if (name !== null && name.length > NAME_MAX) {
    throw Fault.field("name", `must be a text of at most ${NAME_MAX} characters`);
  }
  return name;
}

function checkSchedule(
  input: EventInput,
  now: number,
): Pick<EventRequest, "eventType" | "date" | "endDate" | "period"> {
  const eventType = input.eventType ?? "one_shot";
  const { date = null, endDate = null, period = null } = input;
  if (eventType === "one_shot") {
    for (const [field, value] of Object.entries({ date, endDate, period })) {
      if (value !== null) throw Fault.field(field, "is for fixed_date and period_date alone");
    }
    return { eventType, date, endDate, period };
  }
  if (date === null) throw Fault.field("date", `is required for ${eventType}`);
  if (date.getTime() < now - LATE_MS) throw Fault.field("date", "must lie in the future");
  if (eventType === "fixed_date") {
    if (period !== null) throw Fault.field("period", "is for period_date alone");
    if (endDate !== null) throw Fault.field("endDate", "is for period_date alone");
    return { eventType, date, endDate, period };
  }
  if (period === null) throw Fault.field("period", "is required for period_date");
  if (!(PERIODS as readonly number[]).includes(period)) {
    throw Fault.field("period", `must be one of ${PERIODS.join(", ")} seconds`);
  }
  if (endDate !== null && endDate <= date) throw Fault.field("endDate", "must be after date");
  return { eventType, date, endDate, period };
}
