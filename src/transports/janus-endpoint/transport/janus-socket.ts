import type { WebSocket } from "ws";
import { NO_SESSION } from "../../../core/errors";
import { newId } from "../../../core/random";
import { TokenBucket } from "../../../platform/limits/token-bucket";
import { parseMessage, type Received } from "../protocol/fields";
import { errorFrame, type Frame } from "../protocol/frames";
import { JanusError, toJanusError } from "../protocol/janus-error";
import { EventQueue } from "../session/event-queue";
import type { JanusConnection, JanusSession, SessionEnd } from "../session/janus-session";
import type { JanusSessions } from "../session/janus-sessions";

/** Close codes of IANA's registry. Legacy clients report every one as a lost connection, and may join again. */
const CLOSE = { restart: 1012, unsupported: 1003, policy: 1008, later: 1013 } as const;
/** Why a socket is closed whose session ends. */
const ENDINGS: Record<Exclude<SessionEnd, "timeout">, [code: number, reason: string]> = {
  revoked: [CLOSE.policy, NO_SESSION],
  lost: [CLOSE.restart, "The conference must be joined again"],
  draining: [CLOSE.restart, "Service restart"],
};
/** Minimum size of a frame's header, in bytes, so that empty frames count. */
const HEADER_BYTES = 6;

/** The client of a socket. */
export interface SocketClient {
  ip: string;
  origin: string | undefined;
  /** Call once the client has a session: it no longer counts as unauthenticated. */
  onAuthenticated(): void;
}

/** The Janus protocol on one WebSocket: one JSON object in each text message. */
export class JanusSocket implements JanusConnection {
  readonly transport = "websocket";
  readonly id = newId();
  private readonly opened = new Set<JanusSession>();
  private readonly queue: EventQueue;
  private readonly messages: TokenBucket;
  private readonly bytes: TokenBucket;
  private readonly countRequest: () => boolean;
  private sending = false;
  private closing = false;
  private inProgress = 0;
  private refused = 0;
  private failedSignIns = 0;
  /** Closes a socket without a session. */
  private anonymousTimer: NodeJS.Timeout | undefined;
  private forceTimer: NodeJS.Timeout | undefined;
  private readonly pingTimer: NodeJS.Timeout;
  private awaitsPong = false;

  constructor(
    private readonly sessions: JanusSessions,
    private readonly socket: WebSocket,
    private readonly client: SocketClient,
  ) {
    const { limits, deps } = sessions;
    this.queue = new EventQueue(
      limits.queue,
      () => this.pump(),
      () => socket.terminate(),
    );
    this.messages = new TokenBucket(limits.messagesPerSecond, limits.messageBurstSeconds);
    this.bytes = new TokenBucket(limits.bytesPerSecond, limits.messageBurstSeconds);
    const count = deps.limits.requestCounter(client.ip);
    this.countRequest = () => count() === null;
    this.pingTimer = setInterval(() => this.ping(), limits.pingMs);
    this.startAnonymousTimer();
    this.listen();
  }

  send(frame: Frame): void {
    if (!this.closing) this.queue.push(frame);
  }

  whenDrained(): Promise<void> {
    return this.queue.whenDrained();
  }

  sessionOpened(session: JanusSession): void {
    this.opened.add(session);
    clearTimeout(this.anonymousTimer);
    this.client.onAuthenticated();
    // The socket was lost while the session was opened.
    if (this.socket.readyState !== this.socket.OPEN) this.sessions.connectionLost([session]);
  }

  sessionLeft(session: JanusSession): void {
    this.opened.delete(session);
    if (this.opened.size === 0) this.startAnonymousTimer();
  }

  sessionEnded(session: JanusSession, reason: SessionEnd): void {
    if (reason === "timeout") this.send({ janus: "timeout", session_id: session.id });
    else this.close(...ENDINGS[reason]);
  }

