import { authLookups } from "./auth-lookups";
import type { Lifecycle } from "./core/lifecycle";
import type { AuthLookups } from "./domain/access/request-auth";
import type { AccountDeps } from "./domain/accounts/account-deps";
import {
  closeEndedMemberConnections,
  purgeAccountSessions,
} from "./domain/accounts/account-sessions";
import { purgeInvitations } from "./domain/accounts/invitations";
import { openAccounts } from "./domain/accounts/open-accounts";
import { deleteApiKeysOfMember } from "./domain/api-keys/api-key-queries";
import type { ApiKeyDeps } from "./domain/api-keys/api-keys";
import { openApiKeys } from "./domain/api-keys/open-api-keys";
import {
  areConferencesOnJoin,
  findNewCallsPerMinute,
  isAnsweredElsewhereEnabled,
} from "./domain/applications/application-queries";
import { type ApplicationModule, openApplications } from "./domain/applications/open-applications";
import { resealSecrets } from "./domain/applications/secret-key";
import { purgeAuditEntries } from "./domain/audit/entries/audit-log";
import { openCallHistory } from "./domain/calls/history/call-jobs";
import { type CallLoads, openCallLoads } from "./domain/calls/history/call-list";
import type { HistoryDeps } from "./domain/calls/history/history-deps";
import type { Recorder } from "./domain/calls/history/recorder";
import { callUserData } from "./domain/calls/history/user-data";
import { turnHost } from "./domain/calls/ice/ice-servers";
import { openRouter, type Router, type RouterDeps } from "./domain/calls/router";
import { SenderLimits } from "./domain/calls/sender-limits";
import type { Party } from "./domain/calls/signals/signal";
import { type ConferenceModule, openConferences } from "./domain/conferences/open-conferences";
import { configuredEngine, type OpenConferenceEngine } from "./domain/conferences/open-engine";
import { closeEndedGuestConnections, purgeLinkGuests } from "./domain/conferences/rooms/links";
import { conferenceUserData, endLinksOfMember } from "./domain/conferences/rooms/user-data";
import type { HealthDeps } from "./domain/health/health-deps";
import { openHealth } from "./domain/health/open-health";
import { EMAIL_CHANGE_JOB } from "./domain/password-reset/email-change-mail";
import { openPasswordReset } from "./domain/password-reset/open-password-reset";
import { purgeResetLinks, resetLinkUserData } from "./domain/password-reset/password-reset";
import type { PasswordResetDeps } from "./domain/password-reset/password-reset-deps";
import { deleteResetLinks } from "./domain/password-reset/password-reset-queries";
import { type PasswordCost, PasswordHasher } from "./domain/passwords/password";
import { resealCredentials } from "./domain/push/credentials/reseal-credentials";
import { openPush, type PushModule, type PushOverrides } from "./domain/push/open-push";
import { pushUserData } from "./domain/push/user-data";
import { SessionEvents } from "./domain/session-events/session-events";
import { openSessions } from "./domain/sessions/open-sessions";
import type { Session } from "./domain/sessions/session";
import type { SessionDeps } from "./domain/sessions/session-deps";
import { deleteSessions } from "./domain/sessions/session-queries";
import { purgeSessions } from "./domain/sessions/sessions";
import { sessionUserData } from "./domain/sessions/user-data";
import { purgeConsumedJwts } from "./domain/sign-in/backend-jwt";
import { identityUserData } from "./domain/sign-in/provider-users";
import { openStatistics, type StatisticsModule } from "./domain/statistics/open-statistics";
import { purgeGuests } from "./domain/users/guests";
import { openUsers, type UserModule } from "./domain/users/open-users";
import { removeAllUsers } from "./domain/users/user-data";
import type { UserData } from "./domain/users/user-deps";
import type { Platform } from "./open-platform";
import type { Bus } from "./platform/bus/bus";
import type { Jobs } from "./platform/jobs/jobs";
import { PURGE_SECONDS } from "./platform/store/rows/expired-rows";

