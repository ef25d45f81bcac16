import { isWithin } from "../core/client-address";
import type { LiveCertificate } from "../core/tls/certificate";
import { PreAuthLimiter } from "../limits/pre-auth-limiter";
import type { Endpoint } from "./c2s";
import type { ChatDevice } from "./chat-device";
import { RESUME_SECONDS } from "./management/elements";
import { Hibernation } from "./management/hibernation";
import { SignInThrottle } from "./sasl";
import type { ChatLimits, ChatServices } from "./services";
import type { Listener, Place } from "./transport/listen";
import { openTcp } from "./transport/tcp";
import { openWebSocket } from "./transport/websocket";

/** The ways to the chat endpoint: plain WebSocket, WebSocket in TLS, TCP with STARTTLS, TCP in TLS. */
export type ChatTransport = "ws" | "wss" | "tcp" | "tls";

/** An open chat endpoint. */
export interface Chat {
  /** The ports that are open. */
  ports: Partial<Record<ChatTransport, number>>;
  /** Accepts nobody any more, and ends the streams with `system-shutdown` over so many milliseconds. */
  drain(windowMs: number): Promise<void>;
  /** Ends what is still open, and cuts what does not end. */
  close(): Promise<void>;
}

const SCHEMES = { ws: "ws", wss: "wss", tcp: "xmpp", tls: "xmpps" } as const;

/**
 * Where clients find the ports: `ws:` and `wss:` URLs, and for TCP `xmpp:` (STARTTLS) and `xmpps:`, as
 * client libraries write them.
 * @param host as it stands in a URL
 */
export function chatUrls(
  ports: Chat["ports"],
  host: string,
): Partial<Record<ChatTransport, string>> {
  return Object.fromEntries(
    Object.entries(ports).map(([way, port]) => [
      way,
      `${SCHEMES[way as ChatTransport]}://${host}:${port}`,
    ]),
  );
}

const LIMITS: Omit<ChatLimits, "idleMs" | "bytesPerSecond"> = {
  negotiationMs: 10_000,
  closeMs: 2_000,
  backlogBytes: 1_048_576,
  queue: 32,
  failures: 5,
  failureMs: 250,
  unacknowledged: { stanzas: 2_000, bytes: 786_432 },
  askMs: 1_000,
  holdMs: 2_000,
  resumeMs: RESUME_SECONDS * 1_000,
  // Who signs in is done within moments, so a hundred at once are thousands that come back in a minute.
  atTheDoor: { perNetwork: 100, inAll: 5_000 },
  hibernating: { perUser: 10, inAll: 20_000, bytes: 134_217_728 },
};

const VARIABLES = {
  ws: "XMPP_WS_PORT",
  wss: "XMPP_WSS_PORT",
  tcp: "XMPP_TCP_PORT",
  tls: "XMPP_TLS_PORT",
} as const;

const OPEN: Record<
  ChatTransport,
  (endpoint: Endpoint, place: Place, certificate: () => LiveCertificate) => Promise<Listener>
> = {
  ws: (endpoint, place) => openWebSocket(endpoint, place),
  wss: (endpoint, place, certificate) => openWebSocket(endpoint, place, certificate()),
  tcp: (endpoint, place, certificate) => openTcp(endpoint, place, certificate(), false),
  tls: (endpoint, place, certificate) => openTcp(endpoint, place, certificate(), true),
};

/** Whether any port of the chat endpoint needs a certificate. */
export function needsCertificate(config: ChatServices["config"]): boolean {
  return (["wss", "tcp", "tls"] as const).some((way) => config[VARIABLES[way]] !== null);
}

/**
 * Opens the chat endpoint on HOST, at each port that is not switched off.
 * @param certificate null where {@link needsCertificate} does not hold
 * @throws Error when a port is taken
 */
export async function openChat(
  services: ChatServices,
  certificate: LiveCertificate | null,
): Promise<Chat> {
  const { config } = services;
  const limits = {
    ...LIMITS,
    idleMs: config.XMPP_IDLE_SECONDS * 1000,
    bytesPerSecond: config.XMPP_BYTES_PER_SECOND,
    ...services.limits,
  };
  const throttle = new SignInThrottle(limits.failureMs);
  const hibernation = new Hibernation<ChatDevice>(limits, services);
  const endpoint: Endpoint = {
    ...{ services, limits, throttle, hibernation, openedAt: services.clock.now() },
    doorstep: new PreAuthLimiter(limits.atTheDoor),
    isProxy: isWithin(config.TRUST_PROXY),
  };
  const needed = () => {
    if (!certificate) throw new Error("there is no certificate");
    return certificate;
  };
  const ports: Chat["ports"] = {};
  const listeners: Listener[] = [];
  const close = async () => {
    hibernation.close();
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  const drain = async (windowMs: number) => {
    await Promise.all(listeners.map((listener) => listener.drain(windowMs)));
  };
  try {
    for (const way of ["ws", "wss", "tcp", "tls"] as const) {
      const variable = VARIABLES[way];
      const port = config[variable];
      if (port === null) continue;
      const listener = await OPEN[way](endpoint, { host: config.HOST, port, variable }, needed);
      listeners.push(listener);
      ports[way] = listener.port;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { ports, drain, close };
}
