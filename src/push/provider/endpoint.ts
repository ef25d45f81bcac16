import { checkUrl } from "../../network/check-url";

/** Longest endpoint, in characters; those of the services have some 300. */
const ENDPOINT_MAX = 2048;

/**
 * What is wrong with a browser's endpoint, as far as its text tells; for when it is registered. Where
 * its name leads is looked at with each connection.
 * @param allowPrivate ALLOW_PRIVATE_NETWORKS
 * @returns null, or how it goes on after the name of the field: "must begin with https://"
 */
export function checkEndpoint(url: string, allowPrivate: boolean): string | null {
  if (url.length > ENDPOINT_MAX) return `is too long (maximum is ${ENDPOINT_MAX} characters)`;
  return checkUrl(url, allowPrivate);
}
