import { createHmac, timingSafeEqual } from "node:crypto";
import { newNonce } from "../../core/random";

/** Parameters as sent: wire name (`user[login]` for a nested one) and raw text. */
export type Parameters = ReadonlyArray<readonly [name: string, text: string]>;

/** The parameters that every signature covers, in the order they are signed. */
export const MANDATORY = ["application_id", "auth_key", "nonce", "timestamp"] as const;

/**
 * The lines that a client of the API family may have signed: the four mandatory parameters, or all of
 * the body except the signature. `name=value` joined by `&`, values raw; the entries of one nested
 * object are sorted among themselves and then take their place as one.
 */
export function signedLines(parameters: Parameters): string[] {
  const mandatory = parameters.filter(([name]) => (MANDATORY as readonly string[]).includes(name));
  const all = parameters.filter(([name]) => name !== "signature");
  return all.length === mandatory.length ? [line(mandatory)] : [line(mandatory), line(all)];
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
