import { isIP } from "node:net";

const MAILTO = /^mailto:[^\s@\0-\x1f\x7f-\x9f<>]+@([^\s@?\0-\x1f\x7f-\x9f<>]+)$/u;
/** What a top-level domain in its own script does not have: ASCII other than letters. */
const NO_LETTER = /[\0-\x40\x5b-\x60\x7b-\x7f]/;
/** Top-level domains that no public DNS server knows (RFC 6761, 6762, 8375 and ICANN's reserved names). */
const PRIVATE_DOMAINS = new Set(
  "localhost local localdomain internal intranet private corp home lan arpa invalid test".split(
    " ",
  ),
);

/**
 * Checks the contact of a VAPID token: a mailto: or https: URL (RFC 8292 section 2.1). Apple answers each push with
 * BadJwtToken unless it names a public domain.
 * @returns the problem, or null
 */
export function contactProblem(subject: string): string | null {
  const host = MAILTO.exec(subject)?.[1] ?? hostOfUrl(subject);
  if (host === null) {
    return "must be a URL that begins with https://, or mailto: and an e-mail address";
  }
  return isPublicDomain(host)
    ? null
    : "must name a public domain, as in mailto:push@shop.example: Apple refuses every push otherwise";
}

function hostOfUrl(subject: string): string | null {
  return subject.startsWith("https://") && URL.canParse(subject) ? new URL(subject).hostname : null;
}

/** Whether a name has the form of a domain in the public DNS. */
function isPublicDomain(host: string): boolean {
  const labels = host.toLowerCase().replace(/\.$/, "").split(".");
  const last = labels.at(-1) ?? "";
  if (labels.length < 2 || labels.includes("") || PRIVATE_DOMAINS.has(last)) return false;
  // The top-level domain of an IPv4 address would be a number; an IPv6 address is in brackets.
  if (isIP(host) !== 0 || last.length < 2) return false;
  return last.startsWith("xn--") || !NO_LETTER.test(last);
}
