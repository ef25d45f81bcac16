import { SharedLoads } from "./core/loads/shared-loads";
import type { AccountViewer } from "./core/viewer";
import type { AuthLookups } from "./domain/access/request-auth";
import type { AccountDeps } from "./domain/accounts/account-deps";
import { findMemberByToken } from "./domain/accounts/account-sessions";
import { type ApiKeyDeps, findApiKey } from "./domain/api-keys/api-keys";
import { findApplicationOfAccount } from "./domain/applications/application-queries";
import type { ConferenceModule } from "./domain/conferences/open-conferences";
import type { Session } from "./domain/sessions/session";
import type { SessionDeps } from "./domain/sessions/session-deps";
import { findSession } from "./domain/sessions/sessions";

/** How requests and sockets are authenticated. */
export function authLookups(
  sessions: SessionDeps,
  accounts: AccountDeps,
  { findLinkGuest }: Pick<ConferenceModule, "findLinkGuest">,
  apiKeys: Pick<ApiKeyDeps, "store" | "clock" | "uses">,
): AuthLookups<Session> {
  const repeated = new SharedLoads<AccountViewer>();
  return {
    findLinkGuest,
    findSession: (token) => findSession(sessions, token),
    findMemberByToken: (token, extend) =>
      // The subscriptions of a session look it up again for each event.
      extend === false && token !== undefined
        ? repeated.load(token, () => findMemberByToken(accounts, token, false))
        : findMemberByToken(accounts, token),
    findApiKey: (key) => findApiKey(apiKeys, key),
    ownsApplication: async (accountId, applicationId) =>
      (await findApplicationOfAccount(accounts.store, accountId, applicationId)) !== null,
    checkOrigin: (applicationId, origin) => sessions.webOrigins.check(applicationId, origin),
  };
}
