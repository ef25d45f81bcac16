import { SignalboxError } from "../errors.ts";

/** The base URL of the service, without slashes at its end. @throws SignalboxError INVALID if it is not a URL */
export function baseUrl(url: string): string {
  if (!/^https?:\/\/[^/?#]+/.test(url) || /[?#]/.test(url)) {
    throw new SignalboxError("INVALID", "The URL of the service is not one of http or https", {
      fields: { url: ["must begin with https:// or http://"] },
    });
  }
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}
