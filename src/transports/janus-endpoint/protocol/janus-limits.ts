/** Limits of the legacy conference endpoint (docs/LIMITS.md). Times are in milliseconds. */
export interface JanusLimits {
  /** Timeout of a socket without a session. */
  unauthenticatedMs: number;
  /** Number of failed `create` and `claim` requests after which a socket is closed. */
  failedSignIns: number;
  /** Sockets without a session, per network and in total. */
  preAuth: { perNetwork: number; total: number };
  /** Maximum number of sessions of one token, of one network (an IPv6 /64), and on one socket. */
  sessionsPerToken: number;
  sessionsPerNetwork: number;
  sessionsPerSocket: number;
  /** Maximum number of handles of a session: one that publishes and twelve that listen. */
  handlesPerSession: number;
  /** Maximum number of requests of one handle that wait for an earlier one. */
  waitingPerHandle: number;
  /** Maximum number of requests of one socket in progress. */
  inProgressPerSocket: number;
  /** Messages of a socket or polling session before they are parsed, per second, and bursts in seconds of it. */
  messagesPerSecond: number;
  messageBurstSeconds: number;
  /** Bytes of messages of a socket, per second. */
  bytesPerSecond: number;
  /** Requests of a session other than trickle, per second, and bursts in seconds of it. */
  requestsPerSecond: number;
  requestBurstSeconds: number;
  /** Number of consecutive requests beyond a limit after which a socket is closed. */
  refusedMax: number;
  /** Maximum size of the outgoing queue. */
  queue: { frames: number; bytes: number };
  /** Idle timeout of a session. */
  sessionMs: number;
  /** Interval between pings of a socket, and timeout of a ping's answer. */
  pingMs: number;
  /** Maximum time that a poll waits for an event. */
  pollMs: number;
  /** Timeout of the closing handshake, and of the handshakes before a WebSocket. */
  closeMs: number;
  handshakeMs: number;
}

/** Maximum size of a message, in bytes: a session description of SDP_MAX (conferences/engine), escaped, and what is around it. */
export const MESSAGE_BYTES = 81_920;
/** Maximum nesting of a message; a trickled candidate has the second level. */
export const MESSAGE_LEVELS = 8;
/** Maximum number of handles that listen: one for each other seat of the largest conference, and one to spare. */
export const LISTENERS_MAX = 12;

/** The limits of a node. */
export const JANUS_LIMITS: JanusLimits = {
  unauthenticatedMs: 10_000,
  failedSignIns: 5,
  preAuth: { perNetwork: 100, total: 5_000 },
  sessionsPerToken: 8,
  sessionsPerNetwork: 500,
  sessionsPerSocket: 2,
  handlesPerSession: 1 + LISTENERS_MAX,
  waitingPerHandle: 256,
  inProgressPerSocket: 512,
  messagesPerSecond: 60,
  messageBurstSeconds: 10,
  bytesPerSecond: 131_072,
  requestsPerSecond: 10,
  requestBurstSeconds: 20,
  refusedMax: 20,
  queue: { frames: 1_000, bytes: 1_048_576 },
  sessionMs: 60_000,
  pingMs: 12_000,
  pollMs: 30_000,
  closeMs: 2_000,
  handshakeMs: 10_000,
};
