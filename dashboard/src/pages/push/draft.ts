import type {
  CreatePushEventInput,
  PushEnvironment,
  PushMessageInput,
  PushRecipientsInput,
} from "./compose.generated.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.new.required;
export const SELECTORS = [
  "userIds",
  "externalUserIds",
  "tagsAny",
  "tagsAll",
  "tagsExclude",
] as const;
export const PLATFORMS = ["APNS", "GCM", "WEB", "APNS_VOIP"] as const;
export const EVENT_TYPES = ["ONE_SHOT", "FIXED_DATE", "PERIOD_DATE"] as const;

/** What the form of a push holds. Times are those of the browser's inputs, in local time. */
export interface PushDraft {
  form: "text" | "raw";
  title: string;
  body: string;
  badge: number | string;
  sound: string;
  data: string;
  expiresAt: string;
  subtitle: string;
  threadId: string;
  voip: boolean;
  channelId: string;
  androidImage: string;
  webIcon: string;
  webTag: string;
  platform: (typeof PLATFORMS)[number];
  payload: string;
  environment: PushEnvironment;
  by: (typeof SELECTORS)[number];
  entries: string[];
  eventType: (typeof EVENT_TYPES)[number];
  date: string;
  endDate: string;
  period: string;
  name: string;
}

/** Raw messages to begin with, by platform. */
export const EXAMPLES: Readonly<Record<PushDraft["platform"], string>> = {
  APNS: '{\n  "aps": {\n    "alert": { "title": "", "body": "" },\n    "sound": "default"\n  }\n}',
  APNS_VOIP: "{\n}",
  GCM: '{\n  "message": {\n    "notification": { "title": "", "body": "" }\n  }\n}',
  WEB: '{\n  "title": "",\n  "body": ""\n}',
};

/** An empty form. */
export const EMPTY_DRAFT: PushDraft = {
  form: "text",
  title: "",
  body: "",
  badge: "",
  sound: "",
  data: "",
  expiresAt: "",
  subtitle: "",
  threadId: "",
  voip: false,
  channelId: "",
  androidImage: "",
  webIcon: "",
  webTag: "",
  platform: "APNS",
  payload: EXAMPLES.APNS,
  environment: "PRODUCTION",
  by: "tagsAny",
  entries: [],
  eventType: "ONE_SHOT",
  date: "",
  endDate: "",
  period: "86400",
  name: "",
};

/** Fields of the form by the names that the service gives them in its reasons, the longer names first. */
export const FIELDS: Readonly<Record<string, keyof PushDraft>> = {
  "message.notification.title": "title",
  "message.notification.body": "body",
  "message.notification.badge": "badge",
  "message.notification.data": "data",
  "message.notification.expiresAt": "expiresAt",
  "message.platform": "payload",
  ...Object.fromEntries(SELECTORS.map((name) => [name, "entries"])),
  name: "name",
  date: "date",
  endDate: "endDate",
  period: "period",
};

/** Reads a JSON object that somebody types. */
function readObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> };
    }
    return { problem: texts.object };
  } catch (error) {
    return { problem: texts.json(error instanceof Error ? error.message : String(error)) };
  }
}

type Errors = Partial<Record<keyof PushDraft, string>>;

/** What is missing or cannot be read before the service is asked. */
export function draftErrors(draft: PushDraft): Errors {
  return { ...messageErrors(draft), ...recipientErrors(draft), ...scheduleErrors(draft) };
}

function messageErrors({ form, title, body, data, payload, expiresAt }: PushDraft): Errors {
  if (form === "raw") return jsonErrors("payload", payload);
  const errors = data.trim() === "" ? {} : jsonErrors("data", data);
  if (expiresAt !== "" && !isTime(expiresAt)) errors.expiresAt = texts.date;
  // Data alone is a push that only wakes the app.
  if (title.trim() === "" && body.trim() === "" && data.trim() === "") errors.title = texts.text;
  return errors;
}

