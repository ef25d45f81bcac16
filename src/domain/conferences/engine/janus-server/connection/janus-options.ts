import type { Log } from "../../../../../core/log";

/** How to reach a Janus server. */
export interface JanusServer {
  /** `ws:` or `wss:` URL of its WebSocket transport. */
  url: string;
  /** `api_secret` of janus.jcfg. */
  apiSecret: string;
  /** `admin_key` of janus.plugin.videoroom.jcfg. */
  adminKey: string;
}

/** How to reach its Admin API. */
export interface JanusAdmin {
  /** `ws:` or `wss:` URL of the Admin API's WebSocket transport. */
  url: string;
  /** `admin_secret` of janus.jcfg. */
  secret: string;
}

/** Options of the Janus engine. */
export interface JanusOptions extends JanusServer {
  /** Without it there are no statistics of peers, and no video is paused on a poor network. */
  admin?: JanusAdmin;
  log: Log;
  /** Interval of the polls of statistics, in milliseconds; 5,000 by default. */
  pollMs?: number;
  /** Interval of the audits of each room, in milliseconds; 30,000 by default. */
  auditMs?: number;
}

/** One of the two APIs of a Janus server, as {@link VideoRoomConnection} connects to it. */
export interface JanusEndpoint {
  /** Name in the log. */
  name: string;
  url: string;
  /** WebSocket sub-protocol. */
  protocol: string;
  /** The secret of every request, under the name of its property. */
  secret: Record<string, string>;
  log: Log;
}

/** The API of sessions and handles. */
export const clientEndpoint = ({ url, apiSecret }: JanusServer, log: Log): JanusEndpoint => ({
  name: "Janus",
  url,
  protocol: "janus-protocol",
  secret: { apisecret: apiSecret },
  log,
});

/** The Admin API. */
export const adminEndpoint = ({ url, secret }: JanusAdmin, log: Log): JanusEndpoint => ({
  name: "the Admin API of Janus",
  url,
  protocol: "janus-admin-protocol",
  secret: { admin_secret: secret },
  log,
});
