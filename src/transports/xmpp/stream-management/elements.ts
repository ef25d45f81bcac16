import { attribute } from "../../../platform/xml/ltx-element";
import { toResource } from "../stanza/jid";

/** Namespace of stream management (XEP-0198). */
export const STREAM_MANAGEMENT_NS = "urn:xmpp:sm:3";

/** Requests an acknowledgement. */
export const REQUEST = `<r xmlns="${STREAM_MANAGEMENT_NS}"/>`;

/** Time that a disconnected stream can be resumed, in seconds. */
export const RESUME_SECONDS = 60;

/** Conditions of failed stream management requests (XEP-0198 sections 3 and 5). */
export type ManagementFailure = "bad-request" | "item-not-found" | "unexpected-request";

/**
 * The response to a failed request.
 * @param handled number of handled stanzas of the earlier stream, if still known
 */
export function failed(condition: ManagementFailure, handled?: number): string {
  const h = attribute("h", handled?.toString());
  return `<failed xmlns="${STREAM_MANAGEMENT_NS}"${h}><${condition} xmlns="urn:ietf:params:xml:ns:xmpp-stanzas"/></failed>`;
}

/**
 * Confirms that stream management is on.
 * @param previd the id for a resumption; undefined if the stream cannot be resumed
 */
export function enabled(previd: string | undefined): string {
  const resume =
    previd === undefined ? "" : `${attribute("id", previd)} max="${RESUME_SECONDS}" resume="true"`;
  return `<enabled xmlns="${STREAM_MANAGEMENT_NS}"${resume}/>`;
}

/** Confirms that the earlier stream is resumed. */
export function resumed(previd: string, handled: number): string {
  return `<resumed xmlns="${STREAM_MANAGEMENT_NS}"${attribute("previd", previd)} h="${handled}"/>`;
}

/** Acknowledges the client's stanzas that were handled. */
export function acknowledgement(handled: number): string {
  return `<a xmlns="${STREAM_MANAGEMENT_NS}" h="${handled}"/>`;
}

/** Parses a stanza count below 2^32; undefined for anything else. */
export function readCount(text: string | undefined): number | undefined {
  const count = text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return count < 2 ** 32 ? count : undefined;
}

/**
 * Formats the id of a stream: a secret and the resource. A node that does not know the secret still gets the
 * resource, which determines where it reads on in the user's own inbox and grants no further access.
 */
export function formatPrevid(secret: string, resource: string): string {
  return `${secret}.${Buffer.from(resource).toString("base64url")}`;
}

/** The resource in the id of a stream of any node; undefined for an invalid id. */
export function resourceOf(previd: string): string | undefined {
  const [, text] = /^[\w-]{16}\.([\w-]{2,1364})$/.exec(previd) ?? [];
  return text === undefined ? undefined : toResource(Buffer.from(text, "base64url").toString());
}
