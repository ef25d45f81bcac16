import { createHmac, timingSafeEqual } from "node:crypto";
import { Fault } from "../../core/errors";
import { newNonce } from "../../core/random";

/** Parameters as sent: wire name (`user[login]` for a nested one) and raw text. */
export type Parameters = ReadonlyArray<readonly [name: string, text: string]>;

/** The parameters that every signature covers, in the order they are signed. */
export const MANDATORY = ["application_id", "auth_key", "nonce", "timestamp"] as const;

/** The values of the mandatory parameters. */
export interface SignedValues {
  applicationId: number;
  authKey: string;
  nonce: number;
  /** Unix seconds. */
  timestamp: number;
}

/** What would end a name in a line, or hide it from a reader. */
const NOT_IN_NAME = /[=&\p{Cc}]/u;
const DIGITS = /^\d{1,16}$/;

/**
 * The lines that a client of the API family may have signed: the four mandatory parameters, or all of
 * the body except the signature. `name=value` joined by `&`, values raw; the entries of one nested
 * object are sorted among themselves and then take their place as one. The second line is absent when a
 * value holds text that reads as a mandatory parameter: the line could be split in two ways.
 */
export function signedLines(parameters: Parameters): string[] {
  const mandatory = line(
    parameters.filter(([name]) => (MANDATORY as readonly string[]).includes(name)),
  );
  const all = line(parameters.filter(([name]) => name !== "signature"));
  return all === mandatory || !namesEachOnce(all) ? [mandatory] : [mandatory, all];
}

/** Whether a line can be split at `&` in one way only, as far as the mandatory parameters go. */
function namesEachOnce(all: string): boolean {
  return MANDATORY.every((name) => `&${all}`.split(`&${name}=`, 3).length === 2);
}

/**
 * Reads the mandatory values from the very parameters that the line is made of, so that a request that
 * verifies has no other application, key, nonce or timestamp than the one that was signed.
 * @throws Fault INVALID for a name that holds `=`, `&` or a control character, for a mandatory parameter
 * that is missing or comes twice, and for a number that is no digits
 */
export function signedValues(parameters: Parameters): SignedValues {
  if (parameters.some(([name]) => NOT_IN_NAME.test(name))) {
    const text = 'The name of a signed parameter must not hold "=", "&" or a control character';
    throw new Fault("INVALID", text, { base: [text] });
  }
  const text = (name: (typeof MANDATORY)[number], field: string): string => {
    const [found, second] = parameters.filter(([each]) => each === name);
    if (!found) throw Fault.field(field, "is required");
    if (second) throw Fault.field(field, "must be sent once");
    return found[1];
  };
  const whole = (name: (typeof MANDATORY)[number], field: string): number => {
    const digits = text(name, field);
    const value = Number(digits);
    if (DIGITS.test(digits) && Number.isSafeInteger(value)) return value;
    throw Fault.field(field, "must be digits");
  };
  return {
    applicationId: whole("application_id", "applicationId"),
    authKey: text("auth_key", "authKey"),
    nonce: whole("nonce", "nonce"),
    timestamp: whole("timestamp", "timestamp"),
  };
}

/** The names in a set of parameters, in the order that a line of them has. */
export function signedNames(parameters: Parameters): string[] {
  return groups(parameters.filter(([name]) => name !== "signature").map(([name]) => [name, ""]))
    .flat()
    .map((entry) => entry.slice(0, -1));
}

/** What an application signs with. */
export interface SigningKeys {
  id: string;
  authKey: string;
  authSecret: string;
}

/**
 * What a client of the application sends to ask for a session, but for the user.
 * @param timestamp in seconds since the Unix epoch
 */
export function signedRequest({ id, authKey, authSecret }: SigningKeys, timestamp: number) {
  const nonce = newNonce();
  const text = line([
    ["application_id", id],
    ["auth_key", authKey],
    ["nonce", String(nonce)],
    ["timestamp", String(timestamp)],
  ]);
  const signature = sign(text, authSecret);
  return { applicationId: Number(id), authKey, timestamp, nonce, signature };
}

/** HMAC-SHA1 of a line in lower-case hexadecimal (interface.md "Authentication", 4). */
export function sign(text: string, secret: string): string {
  return createHmac("sha1", secret).update(text).digest("hex");
}

/** Whether the signature is one that a holder of one of the secrets makes; compared in constant time. */
export function signatureMatches(
  parameters: Parameters,
  signature: string,
  secrets: readonly string[],
): boolean {
  const given = Buffer.from(signature.toLowerCase());
  let matches = false;
  for (const text of signedLines(parameters)) {
    for (const secret of secrets) {
      const expected = Buffer.from(sign(text, secret));
      if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true;
    }
  }
  return matches;
}

function line(parameters: Parameters): string {
  return groups(parameters)
    .map((group) => group.join("&"))
    .join("&");
}

function groups(parameters: Parameters): string[][] {
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
