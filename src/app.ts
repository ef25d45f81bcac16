import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openBus } from "./bus/open";
import { openLimiters } from "./bus/open-limiter";
import { openRouter } from "./calls/router";
import { clientAddress } from "./core/client-address";
import { type Clock, systemClock } from "./core/clock";
import type { Config } from "./core/config";
import { hostInUrl } from "./core/host-in-url";
import { Lifecycle } from "./core/lifecycle";
import { type Log, openLog } from "./core/log";
import { openMetrics } from "./core/metrics";
import { packageRoot } from "./core/package-root";
import { contextMaker } from "./graphql/context";
import { Engine } from "./graphql/engine";
import { GRAPHQL_PATH, registerGraphqlHttp } from "./graphql/http";
import { buildSignalboxSchema } from "./graphql/schema";
import { GraphqlSockets } from "./graphql/websocket";
import { registerProbes } from "./http/probes";
import { openServer } from "./http/server";
import { type Addresses, bootstrap, type Credentials } from "./identity/application/bootstrap";
import { openSealer, resealSecrets } from "./identity/application/secret-key";
import { openIdentity } from "./identity/identity";
import { Limits } from "./identity/limits";
import { PURGE_SECONDS, purge } from "./identity/purge";
import { RESET_JOB, sendReset } from "./identity/recovery/password-reset";
import type { ResetRequest } from "./identity/recovery/reset-request";
import { signInStream, watchStream } from "./identity/session/stream-sign-in";
import { openJobs } from "./jobs/pg-boss";
import { openMail } from "./mail/open";
import { registerPages } from "./pages/password-reset";
import { readDocuments, readRestFiles } from "./rest/documents";
import { registerRestErrors, restServerOptions } from "./rest/error";
import { registerRest } from "./rest/routes";
import { openStore } from "./store/open";
import type { Store } from "./store/store";
import { openChat } from "./xmpp/websocket";

/** A running node. */
export interface App {
  /** Where clients find it. */
  addresses: Addresses;
  /** What the first start created; null on every later one. */
  created: Credentials | null;
  log: Log;
  /** The database of this node; on the embedded one nobody else can look into it. */
  store: Store;
  /** Stops accepting, lets what is under way finish, closes sockets, writes what is behind. */
  close(): Promise<void>;
}

/** What a test may put in place of the machine's own. */
export interface AppParts {
  clock?: Clock;
  log?: Log;
  /** Called when the node must end because another may run beside it. */
  onLost?: (reason: string) => void;
}

/**
 * Starts a node: database, bus, rooms, doors, in this order; ready once it resolves.
 * @throws Refusal when it must not start on this database, Error when a port is taken
 */
export async function startApp(config: Config, parts: AppParts = {}): Promise<App> {
  const log = parts.log ?? openLog(config.LOG_LEVEL);
  const clock = parts.clock ?? systemClock;
  const metrics = openMetrics();
  const opened = new Lifecycle(log);
  try {
    const store = await openStore({ config, log, exclusive: true, onLost: parts.onLost });
    opened.add("database", () => store.close());
    const bus = await openBus({ config, log, clock });
    opened.add("bus", () => bus.close());
    const limiters = await openLimiters({ config, log, clock });
    opened.add("limits", () => limiters.close());

    const sealer = await openSealer(config);
    await resealSecrets(store, sealer);
    const mailer = await openMail({ config, clock, log });
    if (mailer) opened.add("mail", () => mailer.close());
    const jobs = openJobs({ store, log });
    let baseUrl = config.BASE_URL ?? "";
    const identity = await openIdentity({
      ...{ config, store, bus, clock, log, sealer },
      limits: new Limits(config, limiters),
      endpoints: { api: () => baseUrl, chat: config.CHAT_DOMAIN, turn: config.TURN_HOST },
      deliverReset: mailer && ((request) => jobs.enqueue(RESET_JOB, request)),
    });
    opened.add("identity", () => identity.close());
    opened.add("jobs", () => jobs.close());
    jobs.schedule("purge", PURGE_SECONDS, () => purge(identity));
    if (mailer)
      jobs.work(RESET_JOB, (request: ResetRequest) => sendReset(identity, mailer, request));
    const router = openRouter({
      ...{ bus, log, metrics },
      userExists: (applicationId, userId) => identity.existence.has(applicationId, userId),
    });

    const engine = new Engine(buildSignalboxSchema(), config, log, metrics);
    const makeContext = contextMaker(identity, router);
    const health = {
      ready: false,
      async check() {
        await Promise.all([store.check(), bus.check()]);
      },
    };
    const server = await openServer(config, log, restServerOptions);
    registerRestErrors(server);
    registerProbes(server, health, metrics);
    const documents = readDocuments(
      readRestFiles(join(packageRoot(), "schema/rest")),
      engine.schema,
    );
    registerRest(server, { engine, makeContext, documents });
    registerPages(server, identity);
    await registerGraphqlHttp(server, { config, engine, makeContext });
    const sockets = new GraphqlSockets(server.server, {
      ...{ config, engine, identity, makeContext, metrics },
      addressOf: clientAddress(config.TRUST_PROXY),
    });
    await server.listen({ host: config.HOST, port: config.PORT });
    opened.add("HTTP server", () => server.close());
    opened.add("GraphQL sockets", () => sockets.close());
    const chat = await openChat({
      ...{ config, log, clock, metrics, router },
      authenticate: (attempt) => signInStream(identity, attempt),
      watch: (stream) => watchStream(identity, stream),
    });
    opened.add("chat endpoint", () => chat.close());

    const { port } = server.server.address() as AddressInfo;
    baseUrl ||= `http://${hostInUrl(config.HOST)}:${port}`;
    const addresses: Addresses = {
      base_url: baseUrl,
      graphql_url: `${baseUrl}${GRAPHQL_PATH}`,
      chat_url: config.CHAT_URL ?? `ws://${hostInUrl(config.HOST)}:${chat.port}`,
      chat_domain: config.CHAT_DOMAIN,
    };
    const created = await bootstrap(store, sealer, config.DATA_DIR, addresses);
    health.ready = true;
    opened.add("readiness", () => {
      health.ready = false;
    });
    return { addresses, created, log, store, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
