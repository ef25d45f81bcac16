import type { Clock } from "../../../core/clock";
import type { Config } from "../../../core/config";
import { Fault } from "../../../core/errors";
import { ListLoader } from "../../../core/loads/batch-loader";
import type { Log } from "../../../core/log";
import type { Sealer } from "../../../core/sealer";
import type { Store } from "../../../platform/store/store";
import type { RequestContext } from "../../access/request-context";
import { findOwnedApplication } from "../../applications/owned-applications";
import type { SessionEvents } from "../../session-events/session-events";
import { type PushEnvironment, type PushService, SERVICES } from "../channels/channel";
import {
  type CheckCredentials,
  type CredentialCheckResult,
  checkWithTimeout,
} from "./check-credentials";
import { CredentialCache } from "./credential-cache";
import {
  deleteStoredCredentials,
  type ListedCredentials,
  listStoredCredentials,
  writeStoredCredentials,
} from "./credential-queries";
import { CredentialVerdicts } from "./credential-verdicts";
import type { Credentials } from "./credentials";
import { type CredentialsChange, validateCredentials } from "./credentials-input";
import { sealCredentials } from "./sealed-credentials";

/** Dependencies of the credential service. */
export interface CredentialDeps {
  config: Pick<Config, "PROVIDER_TIMEOUT_MS">;
  store: Store;
  clock: Clock;
  log: Log;
  sealer: Sealer;
  /** Notifies all nodes of changed credentials. */
  sessionEvents: SessionEvents;
}

/** Context of the resolvers of push credentials. */
export interface CredentialContext extends RequestContext {
  pushCredentials: PushCredentialService;
}

/** The credential service, one per node. */
export interface PushCredentialService extends CredentialDeps {
  check: CheckCredentials;
  /** Decrypted credentials for sending. */
  cache: CredentialCache;
  /** Whether push services accept them. */
  verdicts: CredentialVerdicts;
  /** Credentials of applications without secrets, oldest first, for owners. */
  listLoader: ListLoader<ListedCredentials>;
}

/** The application and the builds of its app that credentials are for. */
export interface CredentialScope {
  applicationId: string;
  environment: PushEnvironment;
}

const NOT_CHECKED = "Not checked because the service is unavailable";
const KEYS_CHANGED =
  "The public key has changed: browsers receive nothing until they subscribe with the new one.";

/** Opens the credential service. A change of an application on any node evicts its cached credentials. */
export function openCredentialService(
  deps: CredentialDeps,
  check: CheckCredentials,
): PushCredentialService & { close(): void } {
  const cache = new CredentialCache(deps);
  const verdicts = new CredentialVerdicts(deps);
  const close = deps.sessionEvents.onApplicationChange((id) => {
    cache.evict(id);
    verdicts.evict(id);
  });
  const listLoader = new ListLoader<ListedCredentials>(
    (ids) => listStoredCredentials(deps.store.query, ids),
    (row) => row.applicationId,
  );
  return { ...deps, check, cache, verdicts, listLoader, close };
}

/**
 * Sets or replaces the credentials for one service, after validating their format and asking the service.
 * @param skipCheck skips the check with the service
 * @returns the application's id and a warning for the owner
 * @throws Fault NOT_FOUND, INVALID on the wrong field, or on the service if it refuses the credentials
 */
export async function setCredentials(
  deps: PushCredentialService,
  accountId: number,
  { applicationId, environment }: CredentialScope,
  input: CredentialsChange,
  skipCheck: boolean,
): Promise<{ id: number; warning: string | null }> {
  const { store, sealer, clock, sessionEvents } = deps;
  const { id } = await findOwnedApplication(deps, accountId, applicationId);
  const credentials = validateCredentials(input, clock.now());
  const { service } = credentials;
  const result = skipCheck ? null : await checkWithService(deps, credentials, environment);
  if (result?.kind === "refused") {
    throw Fault.field(service, `credentials were refused by the service: ${result.reason}`);
  }
  const warnings = [
    result?.kind === "unreachable" ? `${NOT_CHECKED}: ${result.reason}.` : null,
    await keyWarning(deps, id, environment, credentials),
  ].filter((text) => text !== null);
  const key = { applicationId: id, environment, service };
  const sealed = sealCredentials(credentials, sealer);
  await writeStoredCredentials(store, key, sealed, new Date(clock.now()));
  sessionEvents.publish({ kind: "application changed", applicationId: id });
  return { id, warning: warnings.join(" ") || null };
}

/**
 * Deletes the credentials for a service.
 * @returns the application's id, and whether credentials were deleted
 * @throws Fault NOT_FOUND
 */
export async function clearCredentials(
  deps: PushCredentialService,
  accountId: number,
  { applicationId, environment }: CredentialScope,
  service: PushService,
): Promise<{ id: number; cleared: boolean }> {
  const { id } = await findOwnedApplication(deps, accountId, applicationId);
  const key = { applicationId: id, environment, service };
  const cleared = await deleteStoredCredentials(deps.store, key);
  deps.sessionEvents.publish({ kind: "application changed", applicationId: id });
  return { id, cleared };
}

/**
 * Checks the stored credentials with their services, and records whether these refuse them.
 * @param service null for every service with credentials
 * @throws Fault NOT_FOUND
 */
export async function recheckCredentials(
  deps: PushCredentialService,
  accountId: number,
  { applicationId, environment }: CredentialScope,
  service: PushService | null,
): Promise<Array<{ service: PushService; result: CredentialCheckResult }>> {
  const { id } = await findOwnedApplication(deps, accountId, applicationId);
  const services = service === null ? SERVICES : [service];
  const checks = services.map(async (each) => {
    const found = await deps.cache.load(id, environment, each);
    if (!found) return null;
    const result = await checkWithService(deps, found.credentials, environment);
    if (result.kind !== "unreachable") {
      const refusal = result.kind === "refused" ? result.reason : null;
      const { updatedAt } = found;
      const key = { applicationId: id, environment, service: each, updatedAt };
      await deps.verdicts.write(key, refusal);
    }
    return { service: each, result };
  });
  return (await Promise.all(checks)).filter((each) => each !== null);
}

/** The key that browsers subscribe with, an uncompressed point in base64url; null if none is set. */
export async function publicKeyOf(
  { cache }: PushCredentialService,
  applicationId: number,
  environment: PushEnvironment,
): Promise<string | null> {
  const found = await cache.load(applicationId, environment, "web");
  return found?.credentials.service === "web" ? found.credentials.publicKey : null;
}

function checkWithService(
  { check, config }: PushCredentialService,
  credentials: Credentials,
  environment: PushEnvironment,
): Promise<CredentialCheckResult> {
  return checkWithTimeout(check, credentials, environment, config.PROVIDER_TIMEOUT_MS);
}

/** Warns if the VAPID key changes: a browser's subscription is bound to its key (RFC 8292 section 4.2). */
async function keyWarning(
  deps: PushCredentialService,
  id: number,
  environment: PushEnvironment,
  credentials: Credentials,
): Promise<string | null> {
  if (credentials.service !== "web") return null;
  const previous = (await deps.listLoader.load(id)).find(
    (each) => each.environment === environment && each.service === "web",
  );
  const changed = previous !== undefined && previous.settings.publicKey !== credentials.publicKey;
  return changed ? KEYS_CHANGED : null;
}
