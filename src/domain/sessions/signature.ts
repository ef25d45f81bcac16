import { createHmac, timingSafeEqual } from "node:crypto";
import { Fault } from "../../core/errors";
import { newNonce } from "../../core/random";

/** Parameters as the client sent them: wire name (`user[login]` for a nested one) and raw text. */
export type RequestParameters = ReadonlyArray<readonly [name: string, text: string]>;

/** The parameters that every signature covers, in signing order. */
export const MANDATORY_PARAMETERS = ["application_id", "auth_key", "nonce", "timestamp"] as const;

/** The values of the mandatory parameters. */
export interface MandatoryValues {
  applicationId: number;
  authKey: string;
  nonce: number;
  /** Unix seconds. */
  timestamp: number;
}

/** Characters that would make a signed string ambiguous or unreadable. */
const NOT_IN_NAME = /[=&\p{Cc}]/u;
const DIGITS = /^\d{1,16}$/;

/**
 * The strings that a client may have signed: the four mandatory parameters, or all parameters except the
 * signature, as `name=value` with raw values, sorted and joined by `&`. The parameters of one nested object
 * are sorted among themselves and then sorted as one entry. The second string is omitted when a value
 * contains text like a mandatory parameter, because the string could then be parsed in two ways.
 */
export function signatureBaseStrings(parameters: RequestParameters): string[] {
  const mandatory = baseString(
    parameters.filter(([name]) => (MANDATORY_PARAMETERS as readonly string[]).includes(name)),
  );
  const all = baseString(parameters.filter(([name]) => name !== "signature"));
  return all === mandatory || !isUnambiguous(all) ? [mandatory] : [mandatory, all];
}

/** Whether each mandatory parameter can be read from the string in one way only. */
function isUnambiguous(all: string): boolean {
  return MANDATORY_PARAMETERS.every((name) => `&${all}`.split(`&${name}=`, 3).length === 2);
}

/**
 * Parses the mandatory values. They come from the same parameters as the signed string, so the verified
 * application, key, nonce and timestamp are the ones that the client signed.
 * @throws Fault INVALID for a name with `=`, `&` or a control character, for a missing or repeated
 * mandatory parameter, and for a number that does not consist of digits
 */
export function parseMandatoryValues(parameters: RequestParameters): MandatoryValues {
  if (parameters.some(([name]) => NOT_IN_NAME.test(name))) {
    const text = 'The name of a signed parameter must not hold "=", "&" or a control character';
    throw Fault.base(text);
  }
  const text = (name: (typeof MANDATORY_PARAMETERS)[number], field: string): string => {
    const [found, second] = parameters.filter(([each]) => each === name);
    if (!found) throw Fault.field(field, "is required");
    if (second) throw Fault.field(field, "must be sent once");
    return found[1];
  };
  const integer = (name: (typeof MANDATORY_PARAMETERS)[number], field: string): number => {
    const digits = text(name, field);
    const value = Number(digits);
    if (DIGITS.test(digits) && Number.isSafeInteger(value)) return value;
    throw Fault.field(field, "must be digits");
  };
  return {
    applicationId: integer("application_id", "applicationId"),
    authKey: text("auth_key", "authKey"),
    nonce: integer("nonce", "nonce"),
    timestamp: integer("timestamp", "timestamp"),
  };
}

/** The names of the parameters, except the signature, in signing order. */
export function signedParameterNames(parameters: RequestParameters): string[] {
  return sortedGroups(
    parameters.filter(([name]) => name !== "signature").map(([name]) => [name, ""]),
  )
    .flat()
    .map((entry) => entry.slice(0, -1));
}

/** The application's credentials for signing requests. */
export interface SigningKeys {
  id: string;
  authKey: string;
  authSecret: string;
}

/**
 * Creates a signed request for an application session, with a new nonce.
 * @param timestamp in Unix seconds
 */
export function createSignedRequest({ id, authKey, authSecret }: SigningKeys, timestamp: number) {
  const nonce = newNonce();
  const text = baseString([
    ["application_id", id],
    ["auth_key", authKey],
    ["nonce", String(nonce)],
    ["timestamp", String(timestamp)],
  ]);
  const signature = sign(text, authSecret);
  return { applicationId: Number(id), authKey, timestamp, nonce, signature };
}

/** HMAC-SHA1 in lower-case hexadecimal. */
export function sign(text: string, secret: string): string {
  return createHmac("sha1", secret).update(text).digest("hex");
}

/** Whether the signature was made with one of the secrets. Compares in constant time. */
export function signatureMatches(
  parameters: RequestParameters,
  signature: string,
  secrets: readonly string[],
): boolean {
  const actual = Buffer.from(signature.toLowerCase());
  let matches = false;
  for (const text of signatureBaseStrings(parameters)) {
    for (const secret of secrets) {
      const expected = Buffer.from(sign(text, secret));
      if (actual.length === expected.length && timingSafeEqual(actual, expected)) matches = true;
    }
  }
  return matches;
}

function baseString(parameters: RequestParameters): string {
  return sortedGroups(parameters)
    .map((group) => group.join("&"))
    .join("&");
}

/** `name=value` entries, grouped by top-level name; sorted within the groups and between them. */
function sortedGroups(parameters: RequestParameters): string[][] {
  const byTop = new Map<string, string[]>();
  for (const [name, text] of parameters) {
    const bracket = name.indexOf("[");
    const top = bracket < 0 ? name : name.slice(0, bracket);
    const entry = `${name}=${text}`;
    const group = byTop.get(top);
    if (group) group.push(entry);
    else byTop.set(top, [entry]);
  }
  const sorted = [...byTop.values()].map((group) => group.sort());
  return sorted.sort((a, b) => (a.join("&") < b.join("&") ? -1 : 1));
}
