import { Fault } from "../../core/errors";
import { newNonce } from "../../core/random";
import type { ApiKeyViewer } from "../../core/viewer";
import { type Application, findApplication } from "../applications/applications";
import { acceptBackendJwt, type BackendJwt } from "../sign-in/backend-jwt";
import {
  findVouchedUser,
  type OnReach,
  type VouchedName,
  type VouchedProfile,
} from "../sign-in/vouched-users";
import { countSignIn } from "../users/credentials";
import type { User } from "../users/user";
import type { Session } from "./session";
import type { SessionDeps } from "./session-deps";
import type { SessionSource } from "./session-queries";
import { type ClientInfo, startSession } from "./sessions";

/** The user for whom a backend vouches: named by exactly one field with an API key, by a JWT without one. */
export interface ServerSessionRequest extends VouchedProfile {
  userId?: string | null;
  login?: string | null;
  externalId?: string | null;
  jwt?: string | null;
}

/** The fields that name the user of a request with an API key. */
const NAMES = ["userId", "login", "externalId"] as const;

/**
 * Creates a session of a user for whom the application's backend vouches, by an API key or by a JWT: without a password,
 * and without a session.
 * @param key the API key of the request, which may create sessions; null without one
 * @param onReach as {@link findVouchedUser} has it
 * @throws Fault UNAUTHENTICATED without a key and a JWT, or for a JWT that is not valid; INVALID unless the request names
 * one user; NOT_FOUND for an unknown user; FORBIDDEN for a blocked user, or from a web origin that the application does
 * not allow; LIMITED; UNAVAILABLE if the keys that verify JWTs cannot be read
 */
export async function createServerSession(
  deps: SessionDeps,
  key: ApiKeyViewer | null,
  request: ServerSessionRequest,
  client: ClientInfo,
  onReach: OnReach,
): Promise<{ session: Session; token: string; user: User }> {
  const { application, name, consume } =
    key === null
      ? await vouchedByJwt(deps, request, client)
      : await vouchedByKey(deps, request, key);
  await deps.webOrigins.check(application.id, client.origin);
  await deps.limits.countForApplication("session", application.id);
  await deps.limits.countForApplication("sign-in", application.id);
  const user = await countSignIn(deps, application.id, async () => {
    const found = await findVouchedUser(deps, application, name, request, onReach);
    // Last, so that a client which had to wait may present the JWT again.
    await consume?.();
    return found;
  });
  const signed = { applicationId: application.id, nonce: newNonce() };
  const ts = Math.floor(deps.clock.now() / 1000);
  const source: SessionSource =
    key === null ? { origin: "jwt", apiKeyId: null } : { origin: "api_key", apiKeyId: key.id };
  const signedIn = { user, passwordHash: null };
  const started = await startSession(deps, { ...signed, ts }, signedIn, client, source);
  return { ...started, user };
}

/** Who vouches for which user. */
interface Vouched {
  application: Application;
  name: VouchedName;
  /** Consumes the JWT; absent with an API key. */
  consume?: BackendJwt["consume"];
}

async function vouchedByKey(
  deps: SessionDeps,
  request: ServerSessionRequest,
  { applicationId }: ApiKeyViewer,
): Promise<Vouched> {
  return { application: await findApplication(deps, applicationId), name: nameOf(request) };
}

async function vouchedByJwt(
  deps: SessionDeps,
  { jwt, ...request }: ServerSessionRequest,
  { ip, onApplication }: ClientInfo,
): Promise<Vouched> {
  if (!jwt) {
    throw new Fault(
      "UNAUTHENTICATED",
      "An API key (Svc-Api-Key) or a JWT of the backend is needed",
    );
  }
  const named = NAMES.find((field) => typeof request[field] === "string");
  if (named !== undefined)
    throw Fault.field(named, "does not go with jwt, whose sub names the user");
  const { application, kind, subject, consume } = await acceptBackendJwt(deps, jwt, ip);
  onApplication?.(application.id);
  return { application, name: { kind, value: subject, field: "jwt" }, consume };
}

/** @throws Fault INVALID unless the request names its user by one field */
function nameOf(request: ServerSessionRequest): VouchedName {
  if (typeof request.jwt === "string") throw Fault.field("jwt", "does not go with an API key");
  const given = NAMES.flatMap((kind): VouchedName[] => {
    const value = request[kind];
    return typeof value === "string" ? [{ kind, value, field: kind }] : [];
  });
  const [name, another] = given;
  if (name === undefined || another !== undefined) {
    throw Fault.base(
      "Exactly one of userId, login and externalId is required",
      "Exactly one of user_id, login and external_id is required",
    );
  }
  return name;
}
