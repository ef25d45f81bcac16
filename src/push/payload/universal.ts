import { type FcmNotification, readFcmNotification } from "./fcm-notification";
import { given, type JsonObject } from "./json";
import { KeyReader } from "./key-reader";

/** A message for all platforms: its standard keys as read, undefined where not given. */
export interface Universal {
  kind: "universal";
  text?: string;
  badge?: number;
  /** Name of a sound; an object for a critical alert. */
  sound?: string | JsonObject;
  contentAvailable: boolean;
  mutableContent: boolean;
  category?: string;
  voip: boolean;
  pushType: "alert" | "background";
  threadId?: string;
  /** Unix seconds; null when not given. */
  expiration: number | null;
  notification?: FcmNotification;
  /** Localization by the names that `aps.alert` has for it. */
  alert: JsonObject;
  /** Every other key as sent. */
  custom: JsonObject;
  /** Parameters inside of standard keys that are not sent, and why. */
  leftOut: string[];
}

/** The standard keys (interface.md "Payload rules"). */
const STANDARD = new Set([
  "message",
  "ios_badge",
  "ios_sound",
  "ios_content_available",
  "ios_mutable_content",
  "ios_category",
  "ios_voip",
  "ios_push_type",
  "ios_thread_id",
  "expiration",
  "android_fcm_notification",
  "ios_loc_data",
]);

const PUSH_TYPES = ["alert", "background"];
/** The largest badge: a 32-bit integer on the device. */
const BADGE_MAX = 2_147_483_647;
/** The last second that fits 32 bits, in 2106. Milliseconds in place of seconds are beyond it. */
const EXPIRATION_MAX = 4_294_967_295;

/** Parameters of `ios_loc_data`. */
const LOC_DATA = ["title_loc_key", "title_loc_args", "body_loc_key", "body_loc_args"];

function readAlert(reader: KeyReader | undefined): JsonObject {
  for (const key of reader?.keys() ?? []) {
    if (!LOC_DATA.includes(key)) reader?.leaveOut(key, "there is no such parameter");
  }
  return given({
    "title-loc-key": reader?.text("title_loc_key"),
    "title-loc-args": reader?.texts("title_loc_args"),
    "loc-key": reader?.text("body_loc_key"),
    "loc-args": reader?.texts("body_loc_args"),
  });
}

/**
 * Reads the object of a universal message.
 * @throws Fault INVALID on `message` that names every key of the wrong type
 */
export function readUniversal(content: JsonObject): Universal {
  const reader = new KeyReader(content);
  const notification = reader.inside("android_fcm_notification");
  const custom = Object.entries(content).filter(([key]) => !STANDARD.has(key));
  const message: Universal = {
    kind: "universal",
    text: reader.text("message"),
    badge: reader.integer("ios_badge", BADGE_MAX),
    sound: reader.textOrObject("ios_sound"),
    contentAvailable: reader.flag("ios_content_available") ?? false,
    mutableContent: reader.flag("ios_mutable_content") ?? false,
    category: reader.text("ios_category"),
    voip: reader.flag("ios_voip") ?? false,
    pushType: (reader.word("ios_push_type", PUSH_TYPES) ?? "alert") as Universal["pushType"],
    threadId: reader.text("ios_thread_id"),
    expiration: reader.integer("expiration", EXPIRATION_MAX) ?? null,
    notification: notification && readFcmNotification(notification),
    alert: readAlert(reader.inside("ios_loc_data")),
    custom: Object.fromEntries(custom),
    leftOut: reader.leftOut,
  };
  reader.finish();
  return message;
}
