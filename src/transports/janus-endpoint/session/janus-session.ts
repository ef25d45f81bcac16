import { timingSafeEqual } from "node:crypto";
import type { Log } from "../../../core/log";
import { hashToken, newSafeInteger } from "../../../core/random";
import type { ParticipantIdentity } from "../../../domain/conferences/model/conference";
import type { ConferenceService } from "../../../domain/conferences/model/conference-service";
import { TokenBucket } from "../../../platform/limits/token-bucket";
import { ackFrame, type Frame, type Reply, type ReplyTo, successFrame } from "../protocol/frames";
import { JanusError } from "../protocol/janus-error";
import type { JanusLimits } from "../protocol/janus-limits";
import type { JanusRequest } from "../protocol/requests";
import { RoomHandle } from "../room/handle";
import type { HandleSession } from "../room/handle-role";
import type { Membership } from "../room/membership";

/** Why a session ends without the client's request. */
export type SessionEnd =
  /** The client was silent for too long. */
  | "timeout"
  /** The token's session has ended, or its web origin is no longer allowed. */
  | "revoked"
  /** The conference is lost: the client must join again. */
  | "lost"
  /** The node shuts down. */
  | "draining";

/** The connection that carries a session's messages. */
export interface JanusConnection {
  readonly transport: "websocket" | "polling";
  /** Unique among the connections of this node. */
  readonly id: string;
  /** Queues a message for the client. */
  send(frame: Frame): void;
  /** Resolves when everything queued is sent. */
  whenDrained(): Promise<void>;
  /** A session was opened on this connection, or has moved to it. */
  sessionOpened(session: JanusSession): void;
  /** Called once, when a session of this connection ends without the client's request: tells the client. */
  sessionEnded(session: JanusSession, reason: SessionEnd): void;
  /** Called when a session of this connection is closed or has moved to another one. */
  sessionLeft(session: JanusSession): void;
}

/** What a session needs. */
export interface SessionOptions {
  identity: ParticipantIdentity;
  /** The token that every request carries. */
  token: string;
  connection: JanusConnection;
  service: ConferenceService;
  limits: JanusLimits;
  log: Log;
  /** Counts a request for the application. @throws Fault LIMITED */
  countRequest(): void;
  /**
   * Called once, when the session has ended for any reason.
   * @param left resolves when its participant has left
   */
  onClosed(session: JanusSession, left: Promise<void>): void;
}

/** A request to a session that exists. */
export type SessionRequest = Exclude<JanusRequest, { kind: "create" }>;

/**
 * A session of the Janus protocol, whatever carries it. It belongs to the session of its token and to one connection.
 * Its ids are random and its own: none of a media server's.
 */