/** What the modules store of users, in the order in which users are erased. */
const USER_DATA: readonly UserData[] = [
  identityUserData,
  sessionUserData,
  resetLinkUserData,
  pushUserData,
  callUserData,
  conferenceUserData,
];

/** The modules that know who a client is: applications with their users, and accounts with their members. */
export interface AuthModules {
  sessionEvents: SessionEvents;
  applications: ApplicationModule;
  users: UserModule;
  sessions: SessionDeps;
  passwordReset: PasswordResetDeps;
  accounts: AccountDeps;
}

/** What {@link openAuthModules} takes of the platform. */
export type AuthPlatform = Pick<
  Platform,
  "config" | "store" | "clock" | "log" | "sealer" | "limits" | "counters" | "connector" | "mailer"
> & { bus: Bus; jobs: Jobs };

/** Opens session events, applications, users, sessions, password resets and accounts. */
export async function openAuthModules(
  platform: AuthPlatform,
  lifecycle: Lifecycle,
  baseUrl: () => string,
  passwordCost?: PasswordCost,
): Promise<AuthModules> {
  const { config, store, bus, clock, log, connector, jobs, mailer } = platform;
  lifecycle.add("outbound connections", () => connector.close());
  const sessionEvents = await SessionEvents.open(bus, log);
  const shared = {
    ...platform,
    sessionEvents,
    passwordHasher: new PasswordHasher(clock, config.PASSWORD_WAIT_MS, passwordCost),
    endpoints: { api: baseUrl, chat: config.CHAT_DOMAIN, turn: turnHost(config) },
  };
  const applications = openApplications({
    ...shared,
    deleteUsers: (deps, id) => removeAllUsers({ ...deps, userData: USER_DATA }, id),
  });
  const users = openUsers({
    ...shared,
    userData: USER_DATA,
    async credentialsChanged(transaction, { userId, sessionId, password }) {
      await deleteResetLinks(transaction, userId);
      if (password) await deleteSessions(transaction, userId, sessionId ?? undefined);
    },
    deliverEmailChange: mailer && ((change) => jobs.enqueue(EMAIL_CHANGE_JOB, change)),
  });
  const sessions = openSessions({
    ...shared,
    ...users,
    webOrigins: applications.webOrigins,
    async sweepOthers() {
      await closeEndedMemberConnections({ store, clock, sessionEvents });
      await closeEndedGuestConnections({ store, clock, sessionEvents });
    },
  });
  lifecycle.add("sessions", () => sessions.close());
  // Closed before the sessions, since an event may record activity, which they write as they close.
  lifecycle.add("session events", () => sessionEvents.close());
  const passwordReset = openPasswordReset({ ...shared, ...users });
  const accounts = openAccounts({
    ...shared,
    async endDerived(query, memberId) {
      await deleteApiKeysOfMember(query, memberId);
      return endLinksOfMember(query, memberId);
    },
  });
  jobs.work("purge", () => purgeExpired(sessions), { everySeconds: PURGE_SECONDS });
  return { sessionEvents, applications, users, sessions, passwordReset, accounts };
}

/**
 * Deletes expired guests (users and those by link), sessions and password reset links, and nonces and ids of JWTs that
 * are no longer accepted. Idempotent, interruptible and safe to run concurrently.
 */
export async function purgeExpired(deps: SessionDeps): Promise<void> {
  await purgeGuests(deps);
  await purgeSessions(deps);
  await purgeConsumedJwts(deps);
  await purgeAccountSessions(deps);
  await purgeInvitations(deps);
  await purgeResetLinks(deps);
  await purgeLinkGuests(deps);
  await purgeAuditEntries(deps);
}

/** The domain modules of a node. */
export interface Domain extends AuthModules, PushModule {
  lookups: AuthLookups<Session>;
  apiKeys: ApiKeyDeps;
  callHistory: HistoryDeps & CallLoads;
  recorder: Recorder;
  conferences: ConferenceModule;
  health: HealthDeps;
  statistics: StatisticsModule;
}

