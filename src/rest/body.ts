import { isUtf8 } from "node:buffer";
import { Fault } from "../core/errors";
import { nestsDeeper } from "../core/nesting";
import { type Fields, MAX_PAIRS, nest, type Pair, readPairs, refusePrototypeName } from "./form";

/** A body that was read. */
export interface Body {
  fields: Fields;
  /**
   * Every parameter as sent, `user[login]` → text, for a signature that covers them all.
   * @throws Fault INVALID for what {@link signedPairs} refuses
   */
  parameters(): Pair[];
}

const MAX_LEVELS = 32;
/** Characters of a parameter's name in a signed request; each leaf of JSON repeats those of its groups. */
const MAX_NAME = 255;

/** What was read of an empty body: nothing was sent. */
export const NO_BODY: Body = { fields: {}, parameters: () => [] };

/** @throws Fault MALFORMED for a prototype's name at any level */
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
  if (nestsDeeper(value, MAX_LEVELS)) {
    throw new Fault("MALFORMED", "The body is nested too deeply");
  }
  refusePrototypeNames(value);
  return value as Fields;
}

/** The leaves of a JSON value by the names that a form would give them; null is empty text. */
function* leaves(name: string, value: unknown): Generator<Pair> {
  if (name.length > MAX_NAME) throw invalid("The name of a signed parameter is too long");
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

/** A key of JSON, which a name with brackets of its own would make a second way to write a nested one. */
function plainKey(key: string): string {
  if (!key.includes("[") && !key.includes("]")) return key;
  throw invalid("A name in the JSON of a signed request must not hold brackets");
}

/**
 * The parameters of a JSON body, as a signed line names them.
 * @throws Fault INVALID for names with brackets or over 255 characters, and over 1,000 parameters
 */
function signedPairs(fields: Fields): Pair[] {
  const pairs: Pair[] = [];
  for (const [key, value] of Object.entries(fields)) {
    for (const pair of leaves(plainKey(key), value)) {
      if (pairs.push(pair) > MAX_PAIRS) throw invalid("A signed request has too many parameters");
    }
  }
  return pairs;
}

function invalid(text: string): Fault {
  return new Fault("INVALID", text, { base: [text] });
}

/**
 * Reads the body of a request: a JSON object (RFC 8259) or a form, in UTF-8. An empty body is no
 * parameters, whatever its type.
 * @param type the Content-Type header
 * @throws Fault MALFORMED for any other type or character set, broken UTF-8, malformed JSON, JSON that
 * is no object or nests over 32 levels, prototypes' names, and forms as form.ts says
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
