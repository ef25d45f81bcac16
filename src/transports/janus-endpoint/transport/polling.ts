import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ERRORS, toFault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import { parseMessage } from "../protocol/fields";
import { errorFrame, type Frame } from "../protocol/frames";
import { JanusError, toJanusError } from "../protocol/janus-error";
import { MESSAGE_BYTES } from "../protocol/janus-limits";
import type { JanusSession } from "../session/janus-session";
import type { JanusSessions } from "../session/janus-sessions";
import { PollingConnection } from "./polling-connection";

/** Path of the long-polling form of the Janus API. */
export const JANUS_PATH = "/janus";

const JSON_TYPE = "application/json; charset=utf-8";
/** Number of events of a poll without `maxev`, which is answered with one object, and the most of one with it. */
const EVENTS_DEFAULT = 1;
const EVENTS_MAX = 100;
/** How long the last event of an ended session can be polled, in milliseconds, and of how many sessions. */
const ENDED_MS = 60_000;
const ENDED_MAX = 1_000;

type Ids = { session?: string; handle?: string };

/**
 * Registers the long-polling form of the Janus API: POST /janus creates a session, POST /janus/{session} and
 * POST /janus/{session}/{handle} take its requests, GET /janus/{session} waits for its events. Errors of the API
 * have status 200, because its clients read no other answer; a poll that can never succeed has 404, because
 * they repeat it at once after 200.
 */
export async function registerJanusPolling(
  server: FastifyInstance,
  sessions: JanusSessions,
): Promise<void> {
  const polling = new Polling(sessions);
  await server.register(async (scope) => {
    // Clients send JSON as application/json and, when a page is closed, as text/plain.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MESSAGE_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      const fault = toFault(error);
      const status = fault === error ? ERRORS[fault.code].http : (error.statusCode ?? 500);
      if (status >= 500 && fault !== error) {
        request.log.error({ err: error, requestId: request.id }, "a conference request failed");
      }
      if (fault.retryAfter !== undefined) reply.header("retry-after", fault.retryAfter);
      const reason = status >= 500 || fault === error ? fault.message : "The request is not valid";
      return send(reply.code(status), errorFrame({}, new JanusError(490, reason)));
    });
    scope.addHook("onRequest", (_request, reply, done) => {
      reply.header("cache-control", "no-store");
      done();
    });
    scope.route({
      method: "POST",
      url: JANUS_PATH,
      config: { counts: "request" },
      handler: (request, reply) => polling.create(request, reply),
    });
    scope.route({
      method: "POST",
      url: `${JANUS_PATH}/:session`,
      config: { counts: "request", hasToken: true },
      handler: (request, reply) => polling.message(request, reply),
    });
    scope.route({
      method: "POST",
      url: `${JANUS_PATH}/:session/:handle`,
      // Trickled candidates are not counted, and are known only once they are parsed.
      config: { counts: "by itself", hasToken: true },
      onRequest: (request, _reply, done) => {
        const fault = polling.countArrival(request);
        done(fault ?? undefined);
      },
      handler: (request, reply) => polling.message(request, reply),
    });
    scope.route({
      method: "GET",
      url: `${JANUS_PATH}/:session`,
      config: { counts: "request", hasToken: true, waits: true },
      handler: (request, reply) => polling.poll(request, reply),
    });
  });
}

/** A connection without sessions: every session is foreign to it. */
function nobody(sessions: JanusSessions): PollingConnection {
  return new PollingConnection(sessions.limits, () => undefined);
}

class Polling {
  private readonly connections = new WeakMap<JanusSession, PollingConnection>();
  /** Sessions that have ended by themselves, with their last events, by id. */
  private readonly ended = new Map<
    number,
    { session: JanusSession; connection: PollingConnection }
  >();

  constructor(private readonly sessions: JanusSessions) {}

  /** POST /janus */
  create(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const connection = new PollingConnection(this.sessions.limits, (session, own) =>
      this.keepEnded(session, own),
    );
    return this.handle(request, reply, connection, {}, (frame) => {
      const id = frame.janus === "success" ? frame.data?.id : undefined;
      const session = typeof id === "number" ? this.sessions.find(id) : undefined;
      if (session) this.connections.set(session, connection);
    });
  }

