/** A host to listen on as it stands in a URL: an address of IPv6 in brackets, everything as loopback. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
