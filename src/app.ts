import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { bootstrap, type DeploymentEndpoints, type InitialCredentials } from "./admin/bootstrap";
import { isAnsweredElsewhereEnabled } from "./applications/answered-elsewhere";
import { openSealer, resealSecrets } from "./applications/secret-key";
import { openBus } from "./bus/open";
import { openCallHistory } from "./calls/history/open-call-history";
import { turnHost } from "./calls/ice/ice-servers";
import { openRouter, type Router } from "./calls/router";
import { SenderLimits } from "./calls/sender-limits";
import { clientAddress, isWithin } from "./core/client-address";
import { type Clock, systemClock } from "./core/clock";
import type { Config } from "./core/config";
import type { ChatBanner } from "./core/console";
import { hostInUrl } from "./core/host-in-url";
import { Lifecycle } from "./core/lifecycle";
import { type Log, openLog } from "./core/log";
import { openMetrics } from "./core/metrics";
import { packageRoot } from "./core/package-root";
import { openCertificate } from "./core/tls/certificate";
import { contextFactory } from "./graphql/engine/context";
import { Engine } from "./graphql/engine/engine";
import { GRAPHQL_PATH, registerGraphqlHttp } from "./graphql/http";
import { signalboxSchema } from "./graphql/schema";
import { GraphqlSockets } from "./graphql/socket/websocket";
import { type DelaySampler, sampleEventLoopDelay } from "./http/event-loop-delay";
import { LoadShedder } from "./http/load-shedder";
import { connectionCheck, registerLoadShedding } from "./http/load-shedding";
import { registerProbes } from "./http/probes";
import { openServer } from "./http/server";
import { openIdentity } from "./identity/identity";
import { PURGE_SECONDS, purge } from "./identity/purge";
import { openJobs } from "./jobs/pg-boss";
import { openLimiters } from "./limits/open-limiter";
import { RateLimits } from "./limits/rate-limits";
import { openMail } from "./mail/open";
import { Connector, type ConnectorOptions } from "./network/connector";
import { registerPages } from "./pages/password-reset";
import { EMAIL_CHANGE_JOB, sendEmailChangeNotice } from "./password-reset/email-change-mail";
import { RESET_JOB, sendResetMail } from "./password-reset/password-reset";
import type { EmailChange, ResetRequest } from "./password-reset/reset-request";
import { resealCredentials } from "./push/credentials/reseal-credentials";
import { openPush, type PushOverrides } from "./push/open-push";
import { readDocuments, readRestFiles } from "./rest/documents";
import { registerRestErrors, restServerOptions } from "./rest/error";
import { registerRest } from "./rest/routes";
import { type StreamSignIn, signInStream, trackStream } from "./sessions/stream-sign-in";
import { openStore } from "./store/open";
import type { Store } from "./store/store";
import type { ChatServices } from "./xmpp/c2s/services";
import { chatUrls, needsCertificate, openChat } from "./xmpp/chat";
import { registerAuthEndpoint } from "./xmpp/component/auth-endpoint";
import { type Component, openComponent } from "./xmpp/component/component";
import { stanzaSizes } from "./xmpp/stanza/stanza-sizes";

