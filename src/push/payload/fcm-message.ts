import { Fault } from "../../core/errors";
import { isText, NOT_TEXT } from "../../core/text";
import { toData } from "./fcm-data";
import { readFcmNotification } from "./fcm-notification";
import { given, isObject, type JsonObject, unlessEmpty } from "./json";
import { KeyReader } from "./key-reader";
import type { FcmPush } from "./push";

/**
 * What senders write for Firebase, as a message of its HTTP v1 API (its reference, projects.messages):
 * such a message, with or without `{"message": …}` around it; a message of the API before it; pairs of
 * its form encoding; or data alone.
 */

/** `message` of the HTTP v1 API, without whom it goes to. */
export type FcmMessage = FcmPush["message"];

/** Seconds that Firebase keeps a message for a device that is away, at most: four weeks. */
export const FCM_TTL_MAX = 2_419_200;

/** Parts that both APIs have. */
const PARTS = ["data", "notification"];
const V1_PARTS = ["android", "webpush", "apns", "fcm_options", "fcmOptions"];
const LEGACY_OPTIONS = ["priority", "collapse_key", "time_to_live", "restricted_package_name"];
/** Left out: who receives a push is the event's to say, and the rest means nothing here. */
const IGNORED = [
  ...["token", "topic", "condition", "name", "to", "registration_id", "registration_ids"],
  ...["dry_run", "delay_while_idle", "content_available", "mutable_content"],
];

/** A message as read, and what is not sent of it, and why. */
export interface FcmContent {
  content: FcmMessage;
  leftOut: string[];
}

function hasPart(content: JsonObject, parts: string[]): boolean {
  return parts.some((part) => isObject(content[part]));
}

/** Refuses keys that would otherwise be lost, or have Firebase refuse the message. */
function checkKeys(reader: KeyReader, known: string[]): void {
  const parts = [...PARTS, ...V1_PARTS];
  const beside = reader.keys().filter((key) => parts.includes(key));
  for (const key of reader.keys()) {
    if (known.includes(key)) continue;
    if (IGNORED.includes(key)) reader.leaveOut(key, "it means nothing here");
    else reader.refuse(key, `Firebase does not know beside ${beside.join(", ")}; put it into data`);
  }
}

function readV1(content: JsonObject): FcmContent {
  const reader = new KeyReader(content);
  const known = [...PARTS, ...V1_PARTS];
  checkKeys(reader, known);
  const parts = Object.fromEntries(known.map((part) => [part, reader.object(part)]));
  const data = reader.object("data");
  reader.finish();
  const message = given({ ...parts, data: data && toData(data) });
  return { content: message, leftOut: reader.leftOut };
}

function readLegacy(content: JsonObject): FcmContent {
  const reader = new KeyReader(content);
  checkKeys(reader, [...PARTS, ...LEGACY_OPTIONS]);
  const data = reader.object("data");
  const notification = reader.inside("notification");
  const sorted = notification && readFcmNotification(notification);
  const ttl = reader.integer("time_to_live", Number.MAX_SAFE_INTEGER);
  const android = given({
    priority: reader.word("priority", ["HIGH", "NORMAL"]),
    collapse_key: reader.text("collapse_key"),
    ttl: ttl === undefined ? undefined : `${Math.min(ttl, FCM_TTL_MAX)}s`,
    restricted_package_name: reader.text("restricted_package_name"),
    notification: unlessEmpty(sorted?.android),
  });
  reader.finish();
  const message = given({
    data: unlessEmpty(data && toData(data)),
    notification: unlessEmpty(sorted?.shared),
    android: unlessEmpty(android),
  });
  return { content: message, leftOut: reader.leftOut };
}

/**
 * Reads the JSON of a gcm payload.
 * @throws Fault INVALID on `message`
 */
export function readFcmContent(content: JsonObject): FcmContent {
  const { message, validate_only: _, ...beside } = content;
  if (isObject(message) && hasPart(message, [...PARTS, ...V1_PARTS])) {
    if (Object.keys(beside).length === 0) return readV1(message);
  }
  if (hasPart(content, V1_PARTS)) return readV1(content);
  if (hasPart(content, PARTS)) return readLegacy(content);
  return { content: given({ data: unlessEmpty(toData(content)) }), leftOut: [] };
}

function decodeEscapes(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw Fault.field("message", "holds a broken escape; a percent sign itself is written %25");
  }
  if (!isText(decoded)) throw Fault.field("message", NOT_TEXT);
  return decoded;
}

/**
 * Reads the pairs of a gcm payload: `data.key=value`, and the options of the older API, joined by `&`.
 * Values are percent-decoded and otherwise kept: a plus is a plus, Base64 stays Base64.
 * @throws Fault INVALID on `message`
 */
export function readFcmPairs(text: string): FcmContent {
  const data: Array<[string, string]> = [];
  const options: Array<[string, string]> = [];
  for (const pair of text.split("&").filter(Boolean)) {
    const end = pair.indexOf("=");
    const name = decodeEscapes(end < 0 ? pair : pair.slice(0, end)).trim();
    const value = decodeEscapes(pair.slice(end + 1));
    const isData = name.startsWith("data.");
    const key = isData ? name.slice("data.".length) : name;
    if (
      end < 0 ||
      key === "" ||
      key === "__proto__" ||
      (!isData && !LEGACY_OPTIONS.includes(key))
    ) {
      throw Fault.field(
        "message",
        `holds ${name || "an empty name"}, and takes pairs of data.key=value and ${LEGACY_OPTIONS.join(", ")}`,
      );
    }
    (isData ? data : options).push([key, value]);
  }
  return readLegacy({ ...Object.fromEntries(options), data: Object.fromEntries(data) });
}
