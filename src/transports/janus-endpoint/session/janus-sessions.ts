import { networkOf } from "../../../core/client-address";
import { monotonicNow } from "../../../core/clock";
import { closeGradually } from "../../../core/close-gradually";
import type { Config } from "../../../core/config";
import { toFault } from "../../../core/errors";
import type { Log } from "../../../core/log";
import type { Metrics } from "../../../core/metrics";
import type { ApplicationCounters } from "../../../core/statistics/application-counters";
import { type ActiveSpan, failSpan, inServerSpan, isTracingOn } from "../../../core/tracing";
import type { ConferenceService } from "../../../domain/conferences/model/conference-service";
import { KeyCounter } from "../../../platform/limits/key-counter";
import { type OpenSockets, userViewer } from "../../../platform/limits/open-sockets";
import type { RateLimits } from "../../../platform/limits/rate-limits";
import type { Received } from "../protocol/fields";
import { errorFrame, type Frame, type Reply, successFrame } from "../protocol/frames";
import { JanusError, toJanusError } from "../protocol/janus-error";
import { JANUS_LIMITS, type JanusLimits } from "../protocol/janus-limits";
import {
  type JanusRequest,
  type PathIds,
  readEnvelope,
  readRequest,
  transactionOf,
} from "../protocol/requests";
import { type JanusConnection, JanusSession } from "./janus-session";
import { authenticateJanus, type JanusAuthDeps, unauthorized } from "./session-auth";

/** Dependencies of the legacy conference endpoint; the composition root supplies them. */
export interface JanusDeps extends JanusAuthDeps {
  config: Pick<
    Config,
    "HOST" | "CORS_ORIGINS" | "TRUST_PROXY" | "CONFERENCE_WS_PORT" | "CONFERENCE_WSS_PORT"
  >;
  log: Log;
  metrics: Metrics;
  counters: ApplicationCounters;
  limits: Pick<
    RateLimits,
    "countStreamSignIn" | "requestCounter" | "countRequest" | "messageCounter"
  >;
  openSockets: OpenSockets;
  conferences: ConferenceService;
  /** @throws Fault UNAVAILABLE while the node is overloaded and accepts no new sockets */
  admitConnection(): void;
  /** Overrides of the default limits. */
  janusLimits?: Partial<JanusLimits>;
}

/** The connection that a request arrived on. */
export interface RequestOrigin {
  ip: string;
  /** The web page's origin, if a browser sent one. */
  origin: string | undefined;
  connection: JanusConnection;
  /** The ids of a polling request's path; undefined for a message of a socket. */
  path?: PathIds;
  /** Counts a request other than trickle; returns whether it is within the limit of its address. */
  count(): boolean;
}

/** All sessions of the Janus protocol on a node, over both transports. */
export class JanusSessions {
  readonly limits: JanusLimits;
  private readonly sessions = new Map<number, JanusSession>();
  private readonly perConnection = new KeyCounter();
  private readonly perNetwork = new KeyCounter();
  private readonly perToken = new KeyCounter();
  /** Sessions that are leaving. */
  private readonly closing = new Set<Promise<void>>();
  private draining = false;

  constructor(readonly deps: JanusDeps) {
    this.limits = { ...JANUS_LIMITS, ...deps.janusLimits };
  }

  /** The session of an id. */
  find(id: number): JanusSession | undefined {
    return this.sessions.get(id);
  }

  /**
   * Handles a parsed message, and calls `reply` exactly once. Never throws.
   * @returns the error that the client got, or null
   */
  handle(message: Received, from: RequestOrigin, reply: Reply): Promise<JanusError | null> {
    if (!isTracingOn()) return this.handleIn(undefined, message, from, reply);
    return inServerSpan("janus", {}, undefined, (span) =>
      this.handleIn(span, message, from, reply),
    );
  }

  private async handleIn(
    span: ActiveSpan,
    message: Received,
    from: RequestOrigin,
    reply: Reply,
  ): Promise<JanusError | null> {
    const started = monotonicNow();
    let operation = "unknown";
    let replied = false;
    const replyOnce = (frame: Frame) => {
      if (!replied) reply(frame);
      replied = true;
    };
    let failure: JanusError | null = null;
    let sessionId: number | undefined;
    /** Null until the request turns out to belong to one. */
    let application: number | null = null;
    try {
      const envelope = readEnvelope(message, from.path);
      sessionId = envelope.sessionId;
      const request = readRequest(message, envelope);
      operation = request.kind === "message" ? request.body.request : request.kind;
      if (request.kind !== "trickle" && !from.count()) throw tooMany();
      const note = (id: number) => {
        application = id;
      };
      await this.dispatch(request, envelope, { ...from, note }, replyOnce);
    } catch (error) {
      failure = toJanusError(error);
      if (!(error instanceof JanusError) && toFault(error) !== error) {
        this.deps.log.error({ err: error }, "a legacy conference request failed");
      }
      const transaction = transactionOf(message);
      const to = {
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
        ...(transaction === undefined ? {} : { transaction }),
      };
      replyOnce(errorFrame(to, failure));
    }
    this.count(operation, failure, application, started);
    span?.updateName(`janus ${operation}`);
    if (failure) failSpan(span, failure.counted);
    return failure;
  }

