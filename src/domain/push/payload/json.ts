import { Fault } from "../../../core/errors";
import type { Json, JsonObject } from "../../../core/json";
import { INVALID_TEXT_MESSAGE, isValidText } from "../../../core/text/text";

/** Maximum nesting depth of objects and arrays, including the outermost. */
export const DEPTH_MAX = 20;

/** Whether a value is a JSON object, not an array, null or undefined. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Removes undefined properties. */
export function omitUndefined(object: Record<string, unknown>): JsonObject {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as JsonObject;
}

/** The object, or undefined if it is empty. */
export function unlessEmpty<T extends object>(object: T | undefined): T | undefined {
  return object && Object.keys(object).length > 0 ? object : undefined;
}

/**
 * Why a value cannot be passed on unchanged in a message; null if it can.
 * @param depth nesting depth of the value; the message itself is 1
 */
export function jsonProblem(value: Json, depth: number): string | null {
  if (typeof value === "string") return isValidText(value) ? null : INVALID_TEXT_MESSAGE;
  if (typeof value === "number") {
    const exact =
      Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return exact ? null : "contains a number that is too large to be exact: send it as text";
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > DEPTH_MAX) return `nests deeper than ${DEPTH_MAX} levels`;
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return "contains the key __proto__, which is not allowed";
    if (!isValidText(key)) return INVALID_TEXT_MESSAGE;
    // Object.keys includes the indexes of an array.
    const problem = jsonProblem((value as JsonObject)[key]!, depth + 1);
    if (problem) return problem;
  }
  return null;
}

/**
 * Parses an untrusted JSON object.
 * @param text JSON of bounded length
 * @throws Fault INVALID on `message` if it is not JSON, not an object, nested deeper than {@link DEPTH_MAX},
 * or cannot be passed on unchanged
 */
export function parseObject(text: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw Fault.field("message", "is not JSON after Base64 decoding");
  }
  if (!isObject(value)) throw Fault.field("message", "must be a JSON object in Base64");
  const problem = jsonProblem(value, 1);
  if (problem) throw Fault.field("message", problem);
  return value;
}
