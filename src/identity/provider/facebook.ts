import { createHmac } from "node:crypto";
import { z } from "zod";
import { withoutEndSlashes } from "../../core/host-in-url";
import type { ApplicationSettings } from "../application/settings";
import { askProvider } from "./provider-request";
import { type Asking, checkForm, Refused, type Verified } from "./verified";

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
export function facebookRoot({ baseUrl, version }: GraphApiLocation): string {
  return `${withoutEndSlashes(baseUrl ?? BASE_URL)}/${version ?? VERSION}`;
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
  options: Asking,
  now: number,
): Promise<Verified> {
  checkForm(token);
  const { appId, appSecret } = settings;
  const root = facebookRoot(settings);
  const inspected = inspection.safeParse(
    await askProvider(
      `${root}/debug_token?${new URLSearchParams({
        input_token: token,
        access_token: `${appId}|${appSecret}`,
      })}`,
      options,
    ),
  );
  if (!inspected.success) throw new Refused("not valid");
  const { app_id, user_id, expires_at } = inspected.data.data;
  if (app_id !== appId) throw new Refused("issued to another application");
  if (expires_at !== 0 && expires_at * 1000 <= now) throw new Refused("expired");

  const own = profile.safeParse(
    await askProvider(
      `${root}/me?${new URLSearchParams({
        fields: "id,name,email",
        access_token: token,
        // Proves possession of the app secret (Graph API, "Securing Graph API Requests").
        appsecret_proof: createHmac("sha256", appSecret).update(token).digest("hex"),
      })}`,
      options,
    ),
  );
  if (!own.success) throw new Refused("no profile");
  if (own.data.id !== user_id) throw new Refused("the profile belongs to another user");
  const { name, email } = own.data;
  return { subject: user_id, fullName: name ?? null, email: email ?? null, phone: null };
}
