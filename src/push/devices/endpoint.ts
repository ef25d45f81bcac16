import { checkEndpoint } from "../providers/web/endpoint";

/**
 * Validates the URL that a push service assigned to a browser (RFC 8030 section 4).
 * @param allowPrivate whether it may be in a private network
 * @returns the normalized URL, or the problem, to follow the field's name
 */
export function readEndpoint(
  text: string,
  allowPrivate: boolean,
): { endpoint: string } | { problem: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The fragment is never sent, so URLs that differ only in it are equal.
  if (url) url.hash = "";
  const endpoint = url?.href ?? text;
  // The index of tokens casts to bytea, which interprets a backslash as an escape.
  if (endpoint.includes("\\")) return { problem: "must be a URL without a backslash" };
  const problem = checkEndpoint(endpoint, allowPrivate);
  return problem === null ? { endpoint } : { problem };
}
