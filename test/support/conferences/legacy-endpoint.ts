import { systemClock } from "../../../src/core/clock";
import { type Config, readConfig } from "../../../src/core/config";
import { Fault } from "../../../src/core/errors";
import { openLog } from "../../../src/core/log";
import { type Metrics, openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import { SessionEvents } from "../../../src/domain/session-events/session-events";
import type { Session } from "../../../src/domain/sessions/session";
import { openLocalBus } from "../../../src/platform/bus/local";
import { openLimiters } from "../../../src/platform/limits/open-limiter";
import { OpenSockets } from "../../../src/platform/limits/open-sockets";
import { RateLimits } from "../../../src/platform/limits/rate-limits";
import { openServer } from "../../../src/transports/http/server";
import type { JanusLimits } from "../../../src/transports/janus-endpoint/protocol/janus-limits";
import {
  type JanusDeps,
  JanusSessions,
} from "../../../src/transports/janus-endpoint/session/janus-sessions";
import {
  type ConferenceEndpoint,
  conferenceUrls,
  openConferenceEndpoint,
} from "../../../src/transports/janus-endpoint/transport/endpoint";
import { registerJanusPolling } from "../../../src/transports/janus-endpoint/transport/polling";
import { registerRestErrors, restServerOptions } from "../../../src/transports/rest/error";
import { testCertificate } from "../operations/certificates";
import { FakeConferenceService } from "./fake-conference-service";
import { LegacyClient } from "./legacy-client";
import { type OpenTransport, overPolling, overWebSocket } from "./legacy-transports";

/** The two framings of the protocol. */
export type Framing = "WebSocket" | "long polling";
export const FRAMINGS: Framing[] = ["WebSocket", "long polling"];

/** The application of the users in these tests. */
export const APPLICATION = 7;

/** An HTTP server and the endpoint, in front of conferences in memory. */
export interface LegacyEndpoint {
  service: FakeConferenceService;
  sessions: JanusSessions;
  sessionEvents: SessionEvents;
  endpoint: ConferenceEndpoint;
  metrics: Metrics;
  /** Lines of the log. */
  lines: string[];
  httpUrl: string;
  urls: Record<"ws" | "wss", string>;
  /** Number of polls that wait. */
  polls(): number;
  /** Signs a user in. @returns the token */
  token(userId: number | null, changes?: Partial<Session>): string;
  /** Ends the session of a token, as a sign-out does. */
  revoke(token: string): void;
  /** A web origin is no longer allowed. */
  refuseOrigin(origin: string): void;
  /** Opens a session of a user. */
  client(framing: Framing, userId: number): Promise<LegacyClient>;
  /** Connects without a session. */
  connect(framing: Framing, token: string): Promise<LegacyClient>;
  close(): Promise<void>;
}

let sessionIds = 1_000;

/** Starts the endpoint on free ports, without rate limits by default. */
export async function startLegacyEndpoint(
  options: {
    limits?: Partial<JanusLimits>;
    environment?: Record<string, string>;
    deps?: Partial<JanusDeps>;
  } = {},
): Promise<LegacyEndpoint> {
  const config: Config = readConfig({
    CONFERENCE_WS_PORT: "0",
    CONFERENCE_WSS_PORT: "0",
    RATE_REQUESTS_PER_IP: "0",
    RATE_CHAT_SIGN_INS_PER_USER: "0",
    ...options.environment,
  });
  const lines: string[] = [];
  const log = openLog("trace", { write: (line) => void lines.push(line) });
  const metrics = openMetrics();
  const bus = openLocalBus(systemClock, log);
  const sessionEvents = await SessionEvents.open(bus, log);
  const limiters = await openLimiters({ config, clock: systemClock, log });
  const limits = new RateLimits(config, limiters);
  const service = new FakeConferenceService();
  const tokens = new Map<string, Session>();
  const refusedOrigins = new Set<string>();
  const pages = new Set<{ origin: string; disconnect(): void }>();
  const sessions = new JanusSessions({
    config,
    log,
    metrics,
    counters: new ApplicationCounters(systemClock),
    limits,
    openSockets: new OpenSockets(config.SOCKETS_PER_IP, () => false),
    conferences: service,
    sessionEvents,
    lookups: {
      async findSession(token = "") {
        const session = tokens.get(token);
        if (!session) throw Fault.noSession();
        return session;
      },
      async checkOrigin(_applicationId, origin) {
        if (origin !== undefined && refusedOrigins.has(origin)) {
          throw new Fault("FORBIDDEN", "This origin may not use this application");
        }
      },
    },
    webOrigins: {
      track(page) {
        pages.add(page);
        return () => void pages.delete(page);
      },
    },
    admitConnection: () => undefined,
    janusLimits: options.limits,
    ...options.deps,
  });
  const server = await openServer(config, {
    log,
    options: restServerOptions,
    countRequest: (ip) => limits.countRequest(ip),
  });
  let polls = 0;
  server.addHook("onRequest", (request, reply, done) => {
    if (request.method === "GET") {
      polls += 1;
      reply.raw.once("close", () => {
        polls -= 1;
      });
    }
    done();
  });
  registerRestErrors(server);
  await registerJanusPolling(server, sessions);
  const httpUrl = await server.listen({ host: "127.0.0.1", port: 0 });
  const endpoint = await openConferenceEndpoint(sessions, await testCertificate());
  const urls = conferenceUrls(endpoint.ports, "127.0.0.1") as LegacyEndpoint["urls"];
  const clients: LegacyClient[] = [];
  const transports: Record<Framing, [OpenTransport, string]> = {
    WebSocket: [overWebSocket, urls.ws],
    "long polling": [overPolling, httpUrl],
  };

  const token: LegacyEndpoint["token"] = (userId, changes = {}) => {
    const id = ++sessionIds;
    const text = `token-of-session-${id}`.padEnd(43, "x");
    const user = userId === null ? null : ({ fullName: `User ${userId}`, isGuest: false } as never);
    tokens.set(text, {
      id,
      applicationId: APPLICATION,
      userId,
      web: false,
      user,
      ...changes,
    } as Session);
    return text;
  };
  const connect = async (framing: Framing, text: string) => {
    const [open, url] = transports[framing];
    const client = await LegacyClient.connect(open, url, text);
    clients.push(client);
    return client;
  };
  return {
    service,
    sessions,
    sessionEvents,
    endpoint,
    metrics,
    lines,
    httpUrl,
    urls,
    polls: () => polls,
    token,
    revoke(text) {
      const session = tokens.get(text);
      tokens.delete(text);
      if (session) sessionEvents.publish({ kind: "session", sessionId: session.id });
    },
    refuseOrigin(origin) {
      refusedOrigins.add(origin);
      for (const page of [...pages]) if (page.origin === origin) page.disconnect();
    },
    connect,
    async client(framing, userId) {
      const client = await connect(framing, token(userId));
      await client.create();
      return client;
    },
    async close() {
      for (const client of clients) client.drop();
      await endpoint.close();
      await server.close();
      await sessionEvents.close();
      await limiters.close();
      await bus.close();
    },
  };
}
