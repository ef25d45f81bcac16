import { authLookups } from "./auth-lookups";
import type { Lifecycle } from "./core/lifecycle";
import { BatchLoader } from "./core/loads/batch-loader";
import { SharedLoads } from "./core/loads/shared-loads";
import { ApplicationCounters } from "./core/statistics/application-counters";
import type { AuthLookups } from "./domain/access/request-auth";
import type { AccountDeps } from "./domain/accounts/account-deps";
import {
  closeEndedMemberConnections,
  purgeAccountSessions,
} from "./domain/accounts/account-sessions";
import { purgeInvitations } from "./domain/accounts/invitations";
import {
  completeDeletion,
  DELETION_JOB,
  DELETION_JOB_DELAY,
} from "./domain/applications/application-deletion";
import type {
  ApplicationDeletion,
  ApplicationService,
} from "./domain/applications/application-deps";
import {
  areConferencesOnJoin,
  findNewCallsPerMinute,
  isAnsweredElsewhereEnabled,
} from "./domain/applications/application-queries";
import { resealSecrets } from "./domain/applications/secret-key";
import { WebOrigins } from "./domain/applications/web-origins";
import type { AuditDeps } from "./domain/audit/entries/audit-entry";
import { purgeAuditEntries } from "./domain/audit/entries/audit-log";
import { openCallHistory } from "./domain/calls/history/call-jobs";
import { type CallLoads, openCallLoads } from "./domain/calls/history/call-list";
import type { HistoryDeps } from "./domain/calls/history/history-deps";
import type { Recorder } from "./domain/calls/history/recorder";
import { callUserData } from "./domain/calls/history/user-data";
import { turnHost } from "./domain/calls/ice/ice-servers";
import { openRouter, type Router, type RouterDeps } from "./domain/calls/router";
import { SenderLimits } from "./domain/calls/sender-limits";
import type { PartyLoads } from "./domain/calls/signal.resolver";
import type { Party } from "./domain/calls/signals/signal";
import { type ConferenceModule, openConferences } from "./domain/conferences/open-conferences";
import { configuredEngine, type OpenConferenceEngine } from "./domain/conferences/open-engine";
import { closeEndedGuestConnections, purgeLinkGuests } from "./domain/conferences/rooms/links";
import { conferenceUserData, endLinksOfMember } from "./domain/conferences/rooms/user-data";
import type { HealthDeps } from "./domain/health/health-deps";
import { openHealth } from "./domain/health/open-health";
import { purgeResetLinks, resetLinkUserData } from "./domain/password-reset/password-reset";
import type { PasswordResetDeps } from "./domain/password-reset/password-reset-deps";
import { deleteResetLinks } from "./domain/password-reset/password-reset-queries";
import { type PasswordCost, PasswordHasher } from "./domain/passwords/password";
import { resealCredentials } from "./domain/push/credentials/reseal-credentials";
import { openPush, type PushModule, type PushOverrides } from "./domain/push/open-push";
import { pushUserData } from "./domain/push/user-data";
import { SessionEvents } from "./domain/session-events/session-events";
import { ActivityTracker } from "./domain/sessions/activity-tracker";
import { purgeSessions } from "./domain/sessions/purge-sessions";
import type { Session } from "./domain/sessions/session";
import { SessionCache } from "./domain/sessions/session-cache";
import type { SessionDeps } from "./domain/sessions/session-deps";
import { deleteSessions } from "./domain/sessions/session-queries";
import { sessionUserData } from "./domain/sessions/user-data";
import { FirebaseKeys } from "./domain/sign-in/firebase-keys";
import { identityUserData } from "./domain/sign-in/provider-users";
import { openStatistics, type StatisticsModule } from "./domain/statistics/open-statistics";
import { purgeGuests } from "./domain/users/guests";
import { removeAllUsers } from "./domain/users/user-data";
import type { UserData } from "./domain/users/user-deps";
import { UserExistenceCache } from "./domain/users/user-existence-cache";
import { findUsersById } from "./domain/users/user-queries";
import { mailQueues, workMailJobs } from "./mail-jobs";
import type { Platform } from "./open-platform";
import { Connector } from "./platform/network/connector";
import { PURGE_SECONDS } from "./platform/store/rows/expired-rows";

/** The dependencies of the modules of accounts, applications, users and sessions. */
export interface UserModules
  extends AccountDeps,
    ApplicationService,
    AuditDeps,
    PartyLoads,
    PasswordResetDeps,
    SessionDeps {
  userExistence: UserExistenceCache;
  endpoints: AccountDeps["endpoints"];
}

/** What the modules store of users, in the order in which users are erased. */
const USER_DATA: readonly UserData[] = [
  identityUserData,
  sessionUserData,
  resetLinkUserData,
  pushUserData,
  callUserData,
  conferenceUserData,
];

const credentialsChanged: UserModules["credentialsChanged"] = async (
  transaction,
  { userId, sessionId, password },
) => {
  await deleteResetLinks(transaction, userId);
  if (password) await deleteSessions(transaction, userId, sessionId ?? undefined);
};

/** What {@link openUserModules} takes of the platform. */
export type UserModuleOptions = Pick<
  Platform,
  "config" | "store" | "bus" | "clock" | "log" | "sealer" | "limits"