export class JanusSession implements HandleSession {
  readonly id = newSafeInteger();
  readonly identity: ParticipantIdentity;
  readonly service: ConferenceService;
  membership: Membership | null = null;
  joining = false;
  private readonly handles = new Map<number, RoomHandle>();
  /** Handles that are detached, and whose requests or peer connections have not ended yet. */
  private readonly detaching = new Set<RoomHandle>();
  private connection: JanusConnection;
  private readonly tokenHash: Buffer;
  /** Limits the requests; trickled candidates have the limit of the connection alone. */
  private readonly requests: TokenBucket;
  private ended = false;
  private left: Promise<void> | null = null;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SessionOptions) {
    const { requestsPerSecond, requestBurstSeconds } = options.limits;
    this.identity = options.identity;
    this.service = options.service;
    this.connection = options.connection;
    this.tokenHash = hashToken(options.token);
    this.requests = new TokenBucket(requestsPerSecond, requestBurstSeconds);
    this.touch();
  }

  get closed(): boolean {
    return this.ended;
  }

  /** Whether it is the session of this token. */
  hasToken(token: string): boolean {
    return timingSafeEqual(hashToken(token), this.tokenHash);
  }

  /** Counts a request other than trickle. @throws JanusError 490; Fault LIMITED */
  countRequest(): void {
    if (!this.requests.take()) throw new JanusError(490, "Too many requests; try again later");
    this.options.countRequest();
  }

  /** Whether it belongs to this connection. */
  isOn(connection: JanusConnection): boolean {
    return this.connection === connection;
  }

  /** Moves it to another connection of its client. @returns false if that has another transport */
  moveTo(connection: JanusConnection): boolean {
    if (connection === this.connection) return true;
    if (connection.transport !== this.connection.transport) return false;
    this.connection.sessionLeft(this);
    this.connection = connection;
    connection.sessionOpened(this);
    return true;
  }

  /** Restarts the idle timeout. */
  touch(): void {
    clearTimeout(this.idleTimer);
    if (this.ended) return;
    this.idleTimer = setTimeout(() => this.end("timeout"), this.options.limits.sessionMs);
  }

  /** Suspends the idle timeout while a poll waits. */
  holdIdle(): void {
    clearTimeout(this.idleTimer);
  }

  emit(frame: Frame): void {
    if (!this.ended) this.connection.send(frame);
  }

  whenDrained(): Promise<void> {
    return this.connection.whenDrained();
  }

  lose(): void {
    this.end("lost");
  }

  /**
   * Handles a request, and calls `reply` once.
   * @throws JanusError, Fault instead of a reply
   */
  async handle(request: SessionRequest, transaction: string, reply: Reply): Promise<void> {
    const to: ReplyTo = { session_id: this.id, transaction };
    switch (request.kind) {
      case "claim":
        return reply(successFrame(to));
      case "keepalive":
        return reply(ackFrame(to));
      case "attach":
        return reply(successFrame(to, { id: this.attach() }));
      case "destroy":
        reply(successFrame(to));
        return this.close();
      default: {
        const handle = this.handleOf(request.handleId);
        const handling = handle.handle(request, to, reply);
        if (request.kind === "detach") this.detached(handle, handling);
        return handling;
      }
    }
  }

  /** Ends the session, and tells the client. */
  end(reason: SessionEnd): void {
    if (this.ended) return;
    this.connection.sessionEnded(this, reason);
    if (reason === "draining") this.membership?.release();
    void this.close();
  }

  /** Ends the session: detaches its handles, and leaves. Resolves when it has left. */
  close(): Promise<void> {
    if (this.left) return this.left;
    this.ended = true;
    clearTimeout(this.idleTimer);
    this.left = this.leave();
    this.options.onClosed(this, this.left);
    this.connection.sessionLeft(this);
    return this.left;
  }

  private async leave(): Promise<void> {
    // The publisher's handle leaves first, which closes the peer connections of all.
    const { membership } = this;
    const handles = [...this.handles.values()];
    this.handles.clear();
    try {
      await membership?.leave();
    } catch (error) {
      this.logFailure(error);
    }
    await Promise.all(handles.map((handle) => this.closeHandle(handle)));
  }

  private attach(): number {
    const { handlesPerSession, waitingPerHandle } = this.options.limits;
    // A client may replace all its handles at once, but not open ever more while the former ones end.
    if (Math.max(this.handles.size, this.detaching.size) >= handlesPerSession) {
      throw new JanusError(461, `A session has at most ${handlesPerSession} handles`);
    }
    const id = newSafeInteger();
    this.handles.set(id, new RoomHandle(id, this, waitingPerHandle));
    return id;
  }

  /** @param closing settles when the handle is closed, which does not wait for its other requests */
  private detached(handle: RoomHandle, closing: Promise<void>): void {
    this.handles.delete(handle.id);
    this.detaching.add(handle);
    void Promise.allSettled([closing, handle.whenIdle()]).then(() => this.detaching.delete(handle));
  }

  private handleOf(id: number): RoomHandle {
    const handle = this.handles.get(id);
    if (!handle) throw new JanusError(459, "No such handle in this session");
    return handle;
  }

  private async closeHandle(handle: RoomHandle): Promise<void> {
    try {
      await handle.close();
    } catch (error) {
      this.logFailure(error);
    }
  }

  /** The participant's lease ends without this. */
  private logFailure(error: unknown): void {
    this.options.log.warn({ err: error }, "a legacy conference client could not leave");
  }
}
