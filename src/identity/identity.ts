import { WebOrigins } from "../applications/web-origins";
import type { Bus } from "../bus/bus";
import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import type { Sealer } from "../core/sealer";
import type { RateLimits } from "../limits/rate-limits";
import { Connector } from "../network/connector";
import type { DeliverEmailChange, DeliverReset } from "../password-reset/reset-request";
import { PasswordHasher } from "../passwords/password";
import { SessionEvents } from "../session-events/session-events";
import { ActivityTracker } from "../sessions/activity-tracker";
import { SessionCache } from "../sessions/session-cache";
import { FirebaseKeys } from "../sign-in/firebase-keys";
import type { Store } from "../store/store";
import { UserExistenceCache } from "../users/user-existence-cache";

/** What every part of the module depends on. */
interface IdentityBase {
  config: Config;
  store: Store;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Encrypts the secrets in the database. */
  sealer: Sealer;
  /** Rate and failure limits (docs/LIMITS.md). */
  limits: RateLimits;
  /** Public addresses of this deployment; the API's is known once the server listens. */
  endpoints: { api(): string; chat: string; turn: string };
}

/** What {@link openIdentity} takes. */
export interface IdentityOptions extends IdentityBase {
  /** By default one that follows ALLOW_PRIVATE_NETWORKS. */
  connector?: Connector;
  deliverReset?: DeliverReset | null;
  deliverEmailChange?: DeliverEmailChange | null;
}

/** The dependencies of the identity functions; one per node. */
export interface Identity extends IdentityBase {
  /** Opens connections to addresses that owners and clients supply. */
  connector: Connector;
  /** Hashes and verifies passwords, a few at a time. */
  passwordHasher: PasswordHasher;
  /** Mails a requested password reset; null if no mail is configured. */
  deliverReset: DeliverReset | null;
  /** Notifies an old e-mail address of a change; null if no mail is configured. */
  deliverEmailChange: DeliverEmailChange | null;
  /** Sessions cached on a single node; null with Redis, where every look-up reads the database. */
  sessionCache: SessionCache | null;
  /** Session activity, written to the database with a delay. */
  activity: ActivityTracker;
  /** Publishes terminations and changes of sessions and users to all nodes. */
  sessionEvents: SessionEvents;
  /** Cache of existing users. */
  userExistence: UserExistenceCache;
  /** Public keys that verify sign-ins by phone. */
  firebaseKeys: FirebaseKeys;
  /** Web origins that may use an application. */
  webOrigins: WebOrigins;
}

/**
 * Opens the module: subscribes to the session events of other nodes and starts to write activity
 * periodically. Close it after the protocols, so that the last activity is written.
 */
export async function openIdentity(
  options: IdentityOptions,
): Promise<Identity & { close(): Promise<void> }> {
  const { config, store, bus, clock, log } = options;
  // With Redis another node may end a session at any time, so only a single node may cache one.
  const sessionCache = config.REDIS_URL === undefined ? new SessionCache() : null;
  const userExistence = new UserExistenceCache(store);
  const webOrigins = new WebOrigins(store, log);
  const sessionEvents = await SessionEvents.open(bus, log, (event) => {
    sessionCache?.invalidate(event);
    userExistence.invalidate(event);
    webOrigins.invalidate(event);
  });
  const activity = new ActivityTracker({
    store,
    clock,
    log,
    endings: sessionEvents,
    origins: webOrigins,
  });
  const { connector = new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS }) } = options;
  return {
    deliverReset: null,
    deliverEmailChange: null,
    ...options,
    connector,
    sessionCache: sessionCache,
    passwordHasher: new PasswordHasher(clock, config.PASSWORD_WAIT_MS),
    activity: activity,
    sessionEvents: sessionEvents,
    userExistence: userExistence,
    firebaseKeys: new FirebaseKeys({ connector, timeoutMs: config.PROVIDER_TIMEOUT_MS }),
    webOrigins: webOrigins,
    async close() {
      await sessionEvents.close();
      await activity.close();
      connector.close();
    },
  };
}
