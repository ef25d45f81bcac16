import { Fault } from "../../core/errors";
import { ownApplication } from "../../identity/application/owned-applications";
import type { Identity } from "../../identity/identity";
import type { PushEnvironment, PushService } from "../channel";
import { checkApns, type GivenApns } from "./apns-form";
import { type CheckCredentials, judgeCredentials, type Verdict } from "./check-credentials";
import { CredentialLists } from "./credential-list";
import type { Credentials } from "./credentials";
import { checkFcm, type GivenFcm } from "./fcm-form";
import { LoadedCredentials } from "./loaded-credentials";
import { sealCredentials } from "./stored-credentials";
import { checkWeb, type GivenWeb } from "./web-form";

/** What the functions of push credentials stand on; one per node. */
export interface PushCredentialRoom {
  identity: Identity;
  check: CheckCredentials;
  /** For those who send. */
  loaded: LoadedCredentials;
  /** For owners. */
  lists: CredentialLists;
}

/** Whose credentials, and for which builds. */
export interface CredentialPlace {
  applicationId: string;
  environment: PushEnvironment;
}

/** Credentials to set: exactly one of the services. */
export interface GivenCredentials {
  apns?: GivenApns | null;
  fcm?: GivenFcm | null;
  web?: GivenWeb | null;
}

const SET = {
  name: "set_push_credentials",
  text: `INSERT INTO push_credentials (application_id, environment, service, settings, secret,
      created_at, updated_at)
    VALUES ($1, $2::push_environment, $3::push_service, $4::text::jsonb, $5, $6, $6)
    ON CONFLICT (application_id, environment, service) DO UPDATE
      SET settings = excluded.settings, secret = excluded.secret, updated_at = excluded.updated_at`,
};
const CLEAR = {
  name: "clear_push_credentials",
  text: `DELETE FROM push_credentials WHERE application_id = $1
    AND environment = $2::push_environment AND service = $3::push_service RETURNING id`,
};

const SERVICES: readonly PushService[] = ["apns", "fcm", "web"];
const NOT_CHECKED = "Not checked, as the service could not be asked";
const KEYS_CHANGED =
  "The public key has changed: browsers receive nothing until they have subscribed with the new one.";

/** Opens the room; credentials in memory are forgotten when any node changes their application. */
export function openCredentialRoom(
  identity: Identity,
  check: CheckCredentials,
): PushCredentialRoom & { close(): void } {
  const loaded = new LoadedCredentials(identity);
  const close = identity.endings.whenApplicationChanges((id) => loaded.forget(id));
  return { identity, check, loaded, lists: new CredentialLists(identity.store), close };
}

/**
 * Sets the credentials of one service, in place of those that were there, once their form is right
 * and the service does not refuse them.
 * @param skipCheck whether the service is not asked
 * @returns the application's id, and what the owner should know
 * @throws Fault NOT_FOUND, INVALID on the field that is wrong, or on the service that refuses them
 */
export async function setCredentials(
  room: PushCredentialRoom,
  accountId: number,
  { applicationId, environment }: CredentialPlace,
  given: GivenCredentials,
  skipCheck: boolean,
): Promise<{ id: number; warning: string | null }> {
  const { store, sealer, clock, endings } = room.identity;
  const { id } = await ownApplication(room.identity, accountId, applicationId);
  const credentials = checkForm(given, clock.now());
  const { service } = credentials;
  const verdict = skipCheck ? null : await judge(room, credentials, environment);
  if (verdict?.kind === "refused") {
    throw Fault.field(service, `credentials were refused by the service: ${verdict.reason}`);
  }
  const warnings = [
    verdict?.kind === "unreachable" ? `${NOT_CHECKED}: ${verdict.reason}.` : null,
    await keyWarning(room, id, environment, credentials),
  ].filter((text) => text !== null);
  const { settings, secret } = sealCredentials(credentials, sealer);
  const now = new Date(clock.now());
  await store.query(SET, [id, environment, service, settings, secret, now]);
  endings.announce({ kind: "application changed", applicationId: id });
  return { id, warning: warnings.join(" ") || null };
}

/**
 * Forgets the credentials of a service.
 * @returns the application's id, and whether there were any
 * @throws Fault NOT_FOUND
 */
export async function clearCredentials(
  { identity }: PushCredentialRoom,
  accountId: number,
  { applicationId, environment }: CredentialPlace,
  service: PushService,
): Promise<{ id: number; cleared: boolean }> {
  const { id } = await ownApplication(identity, accountId, applicationId);
  const rows = await identity.store.query(CLEAR, [id, environment, service]);
  identity.endings.announce({ kind: "application changed", applicationId: id });
  return { id, cleared: rows.length > 0 };
}

/**
 * Asks the services of the credentials that are set, all of them or one.
 * @throws Fault NOT_FOUND
 */
export async function checkAgain(
  room: PushCredentialRoom,
  accountId: number,
  { applicationId, environment }: CredentialPlace,
  service: PushService | null,
): Promise<Array<{ service: PushService; verdict: Verdict }>> {
  const { id } = await ownApplication(room.identity, accountId, applicationId);
  const asked = service === null ? SERVICES : [service];
  const checks = asked.map(async (each) => {
    const found = await room.loaded.load(id, environment, each);
    if (!found) return null;
    return { service: each, verdict: await judge(room, found.credentials, environment) };
  });
  return (await Promise.all(checks)).filter((each) => each !== null);
}

/** The key that browsers subscribe with, an uncompressed point in base64url; null where none is set. */
export async function publicKeyOf(
  { loaded }: PushCredentialRoom,
  applicationId: number,
  environment: PushEnvironment,
): Promise<string | null> {
  const found = await loaded.load(applicationId, environment, "web");
  return found?.credentials.service === "web" ? found.credentials.publicKey : null;
}

function checkForm(given: GivenCredentials, now: number): Credentials {
  const { apns, fcm, web } = given;
  if ([apns, fcm, web].filter(Boolean).length === 1) {
    if (apns) return checkApns(apns, now);
    if (fcm) return checkFcm(fcm);
    if (web) return checkWeb(web);
  }
  const text = "exactly one of apns, fcm and web is to be given";
  throw new Fault("INVALID", text, { base: [text] });
}

function judge(
  { check, identity }: PushCredentialRoom,
  credentials: Credentials,
  environment: PushEnvironment,
): Promise<Verdict> {
  return judgeCredentials(check, credentials, environment, identity.config.PROVIDER_TIMEOUT_MS);
}

/** A browser's subscription is bound to the key that it was made with (RFC 8292 section 4.2). */
async function keyWarning(
  room: PushCredentialRoom,
  id: number,
  environment: PushEnvironment,
  credentials: Credentials,
): Promise<string | null> {
  if (credentials.service !== "web") return null;
  const former = (await room.lists.of(id)).find(
    (each) => each.environment === environment && each.service === "web",
  );
  const changed = former !== undefined && former.settings.publicKey !== credentials.publicKey;
  return changed ? KEYS_CHANGED : null;
}
