import { Fault } from "../../core/errors";
import { isText, NOT_TEXT } from "../../core/text";

/** A value of JSON. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Levels of objects and arrays at most, the outermost included. */
export const DEPTH_MAX = 20;

/** Whether a value is a JSON object: neither an array nor null nor missing. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The parts that are given: all but the undefined. */
export function given(parts: Record<string, unknown>): JsonObject {
  const entries = Object.entries(parts).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries) as JsonObject;
}

/** The object, or undefined in place of an empty one. */
export function unlessEmpty<T extends object>(object: T | undefined): T | undefined {
  return object && Object.keys(object).length > 0 ? object : undefined;
}

/**
 * What keeps a value from being passed on unchanged in a message, or null.
 * @param depth its level: the message itself is the first
 */
export function problemOf(value: Json, depth: number): string | null {
  if (typeof value === "string") return isText(value) ? null : NOT_TEXT;
  if (typeof value === "number") {
    const exact =
      Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    return exact
      ? null
      : "holds a number that is too large to be passed on exactly: send it as text";
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > DEPTH_MAX) return `nests deeper than ${DEPTH_MAX} levels`;
  for (const key of Object.keys(value)) {
    if (key === "__proto__") return "holds the key __proto__, which no object should have";
    if (!isText(key)) return NOT_TEXT;
    // An index of an array is a key too.
    const problem = problemOf((value as JsonObject)[key]!, depth + 1);
    if (problem) return problem;
  }
  return null;
}

/**
 * Reads an object that somebody else wrote.
 * @param text JSON of bounded length
 * @throws Fault INVALID on `message` for what is not JSON, not an object, nests deeper than
 * {@link DEPTH_MAX}, or would not arrive as it was sent
 */
export function parseObject(text: string): JsonObject {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw Fault.field("message", "is not JSON inside of its Base64");
  }
  if (!isObject(value)) throw Fault.field("message", "must be a JSON object inside of its Base64");
  const problem = problemOf(value, 1);
  if (problem) throw Fault.field("message", problem);
  return value;
}
