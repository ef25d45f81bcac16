import type { Party } from "../../../domain/calls/signals/signal";
import type { StanzaErrorCondition } from "./error";

/** The parts of a JID (RFC 7622 section 3). */
export interface Jid {
  /** Empty for a server. */
  local: string;
  /** In lower case, without a trailing dot. */
  domain: string;
  /** Absent in a bare JID. */
  resource?: string;
}

/** Destination of a stanza: a user of this domain, the server, or the error for an invalid address. */
export type Target = { party: Party } | { server: true } | { condition: StanzaErrorCondition };

const PART_BYTES = 1023;
const USER = /^([1-9]\d{0,15})-([1-9]\d{0,15})$/;
/** Characters that a local part must not contain (RFC 7622 section 3.3.1), white space and controls. */
const NOT_LOCAL = /["&'/:<>@\s\p{Cc}\p{Cs}]/u;
const DOMAIN = /^[\p{L}\p{N}\p{M}._-]+$/u;
const DOMAIN_ADDRESS = /^\[[0-9a-f:.]+\]$/i;

const fits = (part: string) => part !== "" && Buffer.byteLength(part) <= PART_BYTES;

/** Whether the text is a valid host, as in the `to` attribute of a stream header. */
export function isHost(text: string): boolean {
  return fits(text) && (DOMAIN.test(text) || DOMAIN_ADDRESS.test(text));
}

/**
 * Normalizes a resource for comparison: NFC, non-ASCII spaces as U+0020 (RFC 8265 section 4.2.2).
 * @returns undefined if it is empty, longer than 1,023 bytes or contains a control character
 */
export function toResource(text: string): string | undefined {
  const resource = text.replace(/\p{Zs}/gu, " ").normalize("NFC");
  return fits(resource) && !/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(resource) ? resource : undefined;
}

/** Parses a JID. Returns undefined if it is invalid. */
export function parseJid(text: string): Jid | undefined {
  if (text.length > 3 * PART_BYTES + 2) return undefined;
  const slash = text.indexOf("/");
  const bare = slash < 0 ? text : text.slice(0, slash);
  const at = bare.indexOf("@");
  const local = at < 0 ? "" : bare.slice(0, at);
  const domain = bare
    .slice(at + 1)
    .toLowerCase()
    .replace(/\.$/, "");
  if (!isHost(domain) || (at >= 0 && (!fits(local) || NOT_LOCAL.test(local)))) return undefined;
  if (slash < 0) return { local, domain };
  const resource = toResource(text.slice(slash + 1));
  return resource === undefined ? undefined : { local, domain, resource };
}

/**
 * Parses a local part `{user_id}-{application_id}`.
 * @returns undefined for anything else, including ids with leading zeros or above 2^53-1
 */
export function parseUser(local: string): Party | undefined {
  const match = USER.exec(local);
  if (!match) return undefined;
  const party = { applicationId: Number(match[2]), userId: Number(match[1]) };
  return Number.isSafeInteger(party.userId) && Number.isSafeInteger(party.applicationId)
    ? party
    : undefined;
}

/** Formats a user as `{user_id}-{application_id}`. */
export function formatUser({ userId, applicationId }: Party): string {
  return `${userId}-${applicationId}`;
}

/** Formats a JID: `{user_id}-{application_id}@{domain}`, with the resource if the party has one. */
export function formatJid(party: Party, domain: string): string {
  const bare = `${formatUser(party)}@${domain}`;
  return party.resource === undefined ? bare : `${bare}/${party.resource}`;
}

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
