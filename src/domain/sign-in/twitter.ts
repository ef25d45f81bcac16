import { createHmac } from "node:crypto";
import { z } from "zod";
import { trimTrailingSlashes } from "../../core/host-in-url";
import { newId } from "../../core/random";
import type { ApplicationSettings } from "../applications/settings";
import { requestProvider } from "./provider-request";
import {
  checkTokenFormat,
  type ProviderRequestOptions,
  ProviderUnavailable,
  TokenRejected,
  type VerifiedIdentity,
} from "./verified-identity";

const BASE_URL = "https://api.twitter.com";
const PATH = "/1.1/account/verify_credentials.json";
const TOKEN_PATH = "/oauth2/token";
const QUERY = { include_email: "true", skip_status: "true" };

/** Twitter API reference, "GET account/verify_credentials". */
const profile = z.object({
  id_str: z.string().regex(/^\d{1,32}$/),
  name: z.string().nullish(),
  email: z.string().nullish(),
});

/** An access token and its secret. */
export interface TwitterCredentials {
  token: string;
  secret: string;
}

/** URL of Twitter's verify_credentials. */
export function twitterVerifyUrl({ baseUrl }: { baseUrl?: string | null }): string {
  return `${trimTrailingSlashes(baseUrl ?? BASE_URL)}${PATH}`;
}

/**
 * Verifies a Twitter access token. Twitter accepts only signatures of the application that the token was
 * issued to.
 * @param now in milliseconds since the Unix epoch
 * @throws TokenRejected, ProviderUnavailable
 */
export async function verifyTwitter(
  settings: NonNullable<ApplicationSettings["twitter"]>,
  keys: TwitterCredentials,
  options: ProviderRequestOptions,
  now: number,
): Promise<VerifiedIdentity> {
  checkTokenFormat(keys.token);
  checkTokenFormat(keys.secret);
  const url = twitterVerifyUrl(settings);
  const body = await requestProvider(`${url}?${new URLSearchParams(QUERY)}`, options, {
    headers: { Authorization: authorization(url, settings, keys, now) },
  });
  const own = profile.safeParse(body);
  if (!own.success) throw new TokenRejected("no profile");
  const { id_str, name, email } = own.data;
  return { subject: id_str, fullName: name ?? null, email: email || null, phone: null };
}

/**
 * Asks Twitter for an application's own token, which it gives for the right consumer key and secret (Twitter API
 * reference, "POST oauth2/token"). The token is not used.
 * @throws TokenRejected, ProviderUnavailable
 */
export async function checkTwitter(
  settings: NonNullable<ApplicationSettings["twitter"]>,
  options: ProviderRequestOptions,
): Promise<void> {
  const { baseUrl, consumerKey, consumerSecret } = settings;
  const pair = `${encode(consumerKey)}:${encode(consumerSecret)}`;
  const { token_type } = await requestProvider(
    `${trimTrailingSlashes(baseUrl ?? BASE_URL)}${TOKEN_PATH}`,
    options,
    {
      headers: {
        Authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
        "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8",
      },
      body: "grant_type=client_credentials",
    },
  );
  if (token_type !== "bearer") throw new ProviderUnavailable("the response has no token");
}

/** The Authorization header of RFC 5849 section 3.5.1, signed with HMAC-SHA1 (section 3.4.2). */
function authorization(
  url: string,
  { consumerKey, consumerSecret }: { consumerKey: string; consumerSecret: string },
  { token, secret }: TwitterCredentials,
  now: number,
): string {
  const parameters: Record<string, string> = {
    oauth_consumer_key: consumerKey,
    oauth_nonce: newId(),
    oauth_signature_method: "HMAC-SHA1",
    oauth_timestamp: String(Math.floor(now / 1000)),
    oauth_token: token,
    oauth_version: "1.0",
  };
  const key = `${encode(consumerSecret)}&${encode(secret)}`;
  const signature = createHmac("sha1", key)
    .update(["GET", baseUri(url), normalized({ ...parameters, ...QUERY })].map(encode).join("&"))
    .digest("base64");
  const fields = Object.entries({ ...parameters, oauth_signature: signature });
  return `OAuth ${fields.map(([name, value]) => `${encode(name)}="${encode(value)}"`).join(", ")}`;
}

/** Section 3.4.1.3.2: encoded, then sorted by name. No name is repeated here. */
function normalized(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

/** Section 3.4.1.2: scheme and host in lower case, without a default port. */
function baseUri(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Section 3.6: everything but letters, digits and - . _ ~ is encoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
