import type { JsonObject } from "../../../core/json";
import { type FcmNotification, readFcmNotification } from "./fcm-notification";
import { omitUndefined } from "./json";
import { KeyReader } from "./key-reader";

/** A message for all platforms. Absent standard keys are undefined. */
export interface UniversalMessage {
  kind: "universal";
  text?: string;
  badge?: number;
  /** Sound name, or an object for a critical alert. */
  sound?: string | JsonObject;
  contentAvailable: boolean;
  mutableContent: boolean;
  category?: string;
  voip: boolean;
  pushType: "alert" | "background";
  threadId?: string;
  /** Unix seconds; null without one. */
  expiration: number | null;
  notification?: FcmNotification;
  /** Localization keys by their names in `aps.alert`. */
  alert: JsonObject;
  /** All other keys, unchanged. */
  custom: JsonObject;
  /** Dropped parameters of standard keys, with reasons. */
  dropped: string[];
}

/** The standard keys (docs/PUSH.md "Payloads"). */
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
/** Maximum badge: a 32-bit integer on the device. */
const BADGE_MAX = 2_147_483_647;
/** The last second that fits in 32 bits, in 2106. Rejects milliseconds sent by mistake. */
export const EXPIRATION_MAX = 4_294_967_295;

/** Parameters of `ios_loc_data`. */
const LOC_DATA = ["title_loc_key", "title_loc_args", "body_loc_key", "body_loc_args"];

function readAlert(reader: KeyReader | undefined): JsonObject {
  for (const key of reader?.keys() ?? []) {
    if (!LOC_DATA.includes(key)) reader?.drop(key, "the parameter is unknown");
  }
  return omitUndefined({
    "title-loc-key": reader?.text("title_loc_key"),
    "title-loc-args": reader?.texts("title_loc_args"),
    "loc-key": reader?.text("body_loc_key"),
    "loc-args": reader?.texts("body_loc_args"),
  });
}

/**
 * Parses the object of a universal message.
 * @throws Fault INVALID on `message`, listing the keys of the wrong type
 */
export function readUniversal(content: JsonObject): UniversalMessage {
  const reader = new KeyReader(content);
  const notification = reader.nested("android_fcm_notification");
  const custom = Object.entries(content).filter(([key]) => !STANDARD.has(key));
  const message: UniversalMessage = {
    kind: "universal",
    text: reader.text("message"),
    badge: reader.integer("ios_badge", BADGE_MAX),
    sound: reader.textOrObject("ios_sound"),
    contentAvailable: reader.flag("ios_content_available") ?? false,
    mutableContent: reader.flag("ios_mutable_content") ?? false,
    category: reader.text("ios_category"),
    voip: reader.flag("ios_voip") ?? false,
    pushType: (reader.enumValue("ios_push_type", PUSH_TYPES) ??
      "alert") as UniversalMessage["pushType"],
    threadId: reader.text("ios_thread_id"),
    expiration: reader.integer("expiration", EXPIRATION_MAX) ?? null,
    notification: notification && readFcmNotification(notification),
    alert: readAlert(reader.nested("ios_loc_data")),
    custom: Object.fromEntries(custom),
    dropped: reader.dropped,
  };
  reader.throwProblems();
  return message;
}
