/** Formats a listening host for a URL: IPv6 in brackets, a wildcard address as loopback. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Removes trailing slashes from a URL, so that a path can be appended. */
export function trimTrailingSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}
