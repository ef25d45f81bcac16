import { Fault } from "../../../core/errors";
import type { Json, JsonObject } from "../../../core/json";
import { INVALID_TEXT_MESSAGE, isValidText } from "../../../core/text/text";
import { readFcmNotification } from "./fcm-notification";
import { isObject, omitUndefined, unlessEmpty } from "./json";
import { KeyReader } from "./key-reader";
import type { FcmMessage } from "./push-payload";

/**
 * Converts gcm payloads to messages of Firebase's HTTP v1 API (reference: projects.messages). Accepted
 * formats: such a message, with or without the wrapper `{"message": …}`; a message of the legacy HTTP API,
 * as JSON or as form pairs; or a plain data object.
 */

/** Maximum TTL of a message at Firebase, in seconds: four weeks. */
export const FCM_TTL_MAX = 2_419_200;

/** Keys that both APIs have. */
const PARTS: string[] = ["data", "notification"] satisfies Array<keyof FcmMessage>;
const V1_PARTS: string[] = [
  "android",
  "webpush",
  "apns",
  "fcm_options",
  "fcmOptions",
] satisfies Array<keyof FcmMessage>;
const LEGACY_OPTIONS = ["priority", "collapse_key", "time_to_live", "restricted_package_name"];
/** Dropped keys: the event selects the recipients, and the other options have no effect. */
const IGNORED = [
  "token",
  "topic",
  "condition",
  "name",
  "to",
  "registration_id",
  "registration_ids",
  "dry_run",
  "delay_while_idle",
  "content_available",
  "mutable_content",
];

/** A parsed message, and its dropped keys with reasons. */
export interface FcmContent {
  content: FcmMessage;
  dropped: string[];
}

function hasPart(content: JsonObject, parts: string[]): boolean {
  return parts.some((part) => isObject(content[part]));
}

/** Drops ignored keys, and refuses unknown ones: they would be lost or make Firebase refuse the message. */
function checkKeys(reader: KeyReader, known: string[]): void {
  const parts = [...PARTS, ...V1_PARTS];
  const present = reader.keys().filter((key) => parts.includes(key));
  for (const key of reader.keys()) {
    if (known.includes(key)) continue;
    if (IGNORED.includes(key)) reader.drop(key, "it has no effect");
    else {
      const names = present.join(", ");
      reader.addProblem(key, `Firebase does not accept next to ${names}; put it into data`);
    }
  }
}

function readV1(content: JsonObject): FcmContent {
  const reader = new KeyReader(content);
  const known = [...PARTS, ...V1_PARTS];
  checkKeys(reader, known);
  const parts = Object.fromEntries(known.map((part) => [part, reader.object(part)]));
  const data = reader.object("data");
  reader.throwProblems();
  const message = omitUndefined({ ...parts, data: data && toData(data) });
  return { content: message, dropped: reader.dropped };
}

function readLegacy(content: JsonObject): FcmContent {
  const reader = new KeyReader(content);
  checkKeys(reader, [...PARTS, ...LEGACY_OPTIONS]);
  const data = reader.object("data");
  const notificationReader = reader.nested("notification");
  const notification = notificationReader && readFcmNotification(notificationReader);
  const ttl = reader.integer("time_to_live", Number.MAX_SAFE_INTEGER);
  const android = omitUndefined({
    priority: reader.enumValue("priority", ["HIGH", "NORMAL"]),
    collapse_key: reader.text("collapse_key"),
    ttl: ttl === undefined ? undefined : `${Math.min(ttl, FCM_TTL_MAX)}s`,
    restricted_package_name: reader.text("restricted_package_name"),
    notification: unlessEmpty(notification?.android),
  });
  reader.throwProblems();
  const message = omitUndefined({
    data: unlessEmpty(data && toData(data)),
    notification: unlessEmpty(notification?.shared),
    android: unlessEmpty(android),
  });
  return { content: message, dropped: reader.dropped };
}

/**
 * Parses the JSON of a gcm payload.
 * @throws Fault INVALID on `message`
 */
export function readFcmContent(content: JsonObject): FcmContent {
  const { message, validate_only: _, ...others } = content;
  if (isObject(message) && hasPart(message, [...PARTS, ...V1_PARTS])) {
    if (Object.keys(others).length === 0) return readV1(message);
  }
  if (hasPart(content, V1_PARTS)) return readV1(content);
  if (hasPart(content, PARTS)) return readLegacy(content);
  return { content: omitUndefined({ data: unlessEmpty(toData(content)) }), dropped: [] };
}

function decodeEscapes(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw Fault.field("message", "contains an invalid escape; write a literal percent sign as %25");
  }
  if (!isValidText(decoded)) throw Fault.field("message", INVALID_TEXT_MESSAGE);
  return decoded;
}

/**
 * Parses a gcm payload of pairs joined by `&`: `data.key=value`, and options of the legacy HTTP API. Values
 * are percent-decoded only: a plus stays a plus, and Base64 is not decoded.
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
        `contains ${name || "an empty name"}, but allows only data.key=value pairs and ${LEGACY_OPTIONS.join(", ")}`,
      );
    }
    (isData ? data : options).push([key, value]);
  }
  return readLegacy({ ...Object.fromEntries(options), data: Object.fromEntries(data) });
}

/**
 * Keys reserved by Firebase: for some it refuses the whole message, and its Android library hides the others
 * from the app.
 */
const RESERVED = /^(from|message_type|collapse_key|google\..*|gcm\..*)$/s;

/** Prefixes a reserved key with underscores until it is unused. */
function unreservedKey(key: string, content: JsonObject): string {
  let name = key;
  while (RESERVED.test(name) || (name !== key && Object.hasOwn(content, name))) name = `_${name}`;
  return name;
}

/** A string as it is, any other value as JSON. */
function toText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Converts an object to `data` of Firebase's HTTP v1 API, whose values are strings. Reserved keys get an
 * underscore as prefix (`from` becomes `_from`), so that the message is accepted and the value arrives.
 */
export function toData(content: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [unreservedKey(key, content), toText(value)]),
  );
}
