import { attribute } from "../element";
import { toResource } from "../jid";

/** Namespace of stream management (XEP-0198). */
export const SM = "urn:xmpp:sm:3";

/** Asks the client how much it has received. */
export const REQUEST = `<r xmlns="${SM}"/>`;

/** Seconds that a stream without a connection is kept. */
export const RESUME_SECONDS = 60;

/** Why a request of stream management fails (XEP-0198 section 3 and 5). */
export type ManagementFailure = "bad-request" | "item-not-found" | "unexpected-request";

/**
 * A request that failed.
 * @param handled stanzas of the earlier stream that were handled, where that is still known
 */
export function failed(condition: ManagementFailure, handled?: number): string {
  const h = attribute("h", handled?.toString());
  return `<failed xmlns="${SM}"${h}><${condition} xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></failed>`;
}

/** Stream management is on; with the id of the stream where it can be resumed. */
export function enabled(previd: string | undefined): string {
  const resume =
    previd === undefined ? "" : `${attribute("id", previd)} max="${RESUME_SECONDS}" resume="true"`;
  return `<enabled xmlns="${SM}"${resume}/>`;
}

/** The earlier stream goes on. */
export function resumed(previd: string, handled: number): string {
  return `<resumed xmlns="${SM}"${attribute("previd", previd)} h="${handled}"/>`;
}

/** How many stanzas of the client were handled. */
export function acknowledgement(handled: number): string {
  return `<a xmlns="${SM}" h="${handled}"/>`;
}

/** A count of stanzas as it is written, below 2^32; undefined for anything else. */
export function readCount(text: string | undefined): number | undefined {
  const count = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return count < 2 ** 32 ? count : undefined;
}

/**
 * The id of a stream: a secret, and the resource. Another node knows nothing of the secret; there the
 * resource tells where the user's own inbox is to be read from, which opens nothing to anybody else.
 */
export function formatPrevid(secret: string, resource: string): string {
  return `${secret}.${Buffer.from(resource).toString("base64url")}`;
}

/** The resource in an id of any node; undefined for a text that is no such id. */
export function resourceOf(previd: string): string | undefined {
  const [, text] = /^[\w-]{16}\.([\w-]{2,1364})$/.exec(previd) ?? [];
  return text === undefined ? undefined : toResource(Buffer.from(text, "base64url").toString());
}
