import { domainToASCII, domainToUnicode } from "node:url";
import { isText } from "../../core/text";
import type { Store } from "../../store/store";

/**
 * What no address holds: white space, controls, characters that nobody sees (format, default ignorable),
 * and what separates and quotes addresses in a header (RFC 5322 section 3.4).
 */
const NOT_IN_ADDRESS = /[\s,;<>()"\\\p{Z}\p{Cc}\p{Cf}\p{DI}]/u;

/** Code units of an address at most; longer ones are nobody's. */
const LENGTH_MAX = 510;

/** Whether a text is one e-mail address. Whether it exists only a mail can tell. */
export function isEmail(text: string): boolean {
  if (text.length > LENGTH_MAX || !isText(text) || !hasForm(text)) return false;
  // What looks like one character may be normalised into another: the full-width @ is an @.
  const domain = domainOf(text);
  return hasForm(emailKey(text)) && (isAscii(domain) || domainToASCII(domain) !== "");
}

/** Whether there is a single @ between two parts of characters that may stand in an address. */
function hasForm(text: string): boolean {
  const parts = text.split("@");
  return parts.length === 2 && parts.every((part) => part !== "") && !NOT_IN_ADDRESS.test(text);
}

/**
 * What addresses are compared by: NFKC and lower case, the domain as IDNA writes it in ASCII (RFC 5891).
 * Two spellings of one address have one key.
 */
export function emailKey(email: string): string {
  const folded = email.normalize("NFKC").toLowerCase().normalize("NFKC");
  const domain = domainOf(folded);
  if (isAscii(domain)) return folded;
  return `${folded.slice(0, -domain.length)}${domainToASCII(domain) || domain}`;
}

/**
 * The keys that a user of this address may have, the likeliest first. Rows from before addresses were
 * normalised have the address in lower case, in whatever spelling it was sent.
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

/** An operator and its operand as they compare `email_key`: every key that an address may have. */
export function emailOperand(operator: string, value: unknown): [operator: string, value: unknown] {
  const values = (Array.isArray(value) ? value : [value]).map(String);
  const keys = values.flatMap(emailKeys);
  if (operator === "eq" && keys.length > 1) return ["in", keys];
  if (operator === "eq") return [operator, keys[0]];
  if (operator === "in" || operator === "nin") return [operator, keys];
  const folded = values.map((each) => each.toLowerCase());
  return [operator, Array.isArray(value) ? folded : folded[0]];
}

const SPELLED = {
  name: "email_in_another_spelling",
  text: `SELECT id FROM users WHERE application_id = $1 AND email_key = ANY($2::text[])
    AND id IS DISTINCT FROM $3::bigint LIMIT 1`,
};

/**
 * Whether somebody else has this address in a spelling from before addresses were normalised. The unique
 * index finds every other one.
 */
export async function isSpelledOtherwise(
  { query }: Pick<Store, "query">,
  applicationId: number,
  email: string,
  userId: number | null,
): Promise<boolean> {
  const key = emailKey(email);
  const others = emailKeys(email).filter((each) => each !== key);
  if (others.length === 0) return false;
  return (await query(SPELLED, [applicationId, others, userId])).length > 0;
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
