import type { Element } from "ltx";
import type { Log } from "../core/log";
import { newId } from "../core/random";
import { type StreamCondition, streamError } from "./error";
import { isHost } from "./jid";
import { Intake, type IntakeLimits } from "./transport/intake";
import type { Transport } from "./transport/transport";
import { CLIENT, XmlRefusal } from "./xml";

/** Bounds of one stream. */
export interface StreamLimits extends IntakeLimits {
  /** Milliseconds that negotiation may take, for signing in and again for binding. */
  negotiationMs: number;
  /** Milliseconds of silence after which the client is pinged, and again until it is given up. */
  idleMs: number;
  /** Milliseconds after which a closing stream is cut. */
  closeMs: number;
  /** Bytes that may wait for a client that does not read, besides the last element. */
  backlogBytes: number;
}

/** The side of the stream that knows what is said on it. */
export interface Peer {
  /** What is offered after the header. */
  features(): string;
  /** Takes an element, one at a time; what it throws ends the stream. */
  element(element: Element): void | Promise<void>;
  /** A ping to write on an idle stream. */
  ping(): string;
  /**
   * The stream is over; called once.
   * @param lost whether the client is gone without having ended it: the connection broke or fell silent
   */
  closed(lost: boolean): void;
}

/** One XMPP stream: headers, order of elements, errors, bounds and silence, on any transport. */
export class Stream {
  /** Bytes of an element at most, as readers of the transport ask for it. */
  bytes = 8_192;
  readonly #queue: (() => Element | null)[] = [];
  readonly #intake: Intake;
  #busy = false;
  #awaitsHeader = true;
  #open = false;
  #closing = false;
  #pinged = false;
  #deadline: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  #cut: NodeJS.Timeout | undefined;

  constructor(
    readonly transport: Transport,
    readonly domain: string,
    private readonly limits: StreamLimits,
    private readonly log: Log,
    private readonly peer: Peer,
  ) {
    this.#intake = new Intake(limits, transport);
    this.#deadline = this.#startDeadline();
  }

  /** Whether nothing is read or written any more. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Whether the client has taken what was written, but for a small rest. */
  get idle(): boolean {
    return this.transport.backlog() <= this.limits.backlogBytes / 16;
  }

  #startDeadline(): NodeJS.Timeout {
    return setTimeout(
      () => this.fail("connection-timeout", "The negotiation took too long"),
      this.limits.negotiationMs,
    );
  }

  /**
   * Takes input in the order it came. It is read when its turn comes, under the limits that then hold.
   * @param bytes how much came
   * @param read answers the next element in it, and null when there is none, or no more
   */
  push(bytes: number, read: () => Element | null): void {
    if (this.#closing) return;
    this.alive();
    this.#queue.push(read);
    this.#intake.waiting(this.#queue.length);
    this.count(bytes);
    if (!this.#busy) void this.#run();
  }

  /** Counts what came, against what a client may send. */
  count(bytes: number): void {
    if (!this.#closing) this.#intake.bytes(bytes);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let read = this.#queue[0]; read && !this.#closing; read = this.#queue[0]) {
      try {
        const element = read();
        if (element) await this.#take(element);
        else this.#queue.shift();
      } catch (error) {
        this.#failed(error);
      }
      this.#intake.waiting(this.#queue.length);
    }
    this.#busy = false;
  }

  #failed(error: unknown) {
    if (error instanceof XmlRefusal) return this.fail(error.condition, error.message);
    this.log.error({ err: error }, "chat stream failed");
    this.fail("internal-server-error");
  }

  #take(element: Element) {
    const { framing } = this.transport;
    if (framing.isClose(element)) return this.#finish(false);
    if (framing.isOpen(element)) return this.#header(element);
    if (!this.#awaitsHeader) return this.peer.element(element);
    this.fail(element.attrs.xmlns === CLIENT ? "not-authorized" : "invalid-namespace");
  }

  #header(element: Element) {
    const { to, version } = element.attrs;
    if (!this.#awaitsHeader) return this.fail("policy-violation", "The stream is open already");
    // A client may name the host of the URL in place of the domain, so any host will do.
    if (to !== undefined && !isHost(to)) return this.fail("host-unknown");
    if (version !== undefined && !/^1\.\d+$/.test(version)) return this.fail("unsupported-version");
    this.#awaitsHeader = false;
    this.#writeHeader();
    this.send(this.peer.features());
  }

  #writeHeader(): void {
    this.#open = true;
    // A new stream has a new id (RFC 6120 section 4.7.3).
    this.send(this.transport.framing.open(this.domain, newId()));
  }

  /**
   * The client has signed in, and may say more.
   * @param bytes of an element at most, from now on
   */
  admit(bytes: number): void {
    this.bytes = bytes;
    this.#intake.widen();
    this.transport.admitted();
  }

  /** Goes on inside TLS: what came in the clear is forgotten (RFC 6120 section 5.4.3.3). */
  secure(): void {
    this.#queue.length = 0;
    this.#awaitsHeader = true;
    this.#open = false;
    this.transport.startTls?.();
  }

  /** Expects a new header, as after signing in (RFC 6120 section 6.4.6). */
  restart(): void {
    this.#awaitsHeader = true;
    this.#open = false;
    this.transport.restart();
    clearTimeout(this.#deadline);
    this.#deadline = this.#startDeadline();
  }

  /** Ends the negotiation; from here on silence is watched. */
  established(): void {
    clearTimeout(this.#deadline);
    this.#idle = setTimeout(() => this.#silent(), this.limits.idleMs);
  }

  /** Notes a sign of life. */
  alive(): void {
    this.#pinged = false;
    this.#idle?.refresh();
  }

  #silent(): void {
    if (this.#pinged) {
      this.fail("connection-timeout");
      this.transport.abort();
      return;
    }
    this.#pinged = true;
    this.transport.probe();
    this.send(this.peer.ping());
    this.#idle?.refresh();
  }

  /** Writes an element, and gives up a client that does not read; one alone may be of any size. */
  send(xml: string): void {
    if (this.#closing) return;
    const full = this.transport.backlog() > this.limits.backlogBytes;
    if (full) this.fail("resource-constraint", "Too much waits to be read");
    else this.transport.write(xml);
  }

  /** Ends the stream with an error (RFC 6120 section 4.9). */
  fail(condition: StreamCondition, text?: string): void {
    if (this.#closing) return;
    // An error stands inside a stream, so the header goes first.
    if (!this.#open) {
      this.#open = true;
      this.transport.write(this.transport.framing.open(this.domain, newId()));
    }
    this.transport.write(streamError(condition, text));
    this.#finish(condition === "connection-timeout");
  }

  #finish(lost: boolean): void {
    this.#end(lost);
    this.transport.write(this.transport.framing.close);
    this.transport.end();
    this.#cut = setTimeout(() => this.transport.abort(), this.limits.closeMs);
  }

  /** The transport is gone. */
  lost(): void {
    clearTimeout(this.#cut);
    if (!this.#closing) this.#end(true);
  }

  #end(lost: boolean): void {
    this.#closing = true;
    this.#queue.length = 0;
    this.#intake.end();
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    this.peer.closed(lost);
  }
}
