import type { Clock } from "../../core/clock";
import { Fault } from "../../core/errors";
import { hashToken, newToken } from "../../core/random";
import { checkName, textProblem } from "../../core/text/field-checks";
import { parseId } from "../../core/text/ids";
import {
  type AccountViewer,
  type ApiKeyScope,
  type ApiKeyViewer,
  type MemberViewer,
  roleAllows,
} from "../../core/viewer";
import { uniqueViolation } from "../../platform/store/database-errors";
import type { Store } from "../../platform/store/store";
import { roleRefused, unknownApiKey } from "../access/refusals";
import { API_KEY_PREFIX, isApiKey } from "../access/token-forms";
import { lockAccount } from "../accounts/account-queries";
import { lockMembers } from "../accounts/member-queries";
import type { SessionEvents } from "../session-events/session-events";
import { findApplicationOfKeySessions } from "../sessions/application-session-queries";
import { endSessionsOfApiKey } from "../sessions/session-list";
import {
  type ApiKey,
  countApiKeys,
  deleteApiKey,
  findApiKeyByHash,
  findApplicationOfApiKey,
  insertApiKey,
} from "./api-key-queries";

/** Maximum number of API keys of an application; their list has no pages. */
export const API_KEYS_MAX = 50;
/** Maximum length of the name of an API key, in characters. */
const API_KEY_NAME_MAX = 64;

/** Dependencies of the functions of this module. */
export interface ApiKeyDeps {
  store: Store;
  clock: Clock;
  sessionEvents: SessionEvents;
  /** Records that a key is used now, which is written with a delay. */
  uses: { record(id: number): void };
}

/** An API key to create. */
export interface ApiKeyFields {
  name: string;
  scopes: readonly ApiKeyScope[];
  /** Null for a key that does not expire. */
  expiresAt: Date | null;
}

/**
 * Creates an API key of an application. Does not check that the application is the account's.
 * @returns the key, of which only the hash is stored, and what is listed of it
 * @throws Fault INVALID on a field, or if the application has too many keys; FORBIDDEN if the member is no longer a
 * developer
 */
export async function createApiKey(
  { store, clock }: Pick<ApiKeyDeps, "store" | "clock">,
  { accountId, memberId }: AccountViewer,
  applicationId: number,
  { name, scopes, expiresAt }: ApiKeyFields,
): Promise<{ apiKey: ApiKey; key: string }> {
  const createdAt = new Date(clock.now());
  checkName(name);
  const problem = textProblem(name, API_KEY_NAME_MAX);
  if (problem) throw Fault.field("name", problem);
  if (scopes.length === 0) throw Fault.field("scopes", "must not be empty");
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw Fault.field("expiresAt", "must be in the future");
  }
  const key = `${API_KEY_PREFIX}${newToken()}`;
  const columns = {
    ...{ applicationId, name, expiresAt, createdAt },
    scopes: [...new Set(scopes)],
    keyHash: hashToken(key),
    createdById: memberId,
  };
  try {
    const apiKey = await store.transaction(async (transaction) => {
      // The account first, as for every change of its members: concurrent calls count each other's keys, and no key
      // outlives a change of the role that its creation depends on.
      await lockAccount(transaction.query, accountId);
      const role = (await lockMembers(transaction.query, accountId)).get(memberId);
      if (role === undefined || !roleAllows("developer", role)) throw roleRefused("developer");
      if ((await countApiKeys(transaction, applicationId)) >= API_KEYS_MAX) {
        throw Fault.base(`An application has at most ${API_KEYS_MAX} API keys: revoke one first`);
      }
      return insertApiKey(transaction, columns);
    });
    return { apiKey, key };
  } catch (error) {
    if (!uniqueViolation(error)?.includes("name")) throw error;
    throw Fault.field("name", "has already been taken");
  }
}

/** A revoked API key. */
export interface RevokedApiKey {
  id: number;
  /** Number of sessions that ended with it; null if they stay. */
  endedSessions: number | null;
}

/**
 * Revokes an API key of an application of the account: the next request with it is refused, on every node.
 * @param endSessions whether the sessions that it created end too; then also those of a key that has been revoked before
 * @throws Fault NOT_FOUND
 */
export async function revokeApiKey(
  deps: Pick<ApiKeyDeps, "store" | "sessionEvents">,
  viewer: MemberViewer,
  id: string,
  endSessions: boolean,
): Promise<RevokedApiKey> {
  const { store } = deps;
  const parsed = parseId(id);
  if (parsed === null) throw noApiKey();
  const application =
    (await findApplicationOfApiKey(store, parsed)) ??
    (endSessions ? await findApplicationOfKeySessions(store, parsed) : null);
  if (application === null || !(await viewer.owns(application))) throw noApiKey();
  const isDeleted = await deleteApiKey(store, parsed);
  if (!endSessions) {
    if (!isDeleted) throw noApiKey();
    return { id: parsed, endedSessions: null };
  }
  return { id: parsed, endedSessions: await endSessionsOfApiKey(deps, parsed) };
}

function noApiKey(): Fault {
  return new Fault("NOT_FOUND", "There is no such API key");
}

/**
 * Finds the API key of a request, and records its use, by one indexed read, so that a revoked key ends at once on every node.
 * @throws Fault UNAUTHENTICATED, with the same text for an unknown, an expired and a revoked key
 */
export async function findApiKey(
  { store, clock, uses }: Pick<ApiKeyDeps, "store" | "clock" | "uses">,
  text: string,
): Promise<ApiKeyViewer> {
  const found = isApiKey(text) ? await findApiKeyByHash(store, hashToken(text)) : null;
  if (found === null || (found.expiresAt !== null && found.expiresAt.getTime() <= clock.now())) {
    throw unknownApiKey();
  }
  uses.record(found.key.id);
  return found.key;
}
