import type { Party } from "../../calls/signals/signal";
import type { StanzaErrorCondition } from "./error";
import { parseJid, parseUser } from "./jid";

/** Destination of a stanza: a user of this domain, the server, or the error for an invalid address. */
export type Target = { party: Party } | { server: true } | { condition: StanzaErrorCondition };

/**
 * Resolves the destination of a client's stanza (RFC 6120 section 10.3): without an address, the client's
 * own account.
 * @param to the address that the client sent
 * @param own the client's account
 * @param domain the domain of the users
 */
export function resolveTarget(to: string | undefined, own: Party, domain: string): Target {
  if (to === undefined) return { party: { ...own, resource: undefined } };
  const jid = parseJid(to);
  if (!jid) return { condition: "jid-malformed" };
  if (jid.domain !== domain) return { condition: "remote-server-not-found" };
  if (jid.local === "") return { server: true };
  const user = parseUser(jid.local);
  if (!user) return { condition: "item-not-found" };
  return { party: jid.resource === undefined ? user : { ...user, resource: jid.resource } };
}