  private count(
    operation: string,
    failure: JanusError | null,
    application: number | null,
    started: number,
  ): void {
    const { metrics, counters } = this.deps;
    metrics.operations.inc({ protocol: "janus", operation, code: failure?.counted ?? "OK" });
    metrics.operationSeconds.observe({ protocol: "janus" }, (monotonicNow() - started) / 1000);
    if (application === null) return;
    counters.count(application, "requests");
    if (failure) counters.countError(application, failure.counted);
  }

  /** Ends the sessions that a connection has lost: they leave at once. */
  connectionLost(sessions: Iterable<JanusSession>): void {
    for (const session of [...sessions]) void session.close();
  }

  /** Accepts no new sessions, and ends the open ones, spread over a window in milliseconds. */
  async drain(windowMs: number): Promise<void> {
    this.draining = true;
    await closeGradually(this.sessions.values(), windowMs, (session) => session.end("draining"));
  }

  /** Ends the remaining sessions, and waits until they have left. */
  async close(): Promise<void> {
    this.draining = true;
    for (const session of [...this.sessions.values()]) session.end("draining");
    await Promise.all(this.closing);
  }

  private async dispatch(
    request: JanusRequest,
    { transaction, token }: { transaction: string; token: string },
    from: RequestOrigin & { note(applicationId: number): void },
    reply: Reply,
  ): Promise<void> {
    if (request.kind === "create") {
      const session = await this.create(token, from);
      from.note(session.identity.applicationId);
      return reply(successFrame({ transaction }, { id: session.id }));
    }
    const session = this.sessions.get(request.sessionId);
    if (!session) throw unknownSession();
    if (request.kind === "claim") {
      // To others the session does not exist.
      if (!session.hasToken(token) || !session.moveTo(from.connection)) throw unknownSession();
    } else if (!session.isOn(from.connection)) {
      throw unknownSession();
    }
    if (!session.hasToken(token)) {
      // A session of long polling is found only by its path: to another token it does not exist.
      throw from.connection.transport === "polling" ? unknownSession() : unauthorized();
    }
    from.note(session.identity.applicationId);
    if (request.kind !== "trickle") session.countRequest();
    session.touch();
    await session.handle(request, transaction, reply);
  }

  private async create(token: string, from: RequestOrigin): Promise<JanusSession> {
    if (this.draining) throw new JanusError(472, "Not accepting new sessions");
    const { sessionsPerNetwork, sessionsPerToken, sessionsPerSocket } = this.limits;
    const release: Array<() => void> = [];
    const undo = () => {
      for (const each of release.splice(0)) each();
    };
    const reserve = (counter: KeyCounter, key: string, max: number) => {
      const taken = counter.take(key, max);
      if (!taken) throw tooManySessions();
      release.push(taken);
    };
    try {
      reserve(this.perConnection, from.connection.id, sessionsPerSocket);
      reserve(this.perNetwork, networkOf(from.ip), sessionsPerNetwork);
      let session: JanusSession | null = null;
      let revoked = false;
      const client = await authenticateJanus(this.deps, { token, origin: from.origin }, () => {
        revoked = true;
        session?.end("revoked");
      });
      release.push(client.untrack);
      reserve(this.perToken, String(client.sessionId), sessionsPerToken);
      const open = this.deps.openSockets.admit(userViewer(client.identity.number), from.ip);
      if (!open) throw tooManySessions();
      release.push(open.release);
      if (revoked) throw unauthorized();
      if (this.draining) throw new JanusError(472, "Not accepting new sessions");
      session = this.open(client.identity, token, from.connection, undo);
      return session;
    } catch (error) {
      undo();
      throw error;
    }
  }

  private open(
    identity: JanusSession["identity"],
    token: string,
    connection: JanusConnection,
    release: () => void,
  ): JanusSession {
    const { conferences: service, log, metrics, counters, limits } = this.deps;
    const { applicationId, number: userId } = identity;
    const countMessage = limits.messageCounter({ applicationId, userId });
    const { transport } = connection;
    const uncount = counters.socketOpened(applicationId, "janus");
    const session = new JanusSession({
      identity,
      token,
      connection,
      service,
      limits: this.limits,
      log,
      // The connection has counted it for the address.
      countRequest: () => countMessage(null),
      onClosed: (closed, left) => {
        this.sessions.delete(closed.id);
        metrics.janusSessions.dec({ transport });
        uncount();
        this.closing.add(left);
        // It counts until its participant has left: otherwise a client could open ever more while the former ones
        // leave.
        void left.finally(() => {
          this.closing.delete(left);
          release();
        });
      },
    });
    this.sessions.set(session.id, session);
    metrics.janusSessions.inc({ transport });
    connection.sessionOpened(session);
    return session;
  }
}

function unknownSession(): JanusError {
  return new JanusError(458, "No such session");
}

function tooManySessions(): JanusError {
  return new JanusError(472, "Too many sessions", "LIMITED");
}

function tooMany(): JanusError {
  return new JanusError(490, "Too many requests; try again later");
}
