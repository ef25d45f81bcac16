import { checkUrl } from "../../../../platform/network/check-url";

/** Maximum length of an endpoint in characters; browsers' services use about 300. */
const ENDPOINT_MAX = 2048;

/**
 * Checks the text of a browser's endpoint when it is registered. The address that its host resolves to is
 * checked for each connection.
 * @param allowPrivate ALLOW_PRIVATE_NETWORKS
 * @returns null, or the problem, to follow the field's name: "must begin with https://"
 */
export function checkEndpoint(url: string, allowPrivate: boolean): string | null {
  if (url.length > ENDPOINT_MAX) return `is too long (maximum is ${ENDPOINT_MAX} characters)`;
  return checkUrl(url, allowPrivate);
}
