import type { Caller } from "../../../core/caller";
import { type AuthLookups, RequestAuth } from "../../../domain/access/request-auth";
import type { AccountContext } from "../../../domain/accounts/account-deps";
import type { ApiKeyContext } from "../../../domain/api-keys/api-key.resolver";
import type { ApplicationContext } from "../../../domain/applications/application-deps";
import type { AuditContext } from "../../../domain/audit/entries/audit-entry";
import type { HistoryContext } from "../../../domain/calls/history/history-deps";
import type { IceContext } from "../../../domain/calls/ice/ice-server.resolver";
import type { SignalContext } from "../../../domain/calls/signal.resolver";
import type { MembershipContext } from "../../../domain/conferences/membership/membership.resolver";
import type { HealthContext } from "../../../domain/health/health-deps";
import type { PasswordResetContext } from "../../../domain/password-reset/password-reset-deps";
import type { CredentialContext } from "../../../domain/push/credentials/push-credentials";
import type { PushContext } from "../../../domain/push/deps/push-deps";
import type { Session } from "../../../domain/sessions/session";
import type { SessionContext } from "../../../domain/sessions/session-deps";
import type { StatisticsContext } from "../../../domain/statistics/statistics-deps";
import type { UserContext } from "../../../domain/users/user-deps";

export type { Caller } from "../../../core/caller";

/** Context of every resolver: one per HTTP request, or per operation on a socket. */
export interface Context
  extends AccountContext,
    ApiKeyContext,
    ApplicationContext,
    AuditContext,
    SignalContext,
    CredentialContext,
    HealthContext,
    HistoryContext,
    IceContext,
    MembershipContext,
    PasswordResetContext,
    PushContext,
    SessionContext,
    StatisticsContext,
    UserContext {
  auth: RequestAuth<Session>;
  /** When the caller's session expires; null until the session has been looked up. */
  readonly expiresAt: Date | null;
}

/** What contexts have in common: the dependencies of each module with resolvers. */
export type ContextDeps = Omit<Context, "auth" | "caller" | "expiresAt">;

/** Creates the context of a request. */
export type CreateContext = (caller: Caller) => Context;

/**
 * Creates contexts with this node's modules. They are on the prototype, so that creating a context, which every request
 * does, sets two fields and copies nothing.
 */
export function contextFactory(deps: ContextDeps, lookups: AuthLookups<Session>): CreateContext {
  class RequestScope {
    constructor(
      readonly caller: Caller,
      readonly auth: RequestAuth<Session>,
    ) {}

    get expiresAt(): Date | null {
      return this.auth.currentSession?.expiresAt ?? null;
    }
  }
  Object.assign(RequestScope.prototype, deps);
  return (caller) =>
    new RequestScope(caller, new RequestAuth(lookups, caller)) as RequestScope & ContextDeps;
}