  /** POST /janus/{session} and /janus/{session}/{handle} */
  message(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { session, handle } = request.params as Ids;
    const path = {
      sessionId: idOf(session),
      ...(handle === undefined ? {} : { handleId: idOf(handle) }),
    };
    const connection = this.connectionOf(request) ?? nobody(this.sessions);
    return this.handle(request, reply, connection, path);
  }

  /** GET /janus/{session} */
  async poll(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = idOf((request.params as Ids).session);
    const { token, maxev } = request.query as Record<string, unknown>;
    const session = this.sessions.find(id) ?? this.ended.get(id)?.session;
    const connection = session && this.connections.get(session);
    // Without its last event, which did not fit into the queue.
    const over = session?.closed && connection?.empty;
    // Another token learns no more than over WebSocket: that it has no such session.
    const isOwn = typeof token === "string" && session?.hasToken(token);
    if (!session || !connection || over || !isOwn) {
      return send(reply.code(404), errorFrame({}, new JanusError(458, "No such session")));
    }
    const max = eventsOf(maxev);
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const { events } = await connection.poll(max, gone.signal);
    // The last event of an ended session was its timeout.
    if (events.length === 0) return send(reply, { janus: "keepalive" });
    if (session.closed && connection.empty) this.ended.delete(id);
    const text = max === EVENTS_DEFAULT ? (events[0] ?? "") : `[${events.join(",")}]`;
    return reply.header("content-type", JSON_TYPE).send(text);
  }

  /** Counts a request to a handle: for its session, or for the address if there is none. */
  countArrival(request: FastifyRequest) {
    const connection = this.connectionOf(request);
    if (connection?.arrivals.take()) return null;
    return this.sessions.deps.limits.countRequest(request.ip ?? "");
  }

  private async handle(
    request: FastifyRequest,
    reply: FastifyReply,
    connection: PollingConnection,
    path: { sessionId?: number; handleId?: number },
    onReply: (frame: Frame) => void = () => undefined,
  ): Promise<FastifyReply> {
    const { limits } = this.sessions.deps;
    const ip = request.ip ?? "";
    const counted = path.handleId === undefined;
    const from = {
      ip,
      origin: request.headers.origin,
      connection,
      path,
      count: () => counted || limits.countRequest(ip) === null,
    };
    try {
      const message = parseMessage(textOf(request.body));
      const frame = await new Promise<Frame>((resolve) => {
        void this.sessions.handle(message, from, resolve);
      });
      onReply(frame);
      return send(reply, frame);
    } catch (error) {
      return send(reply, errorFrame({}, toJanusError(error)));
    }
  }

  private connectionOf(request: FastifyRequest): PollingConnection | undefined {
    const session = this.sessions.find(idOf((request.params as Ids).session));
    return session && this.connections.get(session);
  }

  /** Keeps an ended session for the poll that fetches its `timeout`. */
  private keepEnded(session: JanusSession, connection: PollingConnection): void {
    if (this.ended.size >= ENDED_MAX) return;
    this.ended.set(session.id, { session, connection });
    setTimeout(() => this.ended.delete(session.id), ENDED_MS).unref();
  }
}

/** An id of a path; 0 for other text, which no session or handle has. */
function idOf(text: string | undefined): number {
  return parseId(text ?? "") ?? 0;
}

function eventsOf(value: unknown): number {
  const count = typeof value === "string" ? parseId(value) : null;
  return Math.min(count ?? EVENTS_DEFAULT, EVENTS_MAX);
}

/** @throws JanusError 454 for bytes that are not UTF-8 */
function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body)) return "";
  if (!isUtf8(body)) throw new JanusError(454, "Invalid JSON");
  return body.toString("utf8");
}

function send(reply: FastifyReply, frame: Frame): FastifyReply {
  return reply.header("content-type", JSON_TYPE).send(JSON.stringify(frame));
}
