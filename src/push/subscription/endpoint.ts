import { checkEndpoint } from "../provider/endpoint";

/**
 * Reads the address that a browser's push service gave it (RFC 8030 section 4).
 * @param allowPrivate whether it may lead into a private network
 * @returns the address in the one form in which it is kept, or what is wrong with it, in words that
 * follow the name of its field
 */
export function readEndpoint(
  text: string,
  allowPrivate: boolean,
): { endpoint: string } | { problem: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  // Never sent; two addresses that differ in it alone are one.
  if (url) url.hash = "";
  const endpoint = url?.href ?? text;
  // A backslash in the query would not stand for itself in the index of tokens.
  if (endpoint.includes("\\")) return { problem: "must be a URL without a backslash" };
  const problem = checkEndpoint(endpoint, allowPrivate);
  return problem === null ? { endpoint } : { problem };
}
