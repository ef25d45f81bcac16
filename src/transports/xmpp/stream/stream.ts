import type { Element } from "ltx";
import type { Log } from "../../../core/log";
import { newId } from "../../../core/random";
import { CLIENT_NS, XmlStreamError } from "../../../platform/xml/strict-reader";
import { type StreamCondition, streamError } from "../stanza/error";
import { isHost } from "../stanza/jid";
import { type InboundLimits, InboundThrottle } from "./inbound-throttle";
import type { Transport } from "./transport";

/** Limits of one stream. */
export interface StreamLimits extends InboundLimits {
  /** Maximum time of authentication, and again of binding, in milliseconds. */
  negotiationMs: number;
  /** Idle time after which the client is pinged, and again until it is disconnected, in milliseconds. */
  idleMs: number;
  /** Time after which a closing stream is closed by force, in milliseconds. */
  closeMs: number;
  /** Maximum number of unsent bytes when another element is written. */
  backlogBytes: number;
}

/** Handles the elements and events of a stream. */
export interface StreamHandler {
  /** The stream features to send after the header. */
  features(): string;
  /** Handles an element, one at a time. An exception ends the stream. */
  handleElement(element: Element): void | Promise<void>;
  /** A ping to send on an idle stream. */
  ping(): string;
  /**
   * The stream has ended; called once.
   * @param lost whether the connection broke or timed out, as opposed to an orderly end
   */
  closed(lost: boolean): void;
}

/**
 * One XMPP stream on any transport: headers, element order, stream errors, limits and idle timeout
 * (RFC 6120 section 4).
 */
export class Stream {
  /** Maximum size of an element, in bytes; readers of the transport apply it. */
  maxElementBytes = 8_192;
  private readonly queue: (() => Element | null)[] = [];
  private readonly throttle: InboundThrottle;
  private busy = false;
  private awaitsHeader = true;
  private open = false;
  private isClosing = false;
  private pinged = false;
  private deadline: NodeJS.Timeout;
  private idle: NodeJS.Timeout | undefined;
  private forceClose: NodeJS.Timeout | undefined;

  constructor(
    readonly transport: Transport,
    readonly domain: string,
    private readonly limits: StreamLimits,
    private readonly log: Log,
    private readonly handler: StreamHandler,
  ) {
    this.throttle = new InboundThrottle(limits, transport);
    this.deadline = this.startDeadline();
  }

  /** Whether the stream is closing or closed: nothing more is read or written. */
  get closing(): boolean {
    return this.isClosing;
  }

  /** Whether the client has received what was written, except for a small backlog. */
  get drained(): boolean {
    return this.transport.backlog() <= this.limits.backlogBytes / 16;
  }

  private startDeadline(): NodeJS.Timeout {
    return setTimeout(
      () => this.fail("connection-timeout", "The negotiation took too long"),
      this.limits.negotiationMs,
    );
  }

  /**
   * Queues input. It is parsed in order, under the limits that apply by then.
   * @param bytes size of the input
   * @param read returns the next element of the input, or null when there is none left
   */
  push(bytes: number, read: () => Element | null): void {
    if (this.isClosing) return;
    this.resetIdleTimeout();
    this.queue.push(read);
    this.throttle.setQueueLength(this.queue.length);
    this.countBytes(bytes);
    if (!this.busy) void this.run();
  }

  /** Counts received bytes against the client's rate limit. */
  countBytes(bytes: number): void {
    if (!this.isClosing) this.throttle.countBytes(bytes);
  }

  private async run(): Promise<void> {
    this.busy = true;
    for (let read = this.queue[0]; read && !this.isClosing; read = this.queue[0]) {
      try {
        const element = read();
        if (element) await this.take(element);
        else this.queue.shift();
      } catch (error) {
        this.failed(error);
      }
      this.throttle.setQueueLength(this.queue.length);
    }
    this.busy = false;
  }

  private failed(error: unknown) {
    if (error instanceof XmlStreamError) return this.fail(error.condition, error.message);
    this.log.error({ err: error }, "chat stream failed");
    this.fail("internal-server-error");
  }