/** A running node. */
export interface App {
  /** Public addresses of the node. */
  addresses: DeploymentEndpoints;
  /** URLs of the open chat endpoints, by transport. */
  chatUrls: ChatBanner;
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
export interface AppOptions extends PushOverrides {
  clock?: Clock;
  log?: Log;
  /** Called when the node lost its lock and must exit, since another node may run. */
  onLockLost?: (reason: string) => void;
  /** How the connector for outbound URLs resolves and checks addresses. */
  connector?: Pick<ConnectorOptions, "resolve" | "isPrivate">;
  /** Poll interval of the job queue, in milliseconds. */
  jobsPollMs?: number;
  /** Samples the event-loop delay for load shedding. */
  sampleDelay?: DelaySampler;
}

/**
 * Starts a node: database, bus, domain modules and transports, in this order. It is ready once this resolves.
 * @throws UnusableDatabaseError if the service must not start on the database, Error if a port is in use
 */
export async function startApp(config: Config, parts: AppOptions = {}): Promise<App> {
  const log = parts.log ?? openLog(config.LOG_LEVEL);
  const clock = parts.clock ?? systemClock;
  const metrics = openMetrics();
  const lifecycle = new Lifecycle(log);
  try {
    const store = await openStore({ config, log, isNode: true, onLockLost: parts.onLockLost });
    lifecycle.add("database", () => store.close());
    const bus = await openBus({ config, log, clock });
    lifecycle.add("bus", () => bus.close());
    const limiters = await openLimiters({ config, log, clock });
    lifecycle.add("limits", () => limiters.close());

    const sealer = await openSealer(config);
    await resealSecrets(store, sealer);
    await resealCredentials(store, sealer);
    const mailer = await openMail({ config, clock, log });
    if (mailer) lifecycle.add("mail", () => mailer.close());
    const singleNode = store.kind === "embedded" || config.REDIS_URL === undefined;
    const jobs = openJobs({ store, log, singleNode: singleNode, pollMs: parts.jobsPollMs });
    let baseUrl = config.BASE_URL ?? "";
    const identity = await openIdentity({
      ...{ config, store, bus, clock, log, sealer },
      limits: new RateLimits(config, limiters),
      connector: new Connector({
        allowPrivate: config.ALLOW_PRIVATE_NETWORKS,
        ...parts.connector,
      }),
      endpoints: { api: () => baseUrl, chat: config.CHAT_DOMAIN, turn: turnHost(config) },
      deliverReset: mailer && ((request) => jobs.enqueue(RESET_JOB, request)),
      deliverEmailChange: mailer && ((change) => jobs.enqueue(EMAIL_CHANGE_JOB, change)),
    });
    lifecycle.add("identity", () => identity.close());
    const push = openPush({ identity, jobs, log, metrics }, parts);
    // Closed in reverse order: running batches are sent before the connections to push services close.
    lifecycle.add("push services", () => push.close());
    lifecycle.add("jobs", () => jobs.close());
    jobs.work("purge", () => purge(identity), { everySeconds: PURGE_SECONDS });
    if (mailer) {
      jobs.work(RESET_JOB, (request: ResetRequest) => sendResetMail(identity, mailer, request));
      jobs.work(EMAIL_CHANGE_JOB, (change: EmailChange) =>
        sendEmailChangeNotice(identity, mailer, change),
      );
    }
    const recorder = openCallHistory({ identity, jobs, push, log, metrics }, { alone: singleNode });
    lifecycle.add("call records", () => recorder.close());
    const chatServer =
      config.CHAT_MODE === "component"
        ? openComponent({
            ...{ config, log, metrics, bus, limiter: limiters.global },
            onTermination: (listener) => identity.sessionEvents.onTermination(listener),
          })
        : null;
    const router = openRouter({
      ...{ bus, log, metrics, observe: recorder.observe },
      userExists: (applicationId, userId) => identity.userExistence.has(applicationId, userId),
      answeredElsewhere: (applicationId) => isAnsweredElsewhereEnabled(identity, applicationId),
      forwardToChatServer: chatServer?.send,
      sizes: stanzaSizes(config),
      limits: new SenderLimits(config, limiters.global, clock),
    });

    const engine = new Engine(signalboxSchema(), config, log, metrics);
    const makeContext = contextFactory(identity, router, push);
    const health = {
      ready: false,
      async check() {
        await Promise.all([store.check(), bus.check()]);
      },
    };
    const server = await openServer(config, {
      ...{ log, options: restServerOptions },
      countRequest: (ip) => identity.limits.countRequest(ip),
    });
    const shedder = new LoadShedder(config);
    const admitConnection = connectionCheck(shedder, metrics);
    registerLoadShedding(server, shedder, metrics);
    registerRestErrors(server);
    registerProbes(server, health, metrics);
    const documents = readDocuments(
      readRestFiles(join(packageRoot(), "schema/rest")),
      engine.schema,
    );
    registerRest(server, { engine, makeContext, documents });
    registerPages(server, identity);
    const authenticate = (attempt: StreamSignIn) => signInStream(identity, attempt);
    const signInSecret = config.CHAT_SIGN_IN_SECRET;
    if (signInSecret) {
      const onSignIn = chatServer?.recordSignIn;
      registerAuthEndpoint(server, {
        ...{ secret: signInSecret, log, clock, metrics },
        ...{ authenticate, onSignIn, arrive: (ip) => identity.limits.countRequest(ip) },
      });
    }
    await registerGraphqlHttp(server, { config, engine, makeContext, limits: identity.limits });
    const sockets = new GraphqlSockets(server.server, {
      ...{ config, engine, identity, makeContext, metrics },
      addressOf: clientAddress(config.TRUST_PROXY),
      admitConnection,
      isProxy: isWithin(config.TRUST_PROXY),
    });
    await server.listen({ host: config.HOST, port: config.PORT });
    lifecycle.add("HTTP server", () => server.close());
    lifecycle.add("GraphQL sockets", () => sockets.close());
    const chat = chatServer
      ? await connectComponent(chatServer, router, config, lifecycle)
      : await openChatEndpoint(
          {
            ...{ config, log, clock, metrics, router, authenticate, admitConnection },
            messageCounter: (user) => identity.limits.messageCounter(user),
            watch: (stream) => trackStream(identity, stream),
          },
          lifecycle,
        );
    lifecycle.add("open sockets", async () => {
      // Accepts no new connections; requests on open connections are still answered.
      server.server.close();
      const window = config.DRAIN_SPREAD_SECONDS * 1000;
      await Promise.all([chat.drain(window), sockets.drain(window)]);
    });

    const { port } = server.server.address() as AddressInfo;
    baseUrl ||= `http://${hostInUrl(config.HOST)}:${port}`;
    const addresses: DeploymentEndpoints = {
      base_url: baseUrl,
      graphql_url: `${baseUrl}${GRAPHQL_PATH}`,
      chat_url: config.CHAT_URL ?? Object.values(chat.urls)[0] ?? "",
      chat_domain: config.CHAT_DOMAIN,
    };
    const created = await bootstrap(store, sealer, config.DATA_DIR, addresses);
    const sampleDelay = parts.sampleDelay ?? sampleEventLoopDelay;
    lifecycle.add(
      "load samples",
      sampleDelay((delayMs) => shedder.sample(delayMs)),
    );
    health.ready = true;
    lifecycle.add("readiness", () => {
      health.ready = false;
    });
    return {
      ...{ addresses, chatUrls: chat.urls, created, log, store, reload: chat.reload },
      close: () => lifecycle.close(),
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

/** The chat endpoint of this node, or the chat server that it is connected to. */
interface ChatEndpoint {
  urls: ChatBanner;
  drain(windowMs: number): Promise<void>;
  reload(): Promise<void>;
}

/** Opens the chat endpoint of this node. */
async function openChatEndpoint(
  services: ChatServices,
  lifecycle: Lifecycle,
): Promise<ChatEndpoint> {
  const { config, clock, log } = services;
  const certificate = needsCertificate(config)
    ? await openCertificate(config, { clock, log })
    : null;
  lifecycle.add("certificate", () => certificate?.close());
  const chat = await openChat(services, certificate);
  lifecycle.add("chat endpoint", () => chat.close());
  return {
    urls: chatUrls(chat.ports, hostInUrl(config.HOST)),
    drain: chat.drain,
    reload: async () => certificate?.reload(),
  };
}

/** Connects to the chat server as a component. The sockets of chat clients belong to the chat server. */
async function connectComponent(
  component: Component,
  router: Router,
  config: Config,
  lifecycle: Lifecycle,
): Promise<ChatEndpoint> {
  lifecycle.add("chat server", () => component.close());
  await component.start(router);
  return {
    urls: { server: `xmpp:${config.CHAT_DOMAIN}` },
    drain: async () => undefined,
    reload: async () => undefined,
  };
}
