import type { Party } from "../calls/signal";

/** A JID in its parts (RFC 7622 section 3). */
export interface Jid {
  /** Empty for a server. */
  local: string;
  /** In lower case, without a final dot. */
  domain: string;
  /** Absent in a bare JID. */
  resource?: string;
}

const PART_BYTES = 1023;
const USER = /^([1-9]\d{0,15})-([1-9]\d{0,15})$/;
/** Characters that no local part may hold (RFC 7622 section 3.3.1), white space and controls. */
const NOT_LOCAL = /["&'/:<>@\s\p{Cc}\p{Cs}]/u;
const DOMAIN = /^[\p{L}\p{N}\p{M}._-]+$/u;
const DOMAIN_ADDRESS = /^\[[0-9a-f:.]+\]$/i;

const fits = (part: string) => part !== "" && Buffer.byteLength(part) <= PART_BYTES;

/** Whether the text can name a host, as the `to` of a stream does. */
export function isHost(text: string): boolean {
  return fits(text) && (DOMAIN.test(text) || DOMAIN_ADDRESS.test(text));
}

/**
 * The resource in the form it is compared in: NFC, spaces of other scripts as a plain one (RFC 8265
 * section 4.2.2). Undefined when it is empty, longer than 1,023 bytes or holds a control character.
 */
export function toResource(text: string): string | undefined {
  const resource = text.replace(/\p{Zs}/gu, " ").normalize("NFC");
  return fits(resource) && !/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(resource) ? resource : undefined;
}

/** Reads a JID; undefined when it is none. */
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
 * The user that a local part `{user_id}-{application_id}` names; undefined for anything else, ids
 * with leading zeros and above 2^53-1 included.
 */
export function parseUser(local: string): Party | undefined {
  const match = USER.exec(local);
  if (!match) return undefined;
  const party = { applicationId: Number(match[2]), userId: Number(match[1]) };
  return Number.isSafeInteger(party.userId) && Number.isSafeInteger(party.applicationId)
    ? party
    : undefined;
}

/** `{user_id}-{application_id}`. */
export function formatUser({ userId, applicationId }: Party): string {
  return `${userId}-${applicationId}`;
}

/** `{user_id}-{application_id}@{domain}`, with the resource when the party has one. */
export function formatJid(party: Party, domain: string): string {
  const bare = `${formatUser(party)}@${domain}`;
  return party.resource === undefined ? bare : `${bare}/${party.resource}`;
}
