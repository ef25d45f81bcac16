import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { openChatEndpoint, openChatServer } from "./chat-endpoint";
import { clientAddress, isWithin } from "./core/client-address";
import type { Config } from "./core/config";
import type { ChatBanner } from "./core/console";
import { hostInUrl } from "./core/host-in-url";
import type { Lifecycle } from "./core/lifecycle";
import { warnRarely } from "./core/log";
import { packageRoot } from "./core/package-root";
import { DISK_FULL_BYTES, freeSpace, sizeText } from "./core/startup/disk-space";
import { openCertificate } from "./core/tls/certificate";
import { ViewerSubscriptions } from "./domain/access/viewer-subscriptions";
import type { PasswordResetDeps } from "./domain/password-reset/password-reset-deps";
import { type StreamSignIn, signInStream, trackStream } from "./domain/sessions/stream-sign-in";
import { type Domain, openSignalRouter } from "./open-domain";
import type { Platform } from "./open-platform";
import { OpenSockets } from "./platform/limits/open-sockets";
import { DASHBOARD_PATH, registerDashboard } from "./transports/dashboard/dashboard";
import { type CreateContext, contextFactory } from "./transports/graphql/engine/context";
import { Engine } from "./transports/graphql/engine/engine";
import { registerGraphqlHttp } from "./transports/graphql/http";
import { restSchema, signalboxSchema } from "./transports/graphql/schema";
import { registerSchemaText } from "./transports/graphql/schema-text";
import { type GraphqlSocketOptions, GraphqlSockets } from "./transports/graphql/socket/websocket";
import { type DelaySampler, sampleEventLoopDelay } from "./transports/http/event-loop-delay";
import {
  connectionCheck,
  LoadShedder,
  registerLoadShedding,
} from "./transports/http/load-shedding";
import { registerMetrics } from "./transports/http/metrics-endpoint";
import { registerProbes } from "./transports/http/probes";
import { openServer } from "./transports/http/server";
import { JanusSessions } from "./transports/janus-endpoint/session/janus-sessions";
import {
  type ConferenceTransport,
  conferenceNeedsCertificate,
  conferenceUrls,
  openConferenceEndpoint,
} from "./transports/janus-endpoint/transport/endpoint";
import { registerJanusPolling } from "./transports/janus-endpoint/transport/polling";
import { registerApiDocs } from "./transports/pages/api-docs";
import { registerLandingPage } from "./transports/pages/landing-page";
import { registerPages } from "./transports/pages/password-reset";
import { readDocuments, readRestFiles } from "./transports/rest/documents";
import { registerRestErrors, restServerOptions } from "./transports/rest/error";
import { registerRest } from "./transports/rest/routes";
import { registerAuthEndpoint } from "./transports/xmpp/component/auth-endpoint";
import { needsCertificate } from "./transports/xmpp/endpoint";
import { stanzaSizes } from "./transports/xmpp/stanza/stanza-sizes";

/** The open transports of a node. */
export interface Transports {
  /** URL that the HTTP server listens at. */
  url: string;
  /** URL path of the dashboard; null if it is off or not built. */
  dashboardPath: string | null;
  /** URLs of the open chat endpoints, by transport. */
  chatUrls: ChatBanner;
  /** URLs of the endpoint of legacy conference clients, by transport. */
  conferenceUrls: Partial<Record<ConferenceTransport, string>>;
  /** Reloads the TLS certificate. Open sockets are not affected. */
  reload(): Promise<void>;
  /** Reports the node as ready, until it shuts down. */
  start(): void;
}

/** Dependencies of the transports that tests may replace. */
export interface TransportOverrides {
  /** Samples the event-loop delay for load shedding. */
  sampleDelay?: DelaySampler | undefined;
  /** Folder of the dashboard's build. */
  dashboardFolder?: string | undefined;
}

/**
 * Opens GraphQL, REST, the pages, probes and chat in front of the domain modules, and listens.
 * @throws Error if a port is in use
 */
