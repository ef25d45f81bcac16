import { parse } from "qs";
import { Fault } from "../core/errors";

/** Parameters as they came: text, lists and groups of a form or a query, or the values of JSON. */
export type Fields = Record<string, unknown>;

/** A name as sent, brackets and all, and its text. */
export type Pair = [name: string, text: string];

/** Parameters of one request at most. */
export const MAX_PAIRS = 1000;
const MAX_DEPTH = 5;
const PROTOTYPE_NAME = /^(__proto__|constructor|prototype)$/;

/** @throws Fault MALFORMED for a name that means the prototype of an object to JavaScript */
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
 * Reads the pairs of a form or a query string (application/x-www-form-urlencoded, WHATWG URL
 * section 5.1), but strictly: what does not decode is refused rather than repaired.
 * @throws Fault MALFORMED for broken encoding, a prototype's name or more than 1,000 pairs
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
 * Nests pairs by the brackets of their names: `user[login]` is the key `login` of the group `user`,
 * `id[in][]` a list. A name that comes twice becomes a list.
 * @param plain key in a group of a value that was sent under the group's bare name
 * @throws Fault MALFORMED for more than five levels of brackets or lists of more than 1,000
 */
export function nest(pairs: readonly Pair[], plain?: string): Fields {
  const flat = Object.create(null) as Record<string, string | string[]>;
  const groups = new Set(pairs.map(([name]) => name.slice(0, Math.max(0, name.indexOf("[")))));
  for (const [sent, text] of pairs) {
    const name = plain !== undefined && groups.has(sent) ? `${sent}[${plain}]` : sent;
    const known = flat[name];
    if (known === undefined) flat[name] = text;
    else if (typeof known === "string") flat[name] = [known, text];
    else known.push(text);
  }
  try {
    // The declared type of qs knows text alone, or an object of texts; lists are the form of repeats.
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
 * Reads the query of a request's target; a trailing `?` alone is nothing. `login=a&login[nin][]=b` is
 * one group of operators, where the bare name means `eq`.
 * @throws Fault MALFORMED as {@link readPairs} and {@link nest}, and for characters that had to be
 * percent-encoded (RFC 3986 section 2)
 */
export function readQuery(target: string): Fields | undefined {
  if (/[^\x21-\x7e]/.test(target)) {
    throw new Fault("MALFORMED", "The address must be percent-encoded");
  }
  const mark = target.indexOf("?");
  return mark < 0 || mark === target.length - 1
    ? undefined
    : nest(readPairs(target.slice(mark + 1)), "eq");
}
