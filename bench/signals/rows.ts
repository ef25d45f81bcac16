import type { Endpoint } from "./job";
import { type ChatServer, SERVERS, type ServerName } from "./server";

/** The protocols of a server. */
export type Transport = Endpoint["kind"];

export const TRANSPORTS: Record<Transport, string> = {
  websocket: "XMPP over WebSocket",
  tls: "XMPP over TCP, TLS",
  graphql: "graphql-ws",
};

/** Signals within one protocol of a server or between two. */
export interface SignalRow {
  name: string;
  server: ServerName;
  from: Transport;
  to: Transport;
}

/** Connections over one protocol of a server. */
export interface ConnectionRow {
  name: string;
  server: ServerName;
  transport: Transport;
}

/** A server's endpoint for a protocol. @throws Error if the server does not support it */
export function endpointOf(server: ChatServer, transport: Transport): Endpoint {
  if (transport === "tls") return { kind: "tls", port: server.tlsPort };
  const url = transport === "websocket" ? server.websocketUrl : server.graphqlUrl;
  if (url === undefined) throw new Error(`the server has no ${TRANSPORTS[transport]}`);
  return { kind: transport, url };
}

/** Every combination of protocol and server, grouped by protocol. */
const COMBINATIONS = (["websocket", "tls", "graphql"] as const).flatMap((transport) =>
  SERVERS.filter((server) => transport !== "graphql" || server === "Signalbox").map((server) => ({
    transport,
    server,
    label: `${TRANSPORTS[transport]}: ${server}`,
  })),
);

/** The signal measurements in table order. */
export const SIGNAL_ROWS: SignalRow[] = [
  ...COMBINATIONS.map(({ transport, server, label }) => ({
    name: `signals, ${label}`,
    server,
    from: transport,
    to: transport,
  })),
  ...(
    [
      ["graphql", "websocket"],
      ["websocket", "graphql"],
    ] as const
  ).map(([from, to]) => ({
    name: `signals, ${TRANSPORTS[from]} → ${TRANSPORTS[to]}: Signalbox`,
    server: "Signalbox" as const,
    from,
    to,
  })),
];

/** The connection measurements in table order. */
export const CONNECTION_ROWS: ConnectionRow[] = COMBINATIONS.map(
  ({ transport, server, label }) => ({
    name: `connections, ${label}`,
    server,
    transport,
  }),
);
