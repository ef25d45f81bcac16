import { isWithin } from "../../core/client-address";
import type { ListenAddress, ListeningPort } from "../../core/startup/listen";
import type { LiveCertificate } from "../../core/tls/certificate";
import { PreAuthLimiter } from "../../platform/limits/pre-auth-limiter";
import type { Endpoint } from "./c2s/c2s";
import type { ChatDevice } from "./c2s/chat-device";
import { SignInThrottle } from "./c2s/sasl";
import type { ChatLimits, ChatServices } from "./c2s/services";
import { RESUME_SECONDS } from "./stream-management/elements";
import { ResumableStreams } from "./stream-management/resumable-streams";
import { openTcp } from "./transport/tcp";
import { openWebSocket } from "./transport/websocket";

/** Transports of the chat endpoint: WebSocket, WebSocket over TLS, TCP with STARTTLS, TCP with direct TLS. */
export type ChatTransport = "ws" | "wss" | "tcp" | "tls";

/** An open chat endpoint. */
export interface Chat {
  /** The open ports. */
  ports: Partial<Record<ChatTransport, number>>;
  /** Stops accepting connections and ends the streams with `system-shutdown`, spread over `windowMs`. */
  drain(windowMs: number): Promise<void>;
  /** Ends the remaining streams, by force where a client does not cooperate. */
  close(): Promise<void>;
}

const SCHEMES = { ws: "ws", wss: "wss", tcp: "xmpp", tls: "xmpps" } as const;

/**
 * The URLs of the ports: `ws:` and `wss:`, and for TCP `xmpp:` (STARTTLS) and `xmpps:`, the schemes that
 * client libraries use.
 * @param host in URL form
 */
export function chatUrls(
  ports: Chat["ports"],
  host: string,
): Partial<Record<ChatTransport, string>> {
  return Object.fromEntries(
    Object.entries(ports).map(([transport, port]) => [
      transport,
      `${SCHEMES[transport as ChatTransport]}://${host}:${port}`,
    ]),
  );
}

const LIMITS: Omit<ChatLimits, "idleMs" | "bytesPerSecond"> = {
  negotiationMs: 10_000,
  closeMs: 2_000,
  backlogBytes: 1_048_576,
  maxQueued: 32,
  maxFailures: 5,
  failureDelayMs: 250,
  unacknowledged: { stanzas: 2_000, bytes: 786_432 },
  ackRequestDelayMs: 1_000,
  enableWaitMs: 2_000,
  resumeMs: RESUME_SECONDS * 1_000,
  // A sign-in takes moments, so a hundred at once allow thousands of reconnections in a minute.
  preAuth: { perNetwork: 100, total: 5_000 },
  disconnected: { perUser: 10, total: 20_000, bytes: 134_217_728 },
};

const VARIABLES = {
  ws: "XMPP_WS_PORT",
  wss: "XMPP_WSS_PORT",
  tcp: "XMPP_TCP_PORT",
  tls: "XMPP_TLS_PORT",
} as const;

const OPEN: Record<
  ChatTransport,
  (
    endpoint: Endpoint,
    address: ListenAddress,
    certificate: () => LiveCertificate,
  ) => Promise<ListeningPort>
> = {
  ws: (endpoint, address) => openWebSocket(endpoint, address),
  wss: (endpoint, address, certificate) => openWebSocket(endpoint, address, certificate()),
  tcp: (endpoint, address, certificate) => openTcp(endpoint, address, certificate(), false),
  tls: (endpoint, address, certificate) => openTcp(endpoint, address, certificate(), true),
};

/** Whether any port of the chat endpoint needs a certificate. */
export function needsCertificate(config: ChatServices["config"]): boolean {
  return (["wss", "tcp", "tls"] as const).some(
    (transport) => config[VARIABLES[transport]] !== null,
  );
}

/**
 * Opens the chat endpoint on HOST, at each port that is not switched off.
 * @param certificate may be null if {@link needsCertificate} returns false
 * @throws Error if a port is in use
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
  const resumableStreams = new ResumableStreams<ChatDevice>(limits, services);
  const endpoint: Endpoint = {
    services,
    limits,
    throttle: new SignInThrottle(limits.failureDelayMs),
    preAuthLimiter: new PreAuthLimiter(limits.preAuth),
    isProxy: isWithin(config.TRUST_PROXY),
    resumableStreams,
    openedAt: services.clock.now(),
  };
  const requireCertificate = () => {
    if (!certificate) throw new Error("the certificate is missing");
    return certificate;
  };
  const ports: Chat["ports"] = {};
  const listeners: ListeningPort[] = [];
  const close = async () => {
    resumableStreams.close();
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  const drain = async (windowMs: number) => {
    await Promise.all(listeners.map((listener) => listener.drain(windowMs)));
  };
  try {
    for (const transport of ["ws", "wss", "tcp", "tls"] as const) {
      const variable = VARIABLES[transport];
      const port = config[variable];
      if (port === null) continue;
      const address: ListenAddress = {
        host: config.HOST,
        port,
        variable,
        endpoint: "chat endpoint",
      };
      const listener = await OPEN[transport](endpoint, address, requireCertificate);
      listeners.push(listener);
      ports[transport] = listener.port;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { ports, drain, close };
}
