/** A host to listen on as it stands in a URL: an address of IPv6 in brackets, everything as loopback. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** A URL without the slashes at its end, so that a path can follow. */
export function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}