/** Parts of the domain that tests may replace. */
export type DomainOverrides = PushOverrides & {
  openEngine?: OpenConferenceEngine;
  passwordCost?: PasswordCost;
  /** Interval between two writes of statistics, in milliseconds. */
  statisticsMs?: number;
};

/**
 * Opens the domain modules, encrypts secrets again that an old key encrypted, and starts their jobs.
 * @param baseUrl returns the public URL of this deployment, which is known once the server listens
 */
export async function openDomain(
  platform: Platform,
  lifecycle: Lifecycle,
  baseUrl: () => string,
  overrides: DomainOverrides,
): Promise<Domain> {
  const { config, log, store, jobs, sealer, singleNode } = platform;
  await resealSecrets(store, sealer);
  await resealCredentials(store, sealer);
  // Opened first, so that the node is listed until it has closed everything else.
  const health = await openHealth(platform);
  lifecycle.add("list of nodes", () => health.registry.close());
  const statistics = openStatistics({ ...platform, intervalMs: overrides.statisticsMs });
  // Closed after everything that counts.
  lifecycle.add("statistics", () => statistics.close());
  const auth = await openAuthModules(platform, lifecycle, baseUrl, overrides.passwordCost);
  const { sessionEvents, sessions, accounts } = auth;
  const apiKeys = openApiKeys({ ...platform, sessionEvents });
  lifecycle.add("API keys", () => apiKeys.close());
  const pushModule = openPush({ ...platform, sessionEvents }, overrides);
  // Closed in reverse order: running batches are sent before the connections to push services close.
  lifecycle.add("push services", () => pushModule.close());
  lifecycle.add("jobs", () => jobs.close());
  const callHistory = { ...platform, push: pushModule.push, ...openCallLoads(platform) };
  const recorder = openCallHistory(callHistory, { alone: singleNode });
  lifecycle.add("call records", () => recorder.close());
  const conferences = await openConferences(
    {
      ...platform,
      sessionEvents,
      mayCreateOnJoin: (id) => areConferencesOnJoin(store, id),
      countNewCall: newCallCounter(platform),
      openEngine: overrides.openEngine ?? configuredEngine(config, log),
    },
    lifecycle,
  );
  return {
    ...pushModule,
    ...auth,
    lookups: authLookups(sessions, accounts, conferences, apiKeys),
    apiKeys,
    callHistory,
    recorder,
    conferences,
    health,
    statistics,
  };
}

/** @returns counts a new call of a user, or a conference that the user's first join creates; throws Fault LIMITED */
function newCallCounter({ config, limits, store }: Platform): (user: Party) => Promise<void> {
  if (config.RATE_NEW_CALLS_PER_USER === 0) return async () => undefined;
  return async ({ applicationId, userId }) => {
    // No signal waits for a database that cannot be reached.
    const own = await findNewCallsPerMinute(store, applicationId).catch(() => null);
    await limits.countNewCall(userId, own);
  };
}

/** Opens the router of call signals. */
export function openSignalRouter(
  platform: Platform,
  { users, recorder }: Domain,
  transport: Pick<RouterDeps, "forwardToChatServer" | "sizes">,
): Router {
  const { config, store, bus, log, metrics, counters, limiters, clock } = platform;
  return openRouter({
    bus,
    clock,
    log,
    metrics,
    counters,
    observe: recorder.observe,
    ...transport,
    userExists: (applicationId, userId) => users.existence.has(applicationId, userId),
    isAnsweredElsewhereEnabled: (applicationId) => isAnsweredElsewhereEnabled(store, applicationId),
    limits: new SenderLimits(config, limiters.global, clock),
    countNewCall: config.RATE_NEW_CALLS_PER_USER > 0 ? newCallCounter(platform) : undefined,
  });
}