> &
  Pick<UserModules, "endpoints"> &
  Partial<
    Pick<
      UserModules,
      | "counters"
      | "connector"
      | "deliverReset"
      | "deliverEmailChange"
      | "openMemberEmailQueue"
      | "openInvitationQueue"
      | "enqueueDeletion"
    >
  > & { passwordCost?: PasswordCost | undefined };

/**
 * Opens the modules of accounts, applications, users and sessions: subscribes to the session events of other
 * nodes, and starts to write activity periodically. Close them after the protocols, so that the last activity
 * is written.
 */
export async function openUserModules(
  options: UserModuleOptions,
): Promise<UserModules & { close(): Promise<void> }> {
  const { config, store, bus, clock, log } = options;
  const { connector = new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS }) } = options;
  // With Redis another node may end a session at any time, so only a single node may cache one.
  const sessionCache = config.REDIS_URL === undefined ? new SessionCache() : null;
  const userExistence = new UserExistenceCache(store);
  const webOrigins = new WebOrigins(store, log);
  const sessionEvents = await SessionEvents.open(bus, log);
  if (sessionCache) sessionEvents.addCache(sessionCache);
  sessionEvents.addCache(userExistence);
  sessionEvents.addCache(webOrigins);
  const activity = new ActivityTracker({
    store,
    clock,
    log,
    sessionEvents,
    origins: webOrigins,
    async sweepOthers() {
      await closeEndedMemberConnections({ store, clock, sessionEvents });
      await closeEndedGuestConnections({ store, clock, sessionEvents });
    },
  });
  return {
    deliverReset: null,
    deliverEmailChange: null,
    openMemberEmailQueue: null,
    openInvitationQueue: null,
    // Without a job queue, the deletion of an application ends with its process.
    enqueueDeletion: async () => undefined,
    deleteUsers: (deps, id) => removeAllUsers({ ...deps, userData: USER_DATA }, id),
    userData: USER_DATA,
    counters: new ApplicationCounters(clock),
    credentialsChanged,
    endDerived: endLinksOfMember,
    ...options,
    connector,
    sessionCache,
    boundSessions: new SharedLoads(),
    parties: new BatchLoader((ids) => findUsersById({ store }, ids)),
    userExistence,
    webOrigins,
    sessionEvents,
    activity,
    passwordHasher: new PasswordHasher(clock, config.PASSWORD_WAIT_MS, options.passwordCost),
    firebaseKeys: new FirebaseKeys({ connector, timeoutMs: config.PROVIDER_TIMEOUT_MS }),
    async close() {
      await sessionEvents.close();
      await activity.close();
      connector.close();
    },
  };
}

/**
 * Deletes expired guests (users and those by link), sessions and password reset links, and nonces whose timestamps are
 * no longer accepted. Idempotent, interruptible and safe to run concurrently.
 */
export async function purgeExpired(modules: UserModules): Promise<void> {
  await purgeGuests(modules);
  await purgeSessions(modules);
  await purgeAccountSessions(modules);
  await purgeInvitations(modules);
  await purgeResetLinks(modules);
  await purgeLinkGuests(modules);
  await purgeAuditEntries(modules);
}

/** The domain modules of a node. */
export interface Domain extends PushModule {
  users: UserModules;
  lookups: AuthLookups<Session>;
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
  const users = await openUserModules({
    ...platform,
    passwordCost: overrides.passwordCost,
    endpoints: { api: baseUrl, chat: config.CHAT_DOMAIN, turn: turnHost(config) },
    ...mailQueues(platform),
    enqueueDeletion: (deletion) =>
      jobs.enqueue(DELETION_JOB, deletion, { afterSeconds: DELETION_JOB_DELAY }),
  });
  lifecycle.add("sessions", () => users.close());
  const { sessionEvents } = users;
  const pushModule = openPush({ ...platform, sessionEvents }, overrides);
  // Closed in reverse order: running batches are sent before the connections to push services close.
  lifecycle.add("push services", () => pushModule.close());
  lifecycle.add("jobs", () => jobs.close());
  jobs.work("purge", () => purgeExpired(users), { everySeconds: PURGE_SECONDS });
  jobs.work(DELETION_JOB, (deletion: ApplicationDeletion) => completeDeletion(users, deletion), {
    applicationOf: async ({ applicationId }) => applicationId,
  });
  workMailJobs(platform, users);
  const callHistory = {
    ...platform,
    push: pushModule.push,
    ...openCallLoads(platform),
  };
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
    users,
    lookups: authLookups(users, conferences),
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
  const { config, bus, log, metrics, counters, limiters, clock } = platform;
  return openRouter({
    bus,
    clock,
    log,
    metrics,
    counters,
    observe: recorder.observe,
    ...transport,
    userExists: (applicationId, userId) => users.userExistence.has(applicationId, userId),
    isAnsweredElsewhereEnabled: (applicationId) =>
      isAnsweredElsewhereEnabled(users.store, applicationId),
    limits: new SenderLimits(config, limiters.global, clock),
    ...(config.RATE_NEW_CALLS_PER_USER > 0 && {
      countNewCall: newCallCounter(platform),
    }),
  });
}
