import { createHmac } from "node:crypto";
import { z } from "zod";
import { trimTrailingSlashes } from "../../core/host-in-url";
import type { ApplicationSettings } from "../applications/settings";
import { requestProvider } from "./provider-request";
import {
  checkTokenFormat,
  type ProviderRequestOptions,
  TokenRejected,
  type VerifiedIdentity,
} from "./verified-identity";

const BASE_URL = "https://graph.facebook.com";
const VERSION = "v23.0";

/** Location of the Graph API; null or absent for the default. */
interface GraphApiLocation {
  baseUrl?: string | null;
  version?: string | null;
}

const id = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,32}$/));

/** Graph API reference, "/debug_token". */
const inspection = z.object({
  data: z.object({
    is_valid: z.literal(true),
    app_id: id,
    user_id: id,
    /** Unix time in seconds; 0 for a token that does not expire. */
    expires_at: z.number(),
  }),
});

/** Graph API reference, "/me", with the requested fields. */
const profile = z.object({
  id,
  name: z.string().nullish(),
  email: z.string().nullish(),
});

/** Base URL of the Graph API, including the version. */
export function facebookBaseUrl({ baseUrl, version }: GraphApiLocation): string {
  return `${trimTrailingSlashes(baseUrl ?? BASE_URL)}/${version ?? VERSION}`;
}

/** The part of {@link inspection} that the inspection of an application's own token has. */
const ownInspection = z.object({ data: z.object({ is_valid: z.literal(true), app_id: id }) });

/**
 * Has Facebook inspect an application's own token, which consists of its id and secret (Graph API, "App access
 * tokens").
 * @throws TokenRejected if they do not belong together, ProviderUnavailable
 */
export async function checkFacebook(
  settings: NonNullable<ApplicationSettings["facebook"]>,
  options: ProviderRequestOptions,
): Promise<void> {
  const { appId, appSecret } = settings;
  const token = `${appId}|${appSecret}`;
  const query = new URLSearchParams({ input_token: token, access_token: token });
  const url = `${facebookBaseUrl(settings)}/debug_token?${query}`;
  const inspected = ownInspection.safeParse(await requestProvider(url, options));
  if (inspected.data?.data.app_id !== appId) throw new TokenRejected("not valid");
}

/**
 * Verifies a Facebook access token. Access to a profile proves nothing, because a token of any site gives
 * that: the token must have been issued to this application, and the profile must be its user's.
 * @param now in milliseconds since the Unix epoch
 * @throws TokenRejected, ProviderUnavailable
 */
export async function verifyFacebook(
  settings: NonNullable<ApplicationSettings["facebook"]>,
  token: string,
  options: ProviderRequestOptions,
  now: number,
): Promise<VerifiedIdentity> {
  checkTokenFormat(token);
  const { appId, appSecret } = settings;
  const root = facebookBaseUrl(settings);
  const inspected = inspection.safeParse(
    await requestProvider(
      `${root}/debug_token?${new URLSearchParams({
        input_token: token,
        access_token: `${appId}|${appSecret}`,
      })}`,
      options,
    ),
  );
  if (!inspected.success) throw new TokenRejected("not valid");
  const { app_id, user_id, expires_at } = inspected.data.data;
  if (app_id !== appId) throw new TokenRejected("issued to another application");
  if (expires_at !== 0 && expires_at * 1000 <= now) throw new TokenRejected("expired");

  const own = profile.safeParse(
    await requestProvider(
      `${root}/me?${new URLSearchParams({
        fields: "id,name,email",
        access_token: token,
        // Proves possession of the app secret (Graph API, "Securing Graph API Requests").
        appsecret_proof: createHmac("sha256", appSecret).update(token).digest("hex"),
      })}`,
      options,
    ),
  );
  if (!own.success) throw new TokenRejected("no profile");
  if (own.data.id !== user_id) throw new TokenRejected("the profile belongs to another user");
  const { name, email } = own.data;
  return { subject: user_id, fullName: name ?? null, email: email ?? null, phone: null };
}