export async function openTransports(
  platform: Platform,
  domain: Domain,
  lifecycle: Lifecycle,
  { sampleDelay = sampleEventLoopDelay, dashboardFolder }: TransportOverrides = {},
): Promise<Transports> {
  const { config, store, log, clock, metrics, counters, limits } = platform;
  const { sessions, sessionEvents, conferences, lookups } = domain;
  const component = openChatServer(platform, sessionEvents);
  const router = openSignalRouter(platform, domain, {
    forwardToChatServer: component?.send,
    sizes: stanzaSizes(config),
  });
  const engine = new Engine(signalboxSchema(), config, log, metrics, counters);
  const makeContext = contextFactory(
    {
      ...domain,
      memberships: conferences,
      router,
      limits,
      viewerSubscriptions: new ViewerSubscriptions(),
      audit: { store, clock, log },
      ice: { config, clock },
    },
    lookups,
  );
  const health = { ready: false, check: () => checkWrites(platform, domain) };
  const server = await openServer(config, {
    log,
    options: restServerOptions,
    countRequest: (ip) => limits.countRequest(ip),
  });
  platform.untrustedProxy.watch(server.server);
  const listeningUrl = () => {
    const { port } = server.server.address() as AddressInfo;
    return `http://${hostInUrl(config.HOST)}:${port}`;
  };
  const shedder = new LoadShedder(config);
  registerLoadShedding(server, shedder, metrics);
  registerRestErrors(server);
  registerProbes(server, health);
  registerMetrics(server, { log, metrics, token: config.METRICS_TOKEN ?? null });
  openRest(server, engine, makeContext);
  const dashboardPath = openPages(server, config, {
    passwordReset: domain.passwordReset,
    engine,
    baseUrl: () => config.BASE_URL ?? listeningUrl(),
    dashboardFolder,
  });
  const shared = {
    openSockets: new OpenSockets(config.SOCKETS_PER_IP, isWithin(config.TRUST_PROXY)),
    admitConnection: connectionCheck(shedder, metrics),
    config,
    log,
    clock,
    metrics,
    counters,
    lookups,
    sessionEvents,
    webOrigins: domain.applications.webOrigins,
  };
  const janus = conferences.enabled
    ? new JanusSessions({ ...shared, limits, conferences: conferences.service })
    : null;
  if (janus) await registerJanusPolling(server, janus);
  const authenticate = (attempt: StreamSignIn) => signInStream(sessions, attempt);
  const signInSecret = config.CHAT_SIGN_IN_SECRET;
  if (signInSecret) {
    registerAuthEndpoint(server, {
      ...shared,
      secret: signInSecret,
      authenticate,
      onSignIn: component?.recordSignIn,
      arrive: (ip) => limits.countRequest(ip),
    });
  }
  const sockets = await openGraphql(server, { ...shared, limits, engine, makeContext });
  await server.listen({ host: config.HOST, port: config.PORT });
  lifecycle.add("HTTP server", () => server.close());
  lifecycle.add("GraphQL sockets", () => sockets.close());
  const isCertificateNeeded =
    (!component && needsCertificate(config)) ||
    (conferences.enabled && conferenceNeedsCertificate(config));
  const certificate = isCertificateNeeded ? await openCertificate(config, { clock, log }) : null;
  lifecycle.add("certificate", () => certificate?.close());
  const chat = await openChatEndpoint(
    {
      ...shared,
      router,
      authenticate,
      messageCounter: (user) => limits.messageCounter(user),
      watch: (stream) => trackStream(sessions, stream),
    },
    component,
    certificate,
    lifecycle,
  );
  const legacyConferences = janus ? await openConferenceEndpoint(janus, certificate) : null;
  if (legacyConferences) lifecycle.add("conference endpoint", () => legacyConferences.close());
  lifecycle.add("open sockets", async () => {
    // Accepts no new connections; requests on open connections are still answered.
    server.server.close();
    const window = config.DRAIN_SPREAD_SECONDS * 1000;
    await Promise.all([
      chat.drain(window),
      sockets.drain(window),
      legacyConferences?.drain(window),
    ]);
  });
  return {
    url: listeningUrl(),
    dashboardPath,
    chatUrls: chat.urls,
    conferenceUrls: conferenceUrls(legacyConferences?.ports ?? {}, hostInUrl(config.HOST)),
    reload: async () => certificate?.reload(),
    start() {
      lifecycle.add(
        "load samples",
        sampleDelay((delayMs) => {
          shedder.sample(delayMs);
          domain.health.registry.sampleDelay(delayMs);
        }),
      );
      health.ready = true;
      lifecycle.add("readiness", () => {
        health.ready = false;
      });
    },
  };
}

/** Checks that this node can write to its database and Redis, and that the database's disk has space. */
async function checkWrites(platform: Platform, { health }: Domain): Promise<void> {
  const { log, bus } = platform;
  try {
    await Promise.all([checkDisk(platform), health.registry.verifyWrites(), bus.check()]);
  } catch (error) {
    warnRarely(
      log,
      { err: error },
      "the node is not ready: it cannot write to its database or Redis",
    );
    throw error;
  }
}

/** A full disk refuses some changes while it still stores smaller ones. @throws Error */
async function checkDisk({ config, store }: Platform): Promise<void> {
  if (store.isDiskFull()) throw new Error("the disk of the database is full");
  if (store.kind !== "embedded") return;
  const free = await freeSpace(config.DATA_DIR);
  if (free !== null && free < DISK_FULL_BYTES) {
    throw new Error(`the disk of DATA_DIR is full: it has ${sizeText(free)} of free space`);
  }
}

/** Opens the REST API of schema/rest. */
function openRest(server: FastifyInstance, engine: Engine, makeContext: CreateContext): void {
  const schema = restSchema();
  const documents = readDocuments(readRestFiles(join(packageRoot(), "schema/rest")), schema);
  registerRest(server, { engine, makeContext, documents, schema });
}

/** Opens GraphQL over HTTP and over WebSocket. */
async function openGraphql(
  server: FastifyInstance,
  options: Omit<GraphqlSocketOptions, "addressOf" | "isProxy">,
): Promise<GraphqlSockets> {
  const { TRUST_PROXY } = options.config;
  await registerGraphqlHttp(server, options);
  return new GraphqlSockets(server.server, {
    ...options,
    addressOf: clientAddress(TRUST_PROXY),
    isProxy: isWithin(TRUST_PROXY),
  });
}

/** Opens what people see in a browser. @returns the URL path of the dashboard; null if it is off or not built */
function openPages(
  server: FastifyInstance,
  config: Config,
  deps: {
    passwordReset: PasswordResetDeps;
    engine: Engine;
    baseUrl(): string;
    dashboardFolder: string | undefined;
  },
): string | null {
  registerPages(server, deps.passwordReset);
  const hasDashboard =
    config.DASHBOARD &&
    registerDashboard(server, deps.dashboardFolder ?? join(packageRoot(), "dist/dashboard"), [
      ...(config.GRAPHIQL ? (["graphiql"] as const) : []),
      ...(config.API_DOCS ? (["docs"] as const) : []),
    ]);
  registerLandingPage(server, { ...config, DASHBOARD: hasDashboard }, deps.baseUrl);
  if (config.API_DOCS) registerApiDocs(server);
  if (config.INTROSPECTION) registerSchemaText(server, deps.engine.schema);
  return hasDashboard ? DASHBOARD_PATH : null;
}
