import type { Door } from "./job";
import { type ChatServer, SERVERS, type ServerName } from "./server";

/** The ways into a server. */
export type Transport = Door["kind"];

export const TRANSPORTS: Record<Transport, string> = {
  websocket: "XMPP over WebSocket",
  tls: "XMPP over TCP, TLS",
  graphql: "graphql-ws",
};

/** Signals between two doors of a server. */
export interface TalkRow {
  name: string;
  server: ServerName;
  from: Transport;
  to: Transport;
}

/** Connections by one door of a server. */
export interface CrowdRow {
  name: string;
  server: ServerName;
  door: Transport;
}

/** A door of a server. @throws Error when the server has none */
export function doorOf(server: ChatServer, transport: Transport): Door {
  if (transport === "tls") return { kind: "tls", port: server.tlsPort };
  const url = transport === "websocket" ? server.websocketUrl : server.graphqlUrl;
  if (url === undefined) throw new Error(`the server has no ${TRANSPORTS[transport]}`);
  return { kind: transport, url };
}

/** Every way by one transport, the servers of each beside each other. */
const DOORS = (["websocket", "tls", "graphql"] as const).flatMap((door) =>
  SERVERS.filter((server) => door !== "graphql" || server === "Signalbox").map((server) => ({
    ...{ door, server },
    label: `${TRANSPORTS[door]}: ${server}`,
  })),
);

/** What is measured of signals, in the order of the rows. */
export const TALKS: TalkRow[] = [
  ...DOORS.map(({ door, server, label }) => ({
    ...{ name: `signals, ${label}`, server, from: door, to: door },
  })),
  ...(
    [
      ["graphql", "websocket"],
      ["websocket", "graphql"],
    ] as const
  ).map(([from, to]) => ({
    name: `signals, ${TRANSPORTS[from]} → ${TRANSPORTS[to]}: Signalbox`,
    ...{ server: "Signalbox" as const, from, to },
  })),
];

/** What is measured of connections. */
export const CROWDS: CrowdRow[] = DOORS.map(({ door, server, label }) => ({
  ...{ name: `connections, ${label}`, server, door },
}));
