import type { Json, JsonObject } from "../../core/json";

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
