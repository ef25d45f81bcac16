import type { Json, JsonObject } from "../../../core/json";
import { KeyReader } from "./key-reader";

/** Parameters of a notification, grouped as in a message of the HTTP v1 API. */
export interface FcmNotification {
  /** `message.notification`: title, body and image. */
  shared: JsonObject;
  /** `message.android.notification`: all other parameters. */
  android: JsonObject;
}

type Read = (reader: KeyReader, key: string) => Json | undefined;

const text: Read = (reader, key) => reader.text(key);
const texts: Read = (reader, key) => reader.texts(key);
const flag: Read = (reader, key) => reader.flag(key);
const word =
  (words: string[], prefix?: string): Read =>
  (reader, key) =>
    reader.enumValue(key, words, prefix);

/** JSON format of google.protobuf.Duration. */
const DURATION = /^\d{1,12}(\.\d{1,9})?s$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const INTEGER_MAX = 2_147_483_647;

const duration: Read = (reader, key) => reader.textMatching(key, DURATION, 'seconds like "0.5s"');
const durations: Read = (reader, key) => {
  const list = reader.texts(key);
  if (list?.some((each) => !DURATION.test(each))) {
    reader.addProblem(key, 'must be a list of seconds like "0.5s"');
  }
  return list;
};

/** LightSettings of the notification LED: colour components from 0 to 1, and durations on and off. */
const light: Read = (reader, key) => {
  const settings = reader.nested(key);
  if (!settings) return undefined;
  const color = settings.nested("color");
  const components = ["red", "green", "blue", "alpha"].map((name) => [name, color?.fraction(name)]);
  const parts = {
    color: color && Object.fromEntries(components.filter(([, value]) => value !== undefined)),
    light_on_duration: duration(settings, "light_on_duration"),
    light_off_duration: duration(settings, "light_off_duration"),
  };
  for (const [name, part] of Object.entries(parts)) {
    if (part === undefined) settings.addProblem(name, "is required");
  }
  return parts as JsonObject;
};

const PRIORITIES = ["MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map((each) => `PRIORITY_${each}`);

/** Parameters that the API accepts (Notification and AndroidNotification in its reference). */
const PARAMETERS = new Map<string, Read>([
  ["title", text],
  ["body", text],
  ["image", text],
  ["icon", text],
  ["color", (reader, key) => reader.textMatching(key, /^#[0-9a-f]{6}$/i, "a colour like #rrggbb")],
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
  ["event_time", (reader, key) => reader.textMatching(key, TIME, "an RFC 3339 time")],
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

/** Parameter names of the legacy HTTP API and Firebase's libraries. */
const ALIASES = new Map([
  ["android_channel_id", "channel_id"],
  ["priority", "notification_priority"],
  ["image_url", "image"],
]);

const SHARED = new Set(["title", "body", "image"]);

/** The HTTP v1 name of a parameter, which may also be in camel case (`clickAction`). */
function parameterName(key: string): string {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ALIASES.get(name) ?? name;
}

/**
 * Groups the parameters of a notification as in the HTTP v1 API. Drops unknown parameters, for which
 * Firebase would refuse the message. The reader collects dropped keys and type errors.
 */
export function readFcmNotification(reader: KeyReader): FcmNotification {
  const notification: FcmNotification = { shared: {}, android: {} };
  for (const key of reader.keys()) {
    const name = parameterName(key);
    const read = PARAMETERS.get(name);
    if (read === undefined) reader.drop(key, "Firebase does not know it");
    const value = read?.(reader, key);
    if (value === undefined) continue;
    (SHARED.has(name) ? notification.shared : notification.android)[name] = value;
  }
  return notification;
}