  private take(element: Element) {
    const { framing } = this.transport;
    if (framing.isClose(element)) return this.finish(false);
    if (framing.isOpen(element)) return this.header(element);
    if (!this.awaitsHeader) return this.handler.handleElement(element);
    this.fail(element.attrs.xmlns === CLIENT_NS ? "not-authorized" : "invalid-namespace");
  }

  private header(element: Element) {
    const { to, version } = element.attrs;
    if (!this.awaitsHeader) return this.fail("policy-violation", "The stream is already open");
    // A client may name the host of the URL instead of the domain, so any host is accepted.
    if (to !== undefined && !isHost(to)) return this.fail("host-unknown");
    if (version !== undefined && !/^1\.\d+$/.test(version)) return this.fail("unsupported-version");
    this.awaitsHeader = false;
    this.writeHeader();
    this.send(this.handler.features());
  }

  private writeHeader(): void {
    this.open = true;
    // A new stream has a new id (RFC 6120 section 4.7.3).
    this.send(this.transport.framing.open(this.domain, newId()));
  }

  /**
   * The client is authenticated: raises the limits.
   * @param bytes maximum size of an element from now on
   */
  setAuthenticated(bytes: number): void {
    this.maxElementBytes = bytes;
    this.throttle.raiseQueueLimit();
    this.transport.onAuthenticated();
  }

  /** Switches to TLS and discards everything received in the clear (RFC 6120 section 5.4.3.3). */
  startTls(): void {
    this.queue.length = 0;
    this.awaitsHeader = true;
    this.open = false;
    this.transport.startTls?.();
  }

  /** Restarts the stream: expects a new header, as after authentication (RFC 6120 section 6.4.6). */
  restart(): void {
    this.awaitsHeader = true;
    this.open = false;
    this.transport.restart();
    clearTimeout(this.deadline);
    this.deadline = this.startDeadline();
  }

  /** Ends the negotiation and starts the idle timeout. */
  established(): void {
    clearTimeout(this.deadline);
    this.idle = setTimeout(() => this.idleTimeout(), this.limits.idleMs);
  }

  /** Resets the idle timeout. */
  resetIdleTimeout(): void {
    this.pinged = false;
    this.idle?.refresh();
  }

  private idleTimeout(): void {
    if (this.pinged) {
      this.fail("connection-timeout");
      this.transport.abort();
      return;
    }
    this.pinged = true;
    this.transport.probe();
    this.send(this.handler.ping());
    this.idle?.refresh();
  }

  /**
   * Writes an element of any size. If the backlog exceeds the limit, the stream ends with
   * `resource-constraint` instead.
   */
  send(xml: string): void {
    if (this.isClosing) return;
    const full = this.transport.backlog() > this.limits.backlogBytes;
    if (full) this.fail("resource-constraint", "The client reads too slowly");
    else this.transport.write(xml);
  }

  /** Ends the stream with an error (RFC 6120 section 4.9). */
  fail(condition: StreamCondition, text?: string): void {
    if (this.isClosing) return;
    // An error is only valid inside a stream, so the header comes first.
    if (!this.open) {
      this.open = true;
      this.transport.write(this.transport.framing.open(this.domain, newId()));
    }
    this.transport.write(streamError(condition, text));
    this.finish(condition === "connection-timeout");
  }

  private finish(onConnectionClosed: boolean): void {
    this.end(onConnectionClosed);
    this.transport.write(this.transport.framing.close);
    this.transport.end();
    this.forceClose = setTimeout(() => this.transport.abort(), this.limits.closeMs);
  }

  /** The connection is closed. */
  lost(): void {
    clearTimeout(this.forceClose);
    if (!this.isClosing) this.end(true);
  }

  private end(lost: boolean): void {
    this.isClosing = true;
    this.queue.length = 0;
    this.throttle.stop();
    clearTimeout(this.deadline);
    clearTimeout(this.idle);
    this.handler.closed(lost);
  }
}
