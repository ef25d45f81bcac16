import { domainToASCII, domainToUnicode } from "node:url";
import { isValidText } from "./text";

/**
 * Characters that no address contains: white space, control and invisible characters (format, default
 * ignorable), and the separators and quotes of addresses in a header (RFC 5322 section 3.4).
 */
const NOT_IN_ADDRESS = /[\s,;<>()"\\\p{Z}\p{Cc}\p{Cf}\p{DI}]/u;

/** Maximum length of an address, in UTF-16 code units; no user has a longer one. */
const LENGTH_MAX = 510;

/** Returns whether a text has the form of a single e-mail address. */
export function isEmail(text: string): boolean {
  if (text.length > LENGTH_MAX || !isValidText(text) || !hasForm(text)) return false;
  // Normalization may change the form: a full-width @ becomes an @.
  const domain = domainOf(text);
  return hasForm(emailKey(text)) && (isAscii(domain) || domainToASCII(domain) !== "");
}

/** Returns whether a single @ separates two non-empty parts of valid characters. */
function hasForm(text: string): boolean {
  const parts = text.split("@");
  return parts.length === 2 && parts.every((part) => part !== "") && !NOT_IN_ADDRESS.test(text);
}

/**
 * Normalizes an address for comparison: NFKC and lower case, the domain in IDNA's ASCII form (RFC 5891). All
 * spellings of an address have the same key.
 */
export function emailKey(email: string): string {
  const folded = email.normalize("NFKC").toLowerCase().normalize("NFKC");
  const domain = domainOf(folded);
  if (isAscii(domain)) return folded;
  return `${folded.slice(0, -domain.length)}${domainToASCII(domain) || domain}`;
}

/**
 * Returns the keys that a user with this address may have, the most likely first. Rows from before the
 * introduction of normalization have the address as it was sent, in lower case.
 */
export function emailKeys(email: string): string[] {
  const exact = email.toLowerCase();
  // ASCII has one spelling, unless it encodes another domain.
  const plain = isAscii(exact) && !exact.includes("xn--");
  if (plain || email.length > LENGTH_MAX) return [exact];
  const domain = domainOf(exact);
  const local = exact.slice(0, exact.length - domain.length);
  const unicode = domainToUnicode(domain) || domain;
  const hosts = [
    unicode.normalize("NFC"),
    domainToASCII(domain) || domain,
    unicode.normalize("NFD"),
  ];
  const spellings = hosts.flatMap((host) =>
    ["NFC", "NFD"].map((form) => `${local.normalize(form)}${host}`),
  );
  return [...new Set([exact, emailKey(email), ...spellings])];
}

/** Converts an operator and operand on an e-mail to ones on `email_key`, with all keys of an address. */
export function emailOperand(operator: string, value: unknown): [operator: string, value: unknown] {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  const keys = values.flatMap(emailKeys);
  if (operator === "eq" && keys.length > 1) return ["in", keys];
  if (operator === "eq") return [operator, keys[0]];
  if (operator === "in" || operator === "nin") return [operator, keys];
  const folded = values.map((text) => text.toLowerCase());
  return [operator, Array.isArray(value) ? folded : folded[0]];
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
