import type { Config } from "./core/config";
import type { ChatBanner } from "./core/console";
import { Lifecycle } from "./core/lifecycle";
import { type Log, openLog } from "./core/log";
import { flushTraces, openTracing } from "./core/tracing";
import {
  bootstrap,
  type DeploymentEndpoints,
  type InitialCredentials,
} from "./domain/applications/bootstrap";
import { type DomainOverrides, openDomain } from "./open-domain";
import { openPlatform, type PlatformOverrides } from "./open-platform";
import { openTransports, type TransportOverrides, type Transports } from "./open-transports";
import type { Store } from "./platform/store/store";
import { GRAPHQL_PATH } from "./transports/graphql/http";

/** A running node. */
export interface App {
  /** Public addresses of the node. */
  addresses: DeploymentEndpoints;
  /** URL of the dashboard; null if it is off or not built. */
  dashboardUrl: string | null;
  /** URLs of the open chat endpoints, by transport. */
  chatUrls: ChatBanner;
  /** URLs of the endpoint of legacy conference clients, by transport. */
  conferenceUrls: Transports["conferenceUrls"];
  /** Credentials that the first start created; null at later starts. */
  created: InitialCredentials | null;
  log: Log;
  /** The database of this node. No other process can open it if it is embedded. */
  store: Store;
  /** Reloads the TLS certificate. Open sockets are not affected. */
  reload(): Promise<void>;
  /**
   * Graceful shutdown: stops accepting, finishes in-flight requests, closes sockets, flushes pending writes.
   */
  close(): Promise<void>;
}

/** Dependencies that tests may replace. */
export interface AppOptions extends PlatformOverrides, DomainOverrides, TransportOverrides {
  log?: Log;
}

/**
 * Starts a node: platform, domain modules and transports, in this order. It is ready once this resolves.
 * @throws UnusableDatabaseError if the service must not start on the database, Error if a port is in use; the reason of
 * the signal that stopped the start
 */
export async function startApp(config: Config, overrides: AppOptions = {}): Promise<App> {
  openTracing();
  const log = overrides.log ?? openLog(config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log);
  lifecycle.add("traces", flushTraces);
  let baseUrl = config.BASE_URL ?? "";
  try {
    const platform = await openPlatform(config, log, lifecycle, overrides);
    overrides.signal?.throwIfAborted();
    const domain = await openDomain(platform, lifecycle, () => baseUrl, overrides);
    overrides.signal?.throwIfAborted();
    const transports = await openTransports(platform, domain, lifecycle, overrides);
    const { chatUrls, conferenceUrls, dashboardPath, reload } = transports;
    baseUrl ||= transports.url;
    const addresses: DeploymentEndpoints = {
      base_url: baseUrl,
      graphql_url: `${baseUrl}${GRAPHQL_PATH}`,
      chat_url: config.CHAT_URL ?? Object.values(chatUrls)[0] ?? "",
      chat_domain: config.CHAT_DOMAIN,
    };
    const { store, sealer } = platform;
    const created = await bootstrap(store, sealer, config.DATA_DIR, addresses);
    overrides.signal?.throwIfAborted();
    transports.start();
    return {
      addresses,
      dashboardUrl: dashboardPath === null ? null : baseUrl + dashboardPath,
      chatUrls,
      conferenceUrls,
      created,
      log,
      store,
      reload,
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}