  /** Closes the socket once what is queued is sent. */
  close(code: number = CLOSE.restart, reason = "Service restart"): void {
    if (this.closing) return;
    this.closing = true;
    this.forceTimer = setTimeout(() => this.socket.terminate(), this.sessions.limits.closeMs);
    void this.queue.whenDrained().then(() => this.socket.close(code, reason));
  }

  private listen(): void {
    const { socket } = this;
    socket.on("message", (data: Buffer, isBinary: boolean) => this.receive(data, isBinary));
    socket.on("ping", (data) => this.countBytes(data.length));
    socket.on("pong", (data) => {
      this.awaitsPong = false;
      this.countBytes(data.length);
    });
    // On a protocol error (invalid UTF-8, a message too large) ws closes the socket by itself.
    socket.on("error", (error) => {
      this.sessions.deps.log.debug({ err: error }, "a conference socket failed");
    });
    socket.once("close", () => {
      this.closing = true;
      clearInterval(this.pingTimer);
      clearTimeout(this.forceTimer);
      this.sessions.connectionLost(this.opened);
      clearTimeout(this.anonymousTimer);
      this.queue.clear();
    });
  }

  /** Counts what arrives, before it is parsed. @returns false if the socket is closed */
  private countBytes(count: number): boolean {
    if (this.messages.take() && this.bytes.take(HEADER_BYTES + count)) return !this.closing;
    this.close(CLOSE.later, "Too many messages");
    return false;
  }

  private receive(data: Buffer, isBinary: boolean): void {
    if (!this.countBytes(data.length)) return;
    if (isBinary) return void this.close(CLOSE.unsupported, "Binary messages are not allowed");
    let message: Received;
    try {
      message = parseMessage(String(data));
      if (this.inProgress >= this.sessions.limits.inProgressPerSocket) {
        throw new JanusError(490, "Too many requests in progress");
      }
    } catch (error) {
      const failure = toJanusError(error);
      this.send(errorFrame({}, failure));
      return void this.countFailure(failure);
    }
    void this.handle(message);
  }

  private async handle(message: Received): Promise<void> {
    const { ip, origin } = this.client;
    const from = { ip, origin, connection: this, count: this.countRequest };
    this.inProgress += 1;
    const failure = await this.sessions.handle(message, from, (frame) => this.send(frame));
    this.inProgress -= 1;
    this.countFailure(failure);
  }

  /** Closes the socket of a client that keeps sending what is refused, since refusing costs too. */
  private countFailure(failure: JanusError | null): void {
    const { refusedMax, failedSignIns } = this.sessions.limits;
    const malformed = failure?.counted === "MALFORMED" || failure?.counted === "LIMITED";
    this.refused = malformed ? this.refused + 1 : 0;
    if (this.refused > refusedMax) this.close(CLOSE.later, "Too many refused messages");
    if (failure?.counted === "UNAUTHENTICATED") this.failedSignIns += 1;
    if (this.failedSignIns >= failedSignIns) this.close(CLOSE.policy, NO_SESSION);
  }

  /** Sends the next queued message once the previous one has reached the system's buffer. */
  private pump(): void {
    const { socket } = this;
    if (this.sending || this.queue.length === 0) return;
    if (socket.readyState !== socket.OPEN) return void this.queue.clear();
    this.sending = true;
    const [text = ""] = this.queue.peek(1);
    socket.send(text, () => {
      this.sending = false;
      this.queue.take(1);
      this.pump();
    });
  }

  private ping(): void {
    const { socket } = this;
    if (this.awaitsPong) return void socket.terminate();
    if (socket.readyState !== socket.OPEN) return;
    this.awaitsPong = true;
    socket.ping();
  }

  private startAnonymousTimer(): void {
    clearTimeout(this.anonymousTimer);
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.anonymousTimer = setTimeout(
      () => this.close(CLOSE.policy, "No session"),
      this.sessions.limits.unauthenticatedMs,
    );
  }
}
