import { once } from "node:events";
import { WebSocket } from "ws";
import { isWithin } from "../../../src/core/client-address";
import type { Clock } from "../../../src/core/clock";
import { type Config, readConfig } from "../../../src/core/config";
import { Fault } from "../../../src/core/errors";
import { openLog } from "../../../src/core/log";
import { type Metrics, openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import type { LiveCertificate } from "../../../src/core/tls/certificate";
import { openRouter, type Router } from "../../../src/domain/calls/router";
import type { Bus } from "../../../src/platform/bus/bus";
import { openLocalBus } from "../../../src/platform/bus/local";
import { OpenSockets } from "../../../src/platform/limits/open-sockets";
import type {
  ChatLimits,
  ChatServices,
  LiveStream,
  SignInAttempt,
} from "../../../src/transports/xmpp/c2s/services";
import { type ChatTransport, chatUrls, openChat } from "../../../src/transports/xmpp/endpoint";
import { stanzaSizes } from "../../../src/transports/xmpp/stanza/stanza-sizes";
import { isExhaustive, oneOf } from "../exhaustive";
import { FrameQueue } from "../frame-queue";
import { testCertificate, trustOptions } from "../operations/certificates";
import { FREE_CHAT_PORTS } from "../ports";
import { connectTcp } from "./chat-tcp";
import type { RawClient } from "./raw-client";

/** Domain of the users in these tests. */
export const DOMAIN = "chat.example";

/** A chat endpoint with a router behind it, and users 42, 43 and 44 of application 7, 42 of 8. */
export interface TestChat {
  /** URL of the requested transport. */
  url: string;
  bus: Bus;
  urls: Record<ChatTransport, string>;
  router: Router;
  metrics: Metrics;
  /** Authenticated streams. */
  live: Set<LiveStream>;
  /** Sign-in attempts so far. */
  attempts: SignInAttempt[];
  close(): Promise<void>;
}

/** All transports of the endpoint, for suites that run on each. */
export const TRANSPORTS: ChatTransport[] = ["ws", "wss", "tcp", "tls"];
/** Of each kind of transport one, one of them with TLS, by the seed; all transports in an exhaustive run. */
export const SAMPLED_TRANSPORTS: ChatTransport[] = isExhaustive
  ? TRANSPORTS
  : oneOf([
      ["ws", "tls"],
      ["wss", "tcp"],
    ]);

const USERS = new Set(["7 42", "7 43", "7 44", "8 42"]);

/** Opens the endpoint on free ports. Passwords are `password`, session tokens `token`. */
export async function startChat(
  options: {
    /** The transport of `url`; WebSocket by default. */
    transport?: ChatTransport;
    config?: Partial<Config>;
    limits?: Partial<ChatLimits>;
    certificate?: LiveCertificate;
    authenticate?: ChatServices["authenticate"];
    messageCounter?: ChatServices["messageCounter"];
    admitConnection?: ChatServices["admitConnection"];
    router?: (router: Router) => Router;
    clock?: Clock;
    /** The endpoint of another node of the same deployment. */
    beside?: TestChat;
    answeredElsewhere?: boolean;
  } = {},
): Promise<TestChat> {
  const config = {
    ...readConfig({
      ...FREE_CHAT_PORTS,
      CHAT_DOMAIN: DOMAIN,
      LOG_LEVEL: "silent",
      // Suites send more at once than a user; tests of this limit set their own.
      XMPP_BYTES_PER_SECOND: "0",
    }),
    ...options.config,
  };
  const log = openLog("silent");
  const metrics = openMetrics();
  const clock = options.clock ?? { now: () => 1_600_000_000_000 };
  const counters = new ApplicationCounters(clock);
  const bus = options.beside?.bus ?? openLocalBus(clock, log);
  const userExists = async (applicationId: number, userId: number) =>
    USERS.has(`${applicationId} ${userId}`);
  const real = openRouter({
    bus,
    clock,
    log,
    metrics,
    counters,
    userExists,
    isAnsweredElsewhereEnabled: async () => options.answeredElsewhere ?? false,
    sizes: stanzaSizes(config),
  });
  const router = options.router?.(real) ?? real;
  const live = new Set<LiveStream>();
  const attempts: SignInAttempt[] = [];
  const services: ChatServices = {
    config,
    log,
    metrics,
    counters,
    clock,
    router,
    openSockets: new OpenSockets(config.SOCKETS_PER_IP, isWithin(config.TRUST_PROXY)),
    limits: options.limits,
    async authenticate(attempt) {
      attempts.push(attempt);
      if (options.authenticate) return options.authenticate(attempt);
      const known = USERS.has(`${attempt.applicationId} ${attempt.userId}`);
      const confirm = async () => undefined;
      if (known && attempt.secret === "password") return { sessionId: null, confirm };
      if (known && attempt.secret === "token")
        return { sessionId: 1_000 + attempt.userId, confirm };
      throw new Fault("UNAUTHENTICATED", "Login or password is wrong");
    },
    messageCounter: options.messageCounter ?? (() => () => undefined),
    admitConnection: options.admitConnection ?? (() => undefined),
    watch(stream) {
      live.add(stream);
      return () => void live.delete(stream);
    },
  };
  const chat = await openChat(services, options.certificate ?? (await testCertificate()));
  const urls = chatUrls(chat.ports, "127.0.0.1") as TestChat["urls"];
  return {
    url: urls[options.transport ?? "ws"],
    urls,
    bus,
    router,
    metrics,
    live,
    attempts,
    close: () => chat.close(),
  };
}

/** The `<open/>` of a client. */
export const OPEN = `<open xmlns="urn:ietf:params:xml:ns:xmpp-framing" to="${DOMAIN}" version="1.0"/>`;

/** `<auth/>` of SASL PLAIN. */
export function auth(name: string, secret: string): string {
  const message = Buffer.from(`\0${name}\0${secret}`).toString("base64");
  return `<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">${message}</auth>`;
}

/** A bind request. */
export function bind(resource?: string): string {
  const requested = resource === undefined ? "" : `<resource>${resource}</resource>`;
  return `<iq xmlns="jabber:client" type="set" id="b"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind">${requested}</bind></iq>`;
}

type RawOptions = { origin?: string; headers?: Record<string, string> };

/** Connects without sending a frame; over `xmpp:` after STARTTLS. */
export async function connectRaw(url: string, options: RawOptions = {}): Promise<RawClient> {
  return url.startsWith("xmpp") ? connectTcp(url) : connectWebSocket(url, options);
}

/** {@link connectRaw} over WebSocket. */
export async function connectWebSocket(
  url: string,
  options: RawOptions = {},
): Promise<RawClient<WebSocket>> {
  const socket = new WebSocket(url, "xmpp", { ...options, ...(await trustOptions()) });
  const frames = new FrameQueue();
  socket.on("message", (data) => frames.push(String(data)));
  socket.on("close", (code) => frames.end(code));
  await once(socket, "open");
  socket.on("error", () => {});
  return {
    socket,
    send: (frame) => socket.send(frame),
    received: frames.received,
    next: frames.next,
    rest: frames.rest,
  };
}

/** Connects, authenticates and binds; the frames of that are consumed. */
export async function signInRaw(
  url: string,
  name: string,
  resource: string,
  secret = "password",
): Promise<RawClient> {
  const client = await connectRaw(url);
  for (const frame of [OPEN, auth(name, secret), OPEN, bind(resource)]) client.send(frame);
  for (let count = 0; count < 5; count += 1) await client.next();
  const bound = await client.next();
  if (!bound.includes("<jid>")) throw new Error(bound);
  return client;
}
