import { isIP } from "node:net";
import { isPrivateAddress } from "./address";

/** The host of a URL without brackets and without the dot that ends an absolute name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/**
 * What is wrong with the address that a server is to be asked at, as far as its text tells: scheme,
 * user names, and private networks where the address or the name is one. Where its name leads is
 * looked at with each connection.
 * @param allowPrivate whether private networks, and http: with them, are allowed
 * @returns null, or how it goes on after "it …"
 */
export function checkUrl(text: string, allowPrivate: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSecure = url?.protocol === "https:" || (allowPrivate && url?.protocol === "http:");
  if (!url || !isSecure) return "must be a URL that begins with https://";
  const { username, password } = url;
  if (username !== "" || password !== "") return "must be a URL without a user name";
  if (allowPrivate) return null;
  const host = hostOf(url);
  const local = host === "localhost" || host.endsWith(".localhost");
  if (local || (isIP(host) !== 0 && isPrivateAddress(host))) {
    return "must not lead into a private network";
  }
  return null;
}
