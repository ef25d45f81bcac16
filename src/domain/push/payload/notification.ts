import { Fault, type FieldErrors } from "../../../core/errors";
import type { JsonObject } from "../../../core/json";
import type { PushChannel } from "../channels/channel";
import type { FcmNotification } from "./fcm-notification";
import { jsonProblem, omitUndefined, unlessEmpty } from "./json";
import { EXPIRATION_MAX, type UniversalMessage } from "./universal";

/** What every platform shows or passes to the app. */
export interface NotificationContent {
  title?: string;
  body?: string;
  /** Number on the app's icon. */
  badge?: number;
  /** Keys for the app. */
  data?: JsonObject;
}

/** The content for Apple's platforms. */
export interface AppleNotification extends NotificationContent {
  subtitle?: string;
  sound?: string;
  category?: string;
  threadId?: string;
  titleLocKey?: string;
  titleLocArgs?: string[];
  bodyLocKey?: string;
  bodyLocArgs?: string[];
  contentAvailable?: boolean;
  mutableContent?: boolean;
  voip?: boolean;
}

/** The content for Android. */
export interface AndroidNotification extends NotificationContent {
  sound?: string;
  channelId?: string;
  icon?: string;
  color?: string;
  imageUrl?: string;
  tag?: string;
  clickAction?: string;
}

/** The content for browsers. */
export interface WebNotification extends NotificationContent {
  icon?: string;
  imageUrl?: string;
  tag?: string;
}

/**
 * A notification for all platforms (PushNotificationInput). What a platform has of its own replaces the shared
 * content there.
 */
export interface PushNotification extends NotificationContent {
  sound?: string;
  /** When push services may discard it. */
  expiresAt?: Date;
  apple?: AppleNotification;
  android?: AndroidNotification;
  web?: WebNotification;
}

const PLATFORMS = ["apple", "android", "web"] as const;
const COLOR = /^#[0-9a-f]{6}$/i;

/**
 * Validates a notification and serializes it as push_events.message stores it: as JSON. No other message
 * begins with `{`, since those of REST clients are Base64.
 * @param path prefix of the names of its fields in errors
 * @throws Fault INVALID on every wrong field
 */
export function writeNotification(notification: PushNotification, path: string): string {
  const problems: FieldErrors = {};
  checkContent(notification, path, problems);
  for (const platform of PLATFORMS) {
    const own = notification[platform];
    if (own) checkContent(own, `${path}${platform}.`, problems);
  }
  const { expiresAt, ...content } = notification;
  if (expiresAt && expiresAt.getTime() > EXPIRATION_MAX * 1000) {
    problems[`${path}expiresAt`] = ["must be before 2106"];
  }
  const color = notification.android?.color;
  if (color !== undefined && !COLOR.test(color)) {
    problems[`${path}android.color`] = ["must be a colour like #rrggbb"];
  }
  if (Object.keys(content).length === 0)
    problems[`${path}title`] = ["or other content is required"];
  const [first] = Object.entries(problems);
  if (first) throw new Fault("INVALID", `${first[0]} ${first[1].join("; ")}`, problems);
  return JSON.stringify(notification);
}

function checkContent({ badge = 0, data }: NotificationContent, path: string, to: FieldErrors) {
  if (badge < 0) to[`${path}badge`] = ["must not be negative"];
  if (!data) return;
  const problem = Object.hasOwn(data, "aps")
    ? "contains the key aps, which Apple reserves"
    : jsonProblem(data, 1);
  if (problem) to[`${path}data`] = [problem];
}

/** Whether a stored message is a notification. */
export function isNotification(stored: string): boolean {
  return stored.startsWith("{");
}

/** Parses what {@link writeNotification} returned. */
export function readNotification(stored: string): PushNotification {
  const { expiresAt, ...content } = JSON.parse(stored);
  return expiresAt === undefined ? content : { ...content, expiresAt: new Date(expiresAt) };
}

/** Converts a notification to the message of one channel. */
export function toUniversal(
  notification: PushNotification,
  channel: PushChannel,
): UniversalMessage {
  switch (channel) {
    case "apns":
    case "apns_voip":
      return forApple(notification);
    case "gcm":
      return forAndroid(notification);
    case "web":
      return forWeb(notification);
  }
}

/** A time in Unix seconds; null without one. */
export function unixSeconds(time: Date | undefined): number | null {
  return time ? Math.floor(time.getTime() / 1000) : null;
}

/** A message without content. */
function emptyMessage({ apple, expiresAt }: PushNotification): UniversalMessage {
  return {
    kind: "universal",
    contentAvailable: false,
    mutableContent: false,
    voip: apple?.voip ?? false,
    pushType: "alert",
    expiration: unixSeconds(expiresAt),
    alert: {},
    custom: {},
    dropped: [],
  };
}

function forApple(notification: PushNotification): UniversalMessage {
  const { title, body, badge, sound, data } = notification;
  const parts: AppleNotification = { title, body, badge, sound, data, ...notification.apple };
  const alert = omitUndefined({
    title: parts.title,
    subtitle: parts.subtitle,
    "title-loc-key": parts.titleLocKey,
    "title-loc-args": parts.titleLocArgs,
    "loc-key": parts.bodyLocKey,
    "loc-args": parts.bodyLocArgs,
  });
  const noticeable = omitUndefined({ body: parts.body, badge: parts.badge, sound: parts.sound });
  return {
    ...emptyMessage(notification),
    text: parts.body,
    badge: parts.badge,
    sound: parts.sound,
    contentAvailable: parts.contentAvailable ?? false,
    mutableContent: parts.mutableContent ?? false,
    category: parts.category,
    threadId: parts.threadId,
    // Apple requires this type for a push that the user does not notice.
    pushType: unlessEmpty({ ...noticeable, ...alert }) ? "alert" : "background",
    alert,
    custom: parts.data ?? {},
  };
}

function forAndroid(notification: PushNotification): UniversalMessage {
  const { title, body, badge, sound, data } = notification;
  const parts: AndroidNotification = { title, body, badge, sound, data, ...notification.android };
  const displayed: FcmNotification = {
    shared: omitUndefined({ title: parts.title, body: parts.body, image: parts.imageUrl }),
    android: omitUndefined({
      notification_count: parts.badge,
      sound: parts.sound,
      channel_id: parts.channelId,
      icon: parts.icon,
      color: parts.color,
      tag: parts.tag,
      click_action: parts.clickAction,
    }),
  };
  const message = { ...emptyMessage(notification), custom: parts.data ?? {} };
  // Without a text to display, the app receives only the data.
  if (parts.title !== undefined || parts.body !== undefined) {
    return { ...message, notification: displayed };
  }
  const dropped = Object.keys(omitUndefined({ ...parts, data: undefined })).map(
    (name) => `${name} is dropped: Android needs a title or a body`,
  );
  return { ...message, dropped };
}

/** For browsers: a title and the options of showNotification (Notifications API), for the service worker. */
function forWeb(notification: PushNotification): UniversalMessage {
  const { title, body, badge, data } = notification;
  const parts: WebNotification = { title, body, badge, data, ...notification.web };
  const { imageUrl: image, badge: appBadge, ...options } = parts;
  return { ...emptyMessage(notification), custom: omitUndefined({ ...options, image, appBadge }) };
}
