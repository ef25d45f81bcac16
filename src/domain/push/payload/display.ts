import type { JsonObject } from "../../../core/json";
import type { PushPayload } from "./push-payload";

/** What a device shows of a push without the help of the app; null for what the push does not set. */
export interface PushDisplay {
  /** Whether the device shows a notification. If not, the push only wakes the app. */
  visible: boolean;
  title: string | null;
  subtitle: string | null;
  body: string | null;
  /** Keys of the app's own texts, which replace title and body. */
  titleLocKey: string | null;
  bodyLocKey: string | null;
  badge: number | null;
  sound: string | null;
  /** URL of an image, and an icon's URL or name. */
  imageUrl: string | null;
  icon: string | null;
}

/** Maximum of GraphQL's Int. */
const BADGE_MAX = 2_147_483_647;

/** Reads from a payload what a device shows. A browser's service worker may show it otherwise. */
export function displayOf(push: PushPayload): PushDisplay {
  switch (push.channel) {
    case "apns":
      return onApple(objectOf(JSON.parse(push.payload)));
    case "apns_voip":
      // The app reports a call; Apple shows nothing of the payload.
      return shown({}, false);
    case "gcm":
      return onAndroid(push.message as JsonObject);
    case "web":
      return inBrowser(objectOf(JSON.parse(push.payload)));
  }
}

function onApple(payload: JsonObject): PushDisplay {
  const aps = objectOf(payload.aps);
  const alert = typeof aps.alert === "string" ? { body: aps.alert } : objectOf(aps.alert);
  const sound = typeof aps.sound === "string" ? aps.sound : objectOf(aps.sound).name;
  return shown({
    title: alert.title,
    subtitle: alert.subtitle,
    body: alert.body,
    titleLocKey: alert["title-loc-key"],
    bodyLocKey: alert["loc-key"],
    badge: aps.badge,
    sound,
  });
}

/** Firebase: the part for Android replaces the shared one. */
function onAndroid(message: JsonObject): PushDisplay {
  const shared = objectOf(message.notification);
  const android = objectOf(objectOf(message.android).notification);
  return shown({
    title: android.title ?? shared.title,
    body: android.body ?? shared.body,
    titleLocKey: android.title_loc_key,
    bodyLocKey: android.body_loc_key,
    badge: android.notification_count,
    sound: android.sound,
    imageUrl: android.image ?? shared.image,
    icon: android.icon,
  });
}

function inBrowser(payload: JsonObject): PushDisplay {
  return shown({
    title: payload.title,
    body: payload.body ?? payload.message,
    badge: payload.appBadge,
    imageUrl: payload.image,
    icon: payload.icon,
  });
}

type Found = Partial<Record<Exclude<keyof PushDisplay, "visible">, unknown>>;

function shown(found: Found, mayShow = true): PushDisplay {
  const title = textOf(found.title);
  const body = textOf(found.body);
  const titleLocKey = textOf(found.titleLocKey);
  const bodyLocKey = textOf(found.bodyLocKey);
  const { badge } = found;
  return {
    visible: mayShow && [title, body, titleLocKey, bodyLocKey].some((each) => each !== null),
    title,
    subtitle: textOf(found.subtitle),
    body,
    titleLocKey,
    bodyLocKey,
    badge: isBadge(badge) ? badge : null,
    sound: textOf(found.sound),
    imageUrl: textOf(found.imageUrl),
    icon: textOf(found.icon),
  };
}

/** Whether a value is a number that an icon can show, and that GraphQL's Int can hold. */
function isBadge(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= BADGE_MAX;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}
