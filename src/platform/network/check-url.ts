import { isIP } from "node:net";
import { isPrivateAddress } from "./private-address";

/** The host of a URL, without brackets and without the trailing dot of an absolute name. */
export function hostOfUrl({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/**
 * Checks the text of an outbound URL: its scheme, user name, and whether its host is a private address or
 * localhost. The addresses of other names are checked with each connection.
 * @param allowPrivate whether private networks and http: are allowed
 * @returns null, or the problem, in words that follow a subject ("must be …")
 */
export function checkUrl(text: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSecure = url?.protocol === "https:" || (allowPrivate && url?.protocol === "http:");
  if (!url || !isSecure) return "must be a URL that begins with https://";
  const { username, password } = url;
  if (username !== "" || password !== "") return "must be a URL without a user name";
  if (allowPrivate) return null;
  const host = hostOfUrl(url);
  const local = host === "localhost" || host.endsWith(".localhost");
  if (local || (isIP(host) !== 0 && isPrivateAddress(host))) {
    return "must not lead into a private network";
  }
  return null;
}
