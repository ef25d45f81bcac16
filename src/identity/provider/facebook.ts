import { createHmac } from "node:crypto";
import { z } from "zod";
import { withoutEndSlashes } from "../../core/host-in-url";
import type { ApplicationSettings } from "../application/settings";
import { askProvider } from "./provider-request";
import { type Asking, checkForm, Refused, type Verified } from "./verified";

const BASE_URL = "https://graph.facebook.com";
const VERSION = "v23.0";

/** Where an application finds the Graph API; null as well as absent for the usual place. */
interface Place {
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

/** Graph API reference, "/me", with the fields asked for. */
const profile = z.object({
  id,
  name: z.string().nullish(),
  email: z.string().nullish(),
});

/** Where the Graph API is, in the version that is asked. */
export function facebookRoot({ baseUrl, version }: Place): string {
  return `${withoutEndSlashes(baseUrl ?? BASE_URL)}/${version ?? VERSION}`;
}

/**
 * Whose access token of Facebook this is. That it opens a profile is not enough: any site's token
 * does. It must have been issued to this application, and be its own user's.
 * @param now milliseconds since the Unix epoch
 * @throws Refused, Unreachable
 */
export async function verifyFacebook(
  settings: NonNullable<ApplicationSettings["facebook"]>,
  token: string,
  asking: Asking,
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
      asking,
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
        // Shows that the secret's owner asks ("Securing Graph API Requests").
        appsecret_proof: createHmac("sha256", appSecret).update(token).digest("hex"),
      })}`,
      asking,
    ),
  );
  if (!own.success) throw new Refused("no profile");
  if (own.data.id !== user_id) throw new Refused("the profile of somebody else");
  const { name, email } = own.data;
  return { subject: user_id, fullName: name ?? null, email: email ?? null, phone: null };
}
