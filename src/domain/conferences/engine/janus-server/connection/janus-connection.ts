import { type RawData, WebSocket } from "ws";
import { randomInteger } from "../../../../../core/random";
import { inSpan } from "../../../../../core/tracing";
import { mediaServerUnavailable } from "./janus-faults";
import { type JanusMessage, parseJanusMessage } from "./janus-messages";
import type { JanusEndpoint } from "./janus-options";
import { JanusTransactions } from "./janus-transactions";

/** Interval of pings, in milliseconds. After two without any message Janus counts as hung: at most 2.4 s. */
const PING_MS = 800;
const MISSES_MAX = 2;
const CONNECT_TIMEOUT_MS = 1_000;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 1_000;
/**
 * Maximum size of a message, in bytes. Every response is about one room or handle, so that no number of rooms reaches
 * it: the largest response contains the record of a full room, less than 64 KiB.
 */
const MESSAGE_MAX = 4 * 1024 * 1024;

/** A request to Janus; the connection adds the secret and the transaction. */
export interface VideoRoomRequest {
  janus: string;
  session_id?: number;
  handle_id?: number;
  [property: string]: unknown;
}

/** Events of a {@link VideoRoomConnection}. */
export interface JanusConnectionEvents {
  /** The socket is open. When this rejects, the socket is closed and opened again after a delay. */
  connected(): Promise<void>;
  /** `connected` has resolved. */
  ready(): void;
  /** The connection is lost; called once after each `ready`. */
  disconnected(reason: string): void;
  /** A message that is no response. */
  message(message: JanusMessage): void;
  /** An attempt to connect has failed. */
  failed?(reason: string): void;
}

/** The WebSocket of this node to a Janus server. It reconnects whenever the connection is lost. */
export class VideoRoomConnection {
  private socket: WebSocket | undefined;
  private established = false;
  private closed = false;
  private heard = false;
  private reason = "";
  private misses = 0;
  private retryMs = RETRY_FIRST_MS;
  private retryTimer: NodeJS.Timeout | undefined;
  private pingTimer: NodeJS.Timeout | undefined;
  private readonly transactions = new JanusTransactions();

  constructor(
    private readonly endpoint: JanusEndpoint,
    private readonly events: JanusConnectionEvents,
  ) {}

  /** Whether the connection is open and `connected` has resolved. */
  get up(): boolean {
    return this.established;
  }

  /** Connects, with retries until it succeeds. */
  connect(): void {
    const socket = new WebSocket(this.endpoint.url, this.endpoint.protocol, {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      maxPayload: MESSAGE_MAX,
      perMessageDeflate: false,
    });
    this.socket = socket;
    this.reason = "the connection was closed";
    socket.on("open", () => {
      this.startPings(socket);
      this.events.connected().then(
        () => {
          if (this.socket !== socket || socket.readyState !== WebSocket.OPEN) return;
          this.established = true;
          this.retryMs = RETRY_FIRST_MS;
          this.events.ready();
        },
        (error: unknown) => {
          this.reason = error instanceof Error ? error.message : String(error);
          socket.terminate();
        },
      );
    });
    socket.on("message", (data) => {
      this.heard = true;
      this.receive(data);
    });
    socket.on("error", (error) => {
      this.reason = error.message;
    });
    socket.on("close", () => this.socketClosed());
  }

  /**
   * Sends a request.
   * @param acknowledged whether the acknowledgement is the response
   * @throws VideoRoomError, or Fault UNAVAILABLE
   */
  request(request: VideoRoomRequest, acknowledged = false): Promise<JanusMessage> {
    return inSpan(`media ${request.janus}`, "client", {}, () => this.send(request, acknowledged));
  }

  private async send(request: VideoRoomRequest, acknowledged: boolean): Promise<JanusMessage> {
    const { socket } = this;
    if (socket?.readyState !== WebSocket.OPEN) throw mediaServerUnavailable();
    return this.transactions.open((transaction) => {
      socket.send(JSON.stringify({ ...request, transaction, ...this.endpoint.secret }));
    }, acknowledged);
  }

  /** Closes a connection that is of no use any more; a new one is opened after a delay. */
  abort(reason: string): void {
    this.reason = reason;
    this.socket?.terminate();
  }

  /** Disconnects for good. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retryTimer);
    const { socket } = this;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const forceClose = setTimeout(() => socket.terminate(), 1_000);
    socket.close();
    await closed;
    clearTimeout(forceClose);
  }

  private receive(data: RawData): void {
    const message = parseJanusMessage(data.toString());
    if (!message) return;
    if (!this.transactions.settle(message)) this.events.message(message);
  }

  private startPings(socket: WebSocket): void {
    this.misses = 0;
    this.heard = true;
    clearInterval(this.pingTimer);
    this.pingTimer = setInterval(() => {
      // A blocked event loop runs timers before it reads the responses that have arrived.
      setImmediate(() => this.ping(socket));
    }, PING_MS);
  }

  private ping(socket: WebSocket): void {
    if (this.socket !== socket || socket.readyState !== WebSocket.OPEN) return;
    this.misses = this.heard ? 0 : this.misses + 1;
    if (this.misses >= MISSES_MAX) {
      this.abort("it does not answer");
      return;
    }
    this.heard = false;
    // A missing response is noticed by the next ping.
    this.request({ janus: "ping" }).catch(() => undefined);
  }

  private socketClosed(): void {
    const reason = this.reason;
    const wasUp = this.established;
    this.established = false;
    clearInterval(this.pingTimer);
    this.transactions.fail();
    if (this.closed) return;
    if (wasUp) this.events.disconnected(reason);
    else this.events.failed?.(reason);
    if (this.closed) return;
    const delay = randomInteger(this.retryMs / 2, this.retryMs);
    if (wasUp || this.retryMs < RETRY_MAX_MS) {
      const { log, name } = this.endpoint;
      log.warn({ reason, retryMs: delay }, `not connected to ${name}`);
    }
    this.retryMs = Math.min(this.retryMs * 2, RETRY_MAX_MS);
    this.retryTimer = setTimeout(() => this.connect(), delay);
  }
}
