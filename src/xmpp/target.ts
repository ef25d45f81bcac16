import type { Party } from "../calls/signal";
import type { Refusal } from "./error";
import { parseJid, parseUser } from "./jid";

/** Where a stanza goes: a user of this domain, the server, or nowhere. */
export type Target = { party: Party } | { server: true } | { refusal: Refusal };

/**
 * Where a stanza of a client goes (RFC 6120 section 10.3); one without an address to its own account.
 * @param to as the client wrote it
 * @param own the client's account
 * @param domain the domain of the users
 */
export function targetOf(to: string | undefined, own: Party, domain: string): Target {
  if (to === undefined) return { party: { ...own, resource: undefined } };
  const jid = parseJid(to);
  if (!jid) return { refusal: "jid-malformed" };
  if (jid.domain !== domain) return { refusal: "remote-server-not-found" };
  if (jid.local === "") return { server: true };
  const user = parseUser(jid.local);
  if (!user) return { refusal: "item-not-found" };
  return { party: jid.resource === undefined ? user : { ...user, resource: jid.resource } };
}
