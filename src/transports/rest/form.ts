import { parse } from "qs";
import { Fault } from "../../core/errors";

/** Parsed parameters: texts, lists and groups of a form or query, or JSON values. */
export type Fields = Record<string, unknown>;

/** A parameter as sent: its name including brackets, and its text. */
export type Pair = [name: string, text: string];

/** Maximum number of parameters of a request. */
export const MAX_PAIRS = 1000;
const MAX_DEPTH = 5;
const PROTOTYPE_NAME = /^(__proto__|constructor|prototype)$/;

/** @throws Fault MALFORMED for a name that could pollute an object's prototype */
export function refusePrototypeName(name: string): void {
  if (PROTOTYPE_NAME.test(name)) throw new Fault("MALFORMED", `The name ${name} is not allowed`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new Fault("MALFORMED", "A parameter is not valid percent-encoded UTF-8");
  }
}

/**
 * Parses the pairs of a form or query string (application/x-www-form-urlencoded, WHATWG URL section 5.1), but
 * strictly: invalid encoding is rejected, not repaired.
 * @throws Fault MALFORMED for invalid encoding, names such as `__proto__`, or more than 1,000 pairs
 */
export function readPairs(text: string): Pair[] {
  const parts = text.split("&", MAX_PAIRS + 1);
  if (parts.length > MAX_PAIRS) throw new Fault("MALFORMED", "There are too many parameters");
  const pairs: Pair[] = [];
  for (const part of parts) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    if (name === "") continue;
    for (const segment of name.split(/[[\]]/)) refusePrototypeName(segment);
    pairs.push([name, equals < 0 ? "" : decode(part.slice(equals + 1))]);
  }
  return pairs;
}

/**
 * Nests pairs by the brackets in their names: `user[login]` is the key `login` of the group `user`,
 * `id[in][]` is a list. A repeated name becomes a list.
 * @param defaultKey key within a group for a value that was sent under the group's own name
 * @throws Fault MALFORMED for more than five levels of brackets, or lists of more than 1,000 items
 */
export function nest(pairs: readonly Pair[], defaultKey?: string): Fields {
  const flat = Object.create(null) as Record<string, string | string[]>;
  const groups = new Set(pairs.map(([name]) => name.slice(0, Math.max(0, name.indexOf("[")))));
  for (const [sent, text] of pairs) {
    const name = defaultKey !== undefined && groups.has(sent) ? `${sent}[${defaultKey}]` : sent;
    const known = flat[name];
    if (known === undefined) flat[name] = text;
    else if (typeof known === "string") flat[name] = [known, text];
    else known.push(text);
  }
  try {
    // qs accepts lists for repeated names, although its declared type does not.
    return parse(flat as Record<string, string>, {
      depth: MAX_DEPTH,
      strictDepth: true,
      plainObjects: true,
      arrayLimit: MAX_PAIRS,
      parameterLimit: MAX_PAIRS,
      throwOnLimitExceeded: true,
    });
  } catch {
    throw new Fault("MALFORMED", "The parameters nest too deeply, or a list is too long");
  }
}

/**
 * Parses the query of a request target. A bare `?` counts as no query. In `login=a&login[nin][]=b`, the name
 * without an operator means `eq`.
 * @throws Fault MALFORMED as {@link readPairs} and {@link nest}, and for characters that must be
 * percent-encoded (RFC 3986 section 2)
 */
export function readQuery(target: string): Fields | undefined {
  if (/[^\x21-\x7e]/.test(target)) {
    throw new Fault("MALFORMED", "The URL must be percent-encoded");
  }
  const mark = target.indexOf("?");
  return mark < 0 || mark === target.length - 1
    ? undefined
    : nest(readPairs(target.slice(mark + 1)), "eq");
}
