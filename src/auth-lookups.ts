import type { AuthLookups } from "./access/request-auth";
import type { AccountDeps } from "./accounts/account-deps";
import { findOwner } from "./accounts/account-sessions";
import { findApplicationOfAccount } from "./applications/application-queries";
import type { ConferenceModule } from "./conferences/open-conferences";
import { SharedLoads } from "./core/loads/shared-loads";
import type { AccountViewer } from "./core/viewer";
import type { Session } from "./sessions/session";
import type { SessionDeps } from "./sessions/session-deps";
import { findSession } from "./sessions/sessions";

/** How requests and sockets are authenticated. */
export function authLookups(
  modules: SessionDeps & AccountDeps,
  { findLinkGuest }: Pick<ConferenceModule, "findLinkGuest">,
): AuthLookups<Session> {
  const repeated = new SharedLoads<AccountViewer>();
  return {
    findLinkGuest,
    findSession: (token) => findSession(modules, token),
    findOwner: (token, extend) =>
      // The subscriptions of a session look it up again for each event.
      extend === false && token !== undefined
        ? repeated.load(token, () => findOwner(modules, token, false))
        : findOwner(modules, token),
    ownsApplication: async (accountId, applicationId) =>
      (await findApplicationOfAccount(modules.store, accountId, applicationId)) !== null,
    checkOrigin: (applicationId, origin) => modules.webOrigins.check(applicationId, origin),
  };
}
