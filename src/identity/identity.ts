import type { Bus } from "../bus/bus";
import type { Clock } from "../core/clock";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import type { Sealer } from "../core/sealer";
import { Connector } from "../network/connector";
import type { Store } from "../store/store";
import { WebOrigins } from "./application/web-origins";
import { Endings } from "./endings";
import type { Limits } from "./limits";
import { Passwords } from "./password";
import { FirebaseKeys } from "./provider/firebase-keys";
import type { DeliverEmailChange, DeliverReset } from "./recovery/reset-request";
import { SessionCache } from "./session/session-cache";
import { Touches } from "./session/touches";
import { UserExistence } from "./user/user-existence";

/** What the functions of this room stand on; one per node. */
export interface Identity {
  config: Config;
  store: Store;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Encrypts the secrets that the database keeps. */
  sealer: Sealer;
  /** How often anybody may do anything. */
  limits: Limits;
  /** The way to addresses that owners and clients name. */
  connector: Connector;
  /** Hashes passwords and compares them, a few at a time. */
  passwords: Passwords;
  /** Addresses of this deployment, for clients to find; the API's is known once it listens. */
  endpoints: { api(): string; chat: string; turn: string };
  /** Hands a requested password reset over to be mailed; null where mail cannot be sent. */
  deliverReset: DeliverReset | null;
  /** Has an old e-mail address told that it was changed; null where mail cannot be sent. */
  deliverEmailChange: DeliverEmailChange | null;
  /** Sessions in memory, where this node is alone; null where every look-up reads the database. */
  cache: SessionCache | null;
  /** Activity of sessions, written behind. */
  touches: Touches;
  /** Who must be told when a session or a user ends. */
  endings: Endings;
  /** Users known to exist. */
  existence: UserExistence;
  /** Public keys of phone sign-ins. */
  firebaseKeys: FirebaseKeys;
  /** Web pages that may use an application. */
  origins: WebOrigins;
}

/**
 * Opens the room: listens for endings on other nodes and begins to write activity behind.
 * Close it after the doors, so that the last activity is written.
 */
export async function openIdentity(
  parts: Omit<
    Identity,
    | "cache"
    | "passwords"
    | "touches"
    | "endings"
    | "existence"
    | "origins"
    | "firebaseKeys"
    | "deliverReset"
    | "deliverEmailChange"
    | "connector"
  > &
    Partial<Pick<Identity, "deliverReset" | "deliverEmailChange" | "connector">>,
): Promise<Identity & { close(): Promise<void> }> {
  const { config, store, bus, clock, log } = parts;
  // With Redis another node may end a session at any time, so only a lone node may remember one.
  const cache = config.REDIS_URL === undefined ? new SessionCache() : null;
  const existence = new UserExistence(store);
  const origins = new WebOrigins(store, log);
  const endings = await Endings.open(bus, log, (ending) => {
    cache?.forget(ending);
    existence.forget(ending);
    origins.forget(ending);
  });
  const touches = new Touches({ store, clock, log, endings, origins });
  const { connector = new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS }) } = parts;
  return {
    deliverReset: null,
    deliverEmailChange: null,
    ...parts,
    connector,
    cache,
    passwords: new Passwords(clock, config.PASSWORD_WAIT_MS),
    touches,
    endings,
    existence,
    firebaseKeys: new FirebaseKeys({ connector, timeoutMs: config.PROVIDER_TIMEOUT_MS }),
    origins,
    async close() {
      await endings.close();
      await touches.close();
      connector.close();
    },
  };
}
