import { isUtf8 } from "node:buffer";
import { Fault } from "../core/errors";
import { type Fields, nest, type Pair, readPairs, refusePrototypeName } from "./form";

/** A body that was read. */
export interface Body {
  fields: Fields;
  /** Every parameter as sent, `user[login]` → text, for a signature that covers them all. */
  parameters(): Pair[];
}

const MAX_LEVELS = 32;
const EMPTY: Body = { fields: {}, parameters: () => [] };

/** @throws Fault MALFORMED for a prototype's name at any level, or more than 32 levels */
function inspect(value: unknown, level: number): void {
  if (typeof value !== "object" || value === null) return;
  if (level > MAX_LEVELS) throw new Fault("MALFORMED", "The body is nested too deeply");
  if (Array.isArray(value)) {
    for (const item of value) inspect(item, level + 1);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    refusePrototypeName(name);
    inspect(item, level + 1);
  }
}

function readJson(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault("MALFORMED", "The body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("MALFORMED", "The body must be a JSON object");
  }
  inspect(value, 1);
  return value as Fields;
}

/** The leaves of a JSON value by the names that a form would give them; null is empty text. */
function flatten(name: string, value: unknown): Pair[] {
  if (Array.isArray(value)) return value.flatMap((item) => flatten(`${name}[]`, item));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => flatten(`${name}[${key}]`, item));
  }
  return [[name, value === null ? "" : String(value)]];
}

/**
 * Reads the body of a request: a JSON object (RFC 8259) or a form, in UTF-8. An empty body is no
 * parameters, whatever its type.
 * @param type the Content-Type header
 * @throws Fault MALFORMED for any other type or character set, broken UTF-8, malformed JSON, JSON that
 * is no object or nests over 32 levels, prototypes' names, and forms as form.ts says
 */
export function readBody(type: string | undefined, bytes: Buffer): Body {
  if (bytes.length === 0) return EMPTY;
  const [media = "", ...rest] = (type ?? "").toLowerCase().split(";");
  const charset = /charset\s*=\s*"?([^\s";]+)/.exec(rest.join(";"))?.[1] ?? "utf-8";
  const json = media.trim() === "application/json";
  if (!json && media.trim() !== "application/x-www-form-urlencoded") {
    throw new Fault(
      "MALFORMED",
      "The body must be application/json or application/x-www-form-urlencoded",
    );
  }
  if (!/^(utf-?8|us-ascii)$/.test(charset) || !isUtf8(bytes)) {
    throw new Fault("MALFORMED", "The body is not valid UTF-8");
  }
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  if (json) {
    const fields = readJson(text);
    return {
      fields,
      parameters: () => Object.entries(fields).flatMap(([name, value]) => flatten(name, value)),
    };
  }
  const pairs = readPairs(text);
  return { fields: nest(pairs), parameters: () => pairs };
}
