import type { Json, JsonObject } from "./json";

/**
 * Keys that are not the sender's to use: Firebase refuses the whole message for some of them, and its
 * Android library keeps the others from the app.
 */
const RESERVED = /^(from|message_type|collapse_key|google\..*|gcm\..*)$/s;

function freeKey(key: string, taken: JsonObject): string {
  let free = key;
  while (RESERVED.test(free) || (free !== key && Object.hasOwn(taken, free))) free = `_${free}`;
  return free;
}

/** What a value is as text: itself, or its JSON. */
function toText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * An object as `data` of Firebase's HTTP v1 API, whose values are texts. A reserved key gets an
 * underscore in front (`from` becomes `_from`), so that its value arrives and so does the message.
 */
export function toData(content: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [freeKey(key, content), toText(value)]),
  );
}
