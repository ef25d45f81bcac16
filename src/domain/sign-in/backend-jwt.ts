import type { JWTPayload, JWTVerifyGetKey } from "jose" with { "resolution-mode": "import" };
import { z } from "zod";
import { Fault } from "../../core/errors";
import { hashToken } from "../../core/random";
import { parseId } from "../../core/text/ids";
import { isValidText } from "../../core/text/text";
import { purgeRows } from "../../platform/store/rows/expired-rows";
import { type Application, findApplication } from "../applications/applications";
import type { ApplicationSettings } from "../applications/settings";
import { consumeJwt, EXPIRED_JWTS } from "./consumed-jwt-queries";
import { jwtProblem } from "./jwt-problem";
import { unavailableProvider } from "./provider-sign-in";
import type { SignInDeps } from "./sign-in-deps";
import { checkTokenFormat, ProviderUnavailable, TokenRejected } from "./verified-identity";

/** Longest time from the issue of a JWT, and from now, to its expiry, in seconds. */
const LIFETIME_S = 5 * 60;
/** Tolerated clock skew, in seconds. */
const SKEW_S = 60;
/** Maximum length of the id of a JWT, in characters. */
const JTI_MAX = 128;
/** Maximum length of the subject of a JWT, in characters; a login or an external id is shorter. */
const SUBJECT_MAX = 255;

type JwtSettings = NonNullable<ApplicationSettings["jwt"]>;

/** A verified JWT, by which the backend of an application vouches for a user. */
export interface BackendJwt {
  application: Application;
  /** What `sub` is of the user, and its value. */
  kind: JwtSettings["subject"];
  subject: string;
  /**
   * Stores the id of the JWT, so that it is accepted once, by all nodes together.
   * @throws Fault UNAUTHENTICATED if the id has been used before
   */
  consume(): Promise<void>;
}

const text = (max: number) => z.string().min(1).max(max).refine(isValidText);

const claims = z.object({
  // A list of audiences would make one JWT valid for several applications.
  aud: z.string(),
  sub: text(SUBJECT_MAX),
  jti: text(JTI_MAX),
  exp: z.number(),
  iat: z.number().optional(),
});

/** The same text for each JWT whose signature does not prove that the application's backend made it. */
const REFUSED =
  "Unauthorized: the JWT is not valid: its form, signature, algorithm, key or audience is not what the application's settings say";

/**
 * Verifies a JWT of an application's backend (RFC 7519), which the caller consumes once nothing else refuses the
 * request. The audience names the application. Only the algorithm of its settings is accepted, with a key of that
 * algorithm.
 * @param ip the client's address; JWTs without the right signature count as its failed sign-ins
 * @throws Fault UNAUTHENTICATED, with the claim at fault once the signature is right; LIMITED after too many failures;
 * UNAVAILABLE if the public keys cannot be read
 */
export async function acceptBackendJwt(
  deps: SignInDeps,
  jwt: string,
  ip: string,
): Promise<BackendJwt> {
  const verified = await deps.limits.attemptFrom(ip, async () => {
    const application = await audienceOf(deps, jwt);
    const settings = application?.settings.jwt;
    const fields = { provider: "jwt", applicationId: application?.id };
    try {
      if (!application || !settings) throw new TokenRejected("no application takes it");
      return { application, settings, payload: await verify(deps, application, settings, jwt) };
    } catch (error) {
      if (error instanceof ProviderUnavailable) {
        throw unavailableProvider(deps, { ...fields, reason: error.reason });
      }
      if (!(error instanceof TokenRejected)) throw error;
      deps.log.info({ ...fields, reason: error.reason }, "a sign-in token was rejected");
      return null;
    }
  });
  if (verified === null) throw new Fault("UNAUTHENTICATED", REFUSED);
  const { application, settings, payload } = verified;
  const { sub, jti, exp } = checkClaims(payload, deps.clock.now());
  // The clocks of nodes differ, so the id is kept for longer than any of them accepts the JWT.
  const keepUntil = new Date((exp + 2 * SKEW_S) * 1000);
  const consume = async () => {
    if (!(await consumeJwt(deps.store, application.id, hashToken(jti), keepUntil))) {
      throw claimRefused("jti", "has been used before: each JWT is accepted once");
    }
  };
  return { application, kind: settings.subject, subject: sub, consume };
}

/** The application that a JWT names, before it is verified; null if it names none. */
async function audienceOf(deps: SignInDeps, jwt: string): Promise<Application | null> {
  const { decodeJwt } = await import("jose");
  let id: number | null = null;
  try {
    checkTokenFormat(jwt);
    const { aud } = decodeJwt(jwt);
    id = typeof aud === "string" ? parseId(aud) : null;
  } catch {
    return null;
  }
  if (id === null) return null;
  return findApplication(deps, id).catch((error: unknown) => {
    if (error instanceof Fault && error.code === "INVALID") return null;
    throw error;
  });
}

/** @throws TokenRejected without the right signature, ProviderUnavailable, Fault UNAUTHENTICATED on a claim */
async function verify(
  { clock, keySets }: SignInDeps,
  { id }: Application,
  { algorithm, secret, jwksUrl }: JwtSettings,
  jwt: string,
): Promise<JWTPayload> {
  const { errors, jwtVerify } = await import("jose");
  const bytes = new TextEncoder().encode(secret);
  const key: JWTVerifyGetKey =
    algorithm === "HS256" ? () => bytes : await keySets.keySet(jwksUrl ?? "");
  try {
    const { payload } = await jwtVerify(jwt, key, {
      algorithms: [algorithm],
      audience: String(id),
      requiredClaims: ["exp", "sub", "jti"],
      clockTolerance: SKEW_S,
      currentDate: new Date(clock.now()),
    });
    return payload;
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    if (error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout) {
      throw new ProviderUnavailable(jwtProblem(error));
    }
    // The signature is right: the backend made it, so that it may learn what is wrong.
    if (error instanceof errors.JWTExpired) {
      throw claimRefused("exp", "has passed: create a JWT for each sign-in");
    }
    if (error instanceof errors.JWTClaimValidationFailed) {
      throw claimRefused(error.claim, error.reason === "missing" ? "is missing" : "is not valid");
    }
    throw new TokenRejected(jwtProblem(error));
  }
}

/** @throws Fault UNAUTHENTICATED on the claim */
function checkClaims(payload: JWTPayload, now: number): z.infer<typeof claims> {
  const read = claims.safeParse(payload);
  if (!read.success) {
    throw claimRefused(String(read.error.issues[0]?.path[0]), "is not valid");
  }
  const { exp, iat } = read.data;
  const limit = `must be at most ${LIFETIME_S} seconds after`;
  const seconds = now / 1000;
  if (exp > seconds + LIFETIME_S + SKEW_S) throw claimRefused("exp", `${limit} now`);
  if (iat === undefined) return read.data;
  if (iat > seconds + SKEW_S) throw claimRefused("iat", "is in the future");
  if (exp > iat + LIFETIME_S) throw claimRefused("exp", `${limit} iat`);
  return read.data;
}

function claimRefused(claim: string, problem: string): Fault {
  return new Fault("UNAUTHENTICATED", `Unauthorized: the claim ${claim} of the JWT ${problem}`);
}

/** Deletes the ids of JWTs that no node accepts any more. Idempotent and safe to run concurrently. */
export async function purgeConsumedJwts({
  store,
  clock,
}: Pick<SignInDeps, "store" | "clock">): Promise<void> {
  await purgeRows(store, EXPIRED_JWTS, new Date(clock.now()));
}
