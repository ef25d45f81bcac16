import { isUtf8 } from "node:buffer";
import { Fault } from "../../core/errors";
import { exceedsDepth } from "../../core/json";
import { type Fields, MAX_PAIRS, nest, type Pair, readPairs, refusePrototypeName } from "./form";

/** A parsed request body. */
export interface Body {
  fields: Fields;
  /**
   * All parameters by flattened name, for example `user[login]`, for signatures that cover them all.
   * @throws Fault INVALID as {@link signedPairs}
   */
  parameters(): Pair[];
}

const MAX_LEVELS = 32;
/**
 * Maximum length of a parameter's name in a signed request; flattened names repeat the names of their groups.
 */
const MAX_NAME = 255;

/** The result of parsing an empty body. */
export const NO_BODY: Body = { fields: {}, parameters: () => [] };

/** @throws Fault MALFORMED for names such as `__proto__`, at any level */
function refusePrototypeNames(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    refusePrototypeName(name);
    refusePrototypeNames(item);
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
  if (exceedsDepth(value, MAX_LEVELS)) {
    throw new Fault("MALFORMED", "The body is nested too deeply");
  }
  refusePrototypeNames(value);
  return value as Fields;
}

/** Flattens a JSON value to form-style names. Null becomes an empty text. */
function* leaves(name: string, value: unknown): Generator<Pair> {
  if (name.length > MAX_NAME) throw Fault.base("The name of a signed parameter is too long");
  if (Array.isArray(value)) {
    for (const item of value) yield* leaves(`${name}[]`, item);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield* leaves(`${name}[${plainKey(key)}]`, item);
    }
  } else {
    yield [name, value === null ? "" : String(value)];
  }
}

/** Rejects brackets in a JSON key, because `a[b]` would be ambiguous with a nested key. */
function plainKey(key: string): string {
  if (!key.includes("[") && !key.includes("]")) return key;
  throw Fault.base("A name in the JSON of a signed request must not contain brackets");
}

/**
 * The parameters of a JSON body by the names that a signature uses.
 * @throws Fault INVALID for names with brackets or over 255 characters, and for more than 1,000 parameters
 */
function signedPairs(fields: Fields): Pair[] {
  const pairs: Pair[] = [];
  for (const [key, value] of Object.entries(fields)) {
    for (const pair of leaves(plainKey(key), value)) {
      if (pairs.push(pair) > MAX_PAIRS)
        throw Fault.base("A signed request has too many parameters");
    }
  }
  return pairs;
}

/**
 * Parses a request body: a JSON object (RFC 8259) or a form, in UTF-8. An empty body has no parameters,
 * whatever its type.
 * @param type the Content-Type header
 * @throws Fault MALFORMED for another type or charset, invalid UTF-8 or JSON, JSON that is not an object or
 * nests deeper than 32 levels, names such as `__proto__`, and invalid forms (form.ts)
 */
export function readBody(type: string | undefined, bytes: Buffer): Body {
  if (bytes.length === 0) return NO_BODY;
  const [media = "", ...rest] = (type ?? "").toLowerCase().split(";");
  const charset =
    rest
      .map((parameter) => parameter.split("=").map((part) => part.trim()))
      .find(([name]) => name === "charset")?.[1]
      ?.replaceAll('"', "") ?? "utf-8";
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
    return { fields, parameters: () => signedPairs(fields) };
  }
  const pairs = readPairs(text);
  return { fields: nest(pairs), parameters: () => pairs };
}