function jsonErrors(field: "payload" | "data", text: string): Errors {
  const read = readObject(text);
  return "problem" in read ? { [field]: read.problem } : {};
}

function recipientErrors({ entries }: PushDraft): Errors {
  return entries.length === 0 ? { entries: texts.entries } : {};
}

function scheduleErrors({ eventType, date, endDate }: PushDraft): Errors {
  if (eventType === "ONE_SHOT") return {};
  return {
    ...(!isTime(date) && { date: texts.date }),
    ...(eventType === "PERIOD_DATE" &&
      endDate !== "" &&
      !isTime(endDate) && { endDate: texts.date }),
  };
}

/** Whether a browser's input holds a whole time that exists. */
const isTime = (local: string) => !Number.isNaN(Date.parse(local));

const isEmpty = (errors: Errors) => Object.keys(errors).length === 0;

/** The recipients of a form; null while there are none. */
export function recipientsOf(draft: PushDraft): PushRecipientsInput | null {
  if (!isEmpty(recipientErrors(draft))) return null;
  const { environment, by, entries, form, platform, voip } = draft;
  return {
    environment,
    [by]: entries,
    ...(form === "raw" ? { channel: platform } : { voip }),
  };
}

/** The push to preview; null while something is missing. An incomplete schedule is left out. */
export function previewOf(applicationId: string, draft: PushDraft): CreatePushEventInput | null {
  if (!isEmpty(messageErrors(draft)) || !isEmpty(recipientErrors(draft))) return null;
  const isScheduled = isEmpty(scheduleErrors(draft));
  return inputOf(applicationId, isScheduled ? draft : { ...draft, eventType: "ONE_SHOT" });
}

/** The push of a form without errors. */
export function inputOf(applicationId: string, draft: PushDraft): CreatePushEventInput {
  const { environment, by, entries, eventType, date, endDate, period, name } = draft;
  return {
    applicationId,
    environment,
    message: messageOf(draft),
    [by]: entries,
    eventType,
    ...(name.trim() !== "" && { name: name.trim() }),
    ...(eventType !== "ONE_SHOT" && { date: timeOf(date) }),
    ...(eventType === "PERIOD_DATE" && {
      period: Number(period),
      ...(endDate !== "" && { endDate: timeOf(endDate) }),
    }),
  };
}

function messageOf(draft: PushDraft): PushMessageInput {
  if (draft.form === "raw") {
    return { platform: { channel: draft.platform, payload: objectOf(draft.payload) } };
  }
  const { badge, data, expiresAt, voip } = draft;
  const apple = {
    ...filled({ subtitle: draft.subtitle, threadId: draft.threadId }),
    ...(voip && { voip }),
  };
  const android = filled({ channelId: draft.channelId, imageUrl: draft.androidImage });
  const web = filled({ icon: draft.webIcon, tag: draft.webTag });
  return {
    notification: {
      ...filled({ title: draft.title, body: draft.body, sound: draft.sound }),
      ...(badge !== "" && { badge: Number(badge) }),
      ...(data.trim() !== "" && { data: objectOf(data) }),
      ...(expiresAt !== "" && { expiresAt: timeOf(expiresAt) }),
      ...(hasKeys(apple) && { apple }),
      ...(hasKeys(android) && { android }),
      ...(hasKeys(web) && { web }),
    },
  };
}

/** The texts that are not empty. */
function filled<Texts extends Record<string, string>>(texts: Texts): Partial<Texts> {
  const entries = Object.entries(texts).filter(([, text]) => text.trim() !== "");
  return Object.fromEntries(entries) as Partial<Texts>;
}

const hasKeys = (value: object) => Object.keys(value).length > 0;

function objectOf(text: string): Record<string, unknown> {
  const read = readObject(text);
  return "value" in read ? read.value : {};
}

/** A time of a datetime-local input, which is in local time, as the service takes it. */
const timeOf = (local: string) => new Date(local).toISOString();
