import { z } from "zod";
import { isValidText } from "../../core/text/text";
import type { ApplicationSettings } from "../applications/settings";
import { jwtProblem } from "./jwt-problem";
import type { KeySets } from "./key-sets";
import {
  checkTokenFormat,
  ProviderUnavailable,
  TokenRejected,
  type VerifiedIdentity,
} from "./verified-identity";

/** URL of Google's public keys for ID tokens, as a JSON Web Key Set. */
export const FIREBASE_KEYS_URL =
  "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";

/** Tolerated clock skew for `iat`, in seconds. */
const SKEW_S = 60;

const claims = z.object({
  // jose also accepts a list of audiences, but Firebase never issues one.
  aud: z.string(),
  iat: z.number(),
  sub: z.string().min(1).max(128).refine(isValidText),
  phone_number: z.string().regex(/^\+\d{3,20}$/),
  firebase: z.object({ sign_in_provider: z.literal("phone") }),
});

/** An ID token and the project that the client names for it. */
export interface FirebasePhoneCredentials {
  projectId: string;
  accessToken: string;
}

/**
 * Verifies an ID token of a Firebase phone sign-in (firebase.google.com "Verify ID tokens using a third-party
 * JWT library"). Does not use Google's own library, which accepts unsigned tokens when the environment sets
 * FIREBASE_AUTH_EMULATOR_HOST.
 * @param now in milliseconds since the Unix epoch
 * @throws TokenRejected, ProviderUnavailable
 */
export async function verifyFirebasePhone(
  settings: NonNullable<ApplicationSettings["firebase"]>,
  given: FirebasePhoneCredentials,
  keys: KeySets,
  now: number,
): Promise<VerifiedIdentity> {
  const { projectId } = settings;
  if (given.projectId !== projectId)
    throw new TokenRejected("the token belongs to another project");
  checkTokenFormat(given.accessToken);
  const { jwtVerify } = await import("jose");
  const verified = await jwtVerify(
    given.accessToken,
    await keys.keySet(settings.keysUrl ?? FIREBASE_KEYS_URL),
    {
      algorithms: ["RS256"],
      issuer: `https://securetoken.google.com/${projectId}`,
      audience: projectId,
      requiredClaims: ["exp", "iat", "sub"],
      currentDate: new Date(now),
    },
  ).catch((error: unknown) => {
    throw error instanceof ProviderUnavailable ? error : new TokenRejected(jwtProblem(error));
  });
  const read = claims.safeParse(verified.payload);
  if (!verified.protectedHeader.kid || !read.success)
    throw new TokenRejected("not a phone sign-in");
  if (read.data.iat > now / 1000 + SKEW_S) throw new TokenRejected("issued in the future");
  return { subject: read.data.sub, fullName: null, email: null, phone: read.data.phone_number };
}
