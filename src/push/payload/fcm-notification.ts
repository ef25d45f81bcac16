import type { Json, JsonObject } from "./json";
import { KeyReader } from "./key-reader";

/** Parameters of a notification by their places in a message of the HTTP v1 API. */
export interface FcmNotification {
  /** `message.notification`: title, body and image. */
  shared: JsonObject;
  /** `message.android.notification`: everything else. */
  android: JsonObject;
}

type Read = (reader: KeyReader, key: string) => Json | undefined;

const text: Read = (reader, key) => reader.text(key);
const texts: Read = (reader, key) => reader.texts(key);
const flag: Read = (reader, key) => reader.flag(key);
const word =
  (words: string[], prefix?: string): Read =>
  (reader, key) =>
    reader.word(key, words, prefix);

/** Form of a google.protobuf.Duration in JSON. */
const DURATION = /^\d{1,12}(\.\d{1,9})?s$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const INTEGER_MAX = 2_147_483_647;

const duration: Read = (reader, key) => reader.textLike(key, DURATION, 'seconds like "0.5s"');
const durations: Read = (reader, key) => {
  const list = reader.texts(key);
  if (list?.some((each) => !DURATION.test(each))) {
    reader.refuse(key, 'must be a list of seconds like "0.5s"');
  }
  return list;
};

/** LED: its colour by shares, and how long it is on and off. */
const light: Read = (reader, key) => {
  const settings = reader.inside(key);
  if (!settings) return undefined;
  const color = settings.inside("color");
  const shares = ["red", "green", "blue", "alpha"].map((name) => [name, color?.share(name)]);
  const parts = {
    color: color && Object.fromEntries(shares.filter(([, share]) => share !== undefined)),
    light_on_duration: duration(settings, "light_on_duration"),
    light_off_duration: duration(settings, "light_off_duration"),
  };
  for (const [name, part] of Object.entries(parts)) {
    if (part === undefined) settings.refuse(name, "is required");
  }
  return parts as JsonObject;
};

const PRIORITIES = ["MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map((each) => `PRIORITY_${each}`);

/** Parameters that the API knows (Notification and AndroidNotification of its reference). */
const PARAMETERS = new Map<string, Read>([
  ["title", text],
  ["body", text],
  ["image", text],
  ["icon", text],
  ["color", (reader, key) => reader.textLike(key, /^#[0-9a-f]{6}$/i, "a colour like #rrggbb")],
  ["sound", text],
  ["tag", text],
  ["click_action", text],
  ["body_loc_key", text],
  ["body_loc_args", texts],
  ["title_loc_key", text],
  ["title_loc_args", texts],
  ["channel_id", text],
  ["ticker", text],
  ["sticky", flag],
  ["event_time", (reader, key) => reader.textLike(key, TIME, "a time of RFC 3339")],
  ["local_only", flag],
  ["notification_priority", word(PRIORITIES, "PRIORITY_")],
  ["default_sound", flag],
  ["default_vibrate_timings", flag],
  ["default_light_settings", flag],
  ["vibrate_timings", durations],
  ["visibility", word(["PRIVATE", "PUBLIC", "SECRET"])],
  ["notification_count", (reader, key) => reader.integer(key, INTEGER_MAX)],
  ["light_settings", light],
  ["bypass_proxy_notification", flag],
  ["proxy", word(["ALLOW", "DENY", "IF_PRIORITY_LOWERED"])],
]);

/** Names that the older API and Firebase's libraries have for some of them. */
const ALIASES = new Map([
  ["android_channel_id", "channel_id"],
  ["priority", "notification_priority"],
  ["image_url", "image"],
]);

const SHARED = new Set(["title", "body", "image"]);

/** The name of the HTTP v1 API for a parameter, which may be written `clickAction` as well. */
function parameterName(key: string): string {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ALIASES.get(name) ?? name;
}

/**
 * Sorts parameters of a notification into their places. What the API does not know is left out, as it
 * would refuse the message for it; that and wrong types are noted with the reader.
 */
export function readFcmNotification(reader: KeyReader): FcmNotification {
  const sorted: FcmNotification = { shared: {}, android: {} };
  for (const key of reader.keys()) {
    const name = parameterName(key);
    const read = PARAMETERS.get(name);
    if (read === undefined) reader.leaveOut(key, "Firebase does not know it");
    const value = read?.(reader, key);
    if (value !== undefined) (SHARED.has(name) ? sorted.shared : sorted.android)[name] = value;
  }
  return sorted;
}
