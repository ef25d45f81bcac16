import { z } from "zod";
import { isText } from "../../core/text";
import type { ApplicationSettings } from "../application/settings";
import type { FirebaseKeys } from "./firebase-keys";
import { checkForm, Refused, Unreachable, type Verified } from "./verified";

/** Where Google publishes the keys of ID tokens, as a JSON Web Key Set. */
export const KEYS_URL =
  "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";

/** Seconds that a token may have been issued in the future, for clocks that differ. */
const SKEW_S = 60;

const claims = z.object({
  // A list of audiences would pass as well, but Firebase writes none.
  aud: z.string(),
  iat: z.number(),
  sub: z.string().min(1).max(128).refine(isText),
  phone_number: z.string().regex(/^\+\d{3,20}$/),
  firebase: z.object({ sign_in_provider: z.literal("phone") }),
});

/** An ID token and the project that the client says it is of. */
export interface PhoneKeys {
  projectId: string;
  accessToken: string;
}

/**
 * Whose phone number an ID token of Firebase vouches for (firebase.google.com "Verify ID tokens using
 * a third-party JWT library"). The environment's FIREBASE_AUTH_EMULATOR_HOST changes nothing: with
 * Google's own library it lets unsigned tokens pass.
 * @param now milliseconds since the Unix epoch
 * @throws Refused, Unreachable
 */
export async function verifyFirebasePhone(
  settings: NonNullable<ApplicationSettings["firebase"]>,
  given: PhoneKeys,
  keys: FirebaseKeys,
  now: number,
): Promise<Verified> {
  const { projectId } = settings;
  if (given.projectId !== projectId) throw new Refused("of another project");
  checkForm(given.accessToken);
  const { jwtVerify } = await import("jose");
  const verified = await jwtVerify(given.accessToken, await keys.at(settings.keysUrl ?? KEYS_URL), {
    algorithms: ["RS256"],
    issuer: `https://securetoken.google.com/${projectId}`,
    audience: projectId,
    requiredClaims: ["exp", "iat", "sub"],
    currentDate: new Date(now),
  }).catch((error: unknown) => {
    throw error instanceof Unreachable ? error : new Refused(reasonOf(error));
  });
  const read = claims.safeParse(verified.payload);
  if (!verified.protectedHeader.kid || !read.success) throw new Refused("no phone sign-in");
  if (read.data.iat > now / 1000 + SKEW_S) throw new Refused("issued in the future");
  return { subject: read.data.sub, fullName: null, email: null, phone: read.data.phone_number };
}

/** The code of an error of jose; its message may quote the token. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "not valid";
}
