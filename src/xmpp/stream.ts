import type { Element } from "ltx";
import type { Log } from "../core/log";
import { type StreamCondition, streamError } from "./error";
import { isHost } from "./jid";
import { CLIENT, XmlRefusal } from "./xml";

/** How a stream begins and ends on a transport (RFC 7395 section 3.3, RFC 6120 section 4.2). */
export interface Framing {
  isOpen(element: Element): boolean;
  isClose(element: Element): boolean;
  /** The header that answers the client's. */
  open(domain: string, id: string): string;
  /** The end of the stream. */
  close: string;
}

/** What carries one stream. */
export interface Transport {
  /** Address of the client. */
  readonly ip: string;
  /** The web page's origin, where a browser named one. */
  readonly origin: string | undefined;
  /** Whether a password may cross it: encrypted, or not beyond this machine. */
  readonly trusted: boolean;
  readonly framing: Framing;
  /** Writes one element; must not throw. */
  write(xml: string): void;
  /** Bytes written that the client has not taken yet. */
  backlog(): number;
  /** Stops reading, and reads again. */
  hold(): void;
  release(): void;
  /** Asks the client for a sign of life by the transport's own means. */
  probe(): void;
  /** Ends in order, after what was written. */
  end(): void;
  /** Ends at once. */
  abort(): void;
}

/** Bounds of one stream. */
export interface StreamLimits {
  /** Milliseconds that negotiation may take, for signing in and again for binding. */
  negotiationMs: number;
  /** Milliseconds of silence after which the client is pinged, and again until it is given up. */
  idleMs: number;
  /** Milliseconds after which a closing stream is cut. */
  closeMs: number;
  /** Bytes that may wait for a client that does not read. */
  backlogBytes: number;
  /** Elements that may wait for their turn; beyond, the transport stops reading. */
  queue: number;
}

/** The side of the stream that knows what is said on it. */
export interface Peer {
  /** What is offered after the header. */
  features(): string;
  /** Takes an element, one at a time; what it throws ends the stream. */
  element(element: Element): void | Promise<void>;
  /** A ping to write on an idle stream. */
  ping(): string;
  /** The stream is over; called once. */
  closed(): void;
}

/** One XMPP stream: headers, order of elements, errors, bounds and silence, on any transport. */
export class Stream {
  /** Bytes of an element at most, as readers of the transport ask for it. */
  bytes = 8_192;
  readonly #queue: (() => Element | null)[] = [];
  #busy = false;
  #held = false;
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
    private readonly id: string,
    private readonly limits: StreamLimits,
    private readonly log: Log,
    private readonly peer: Peer,
  ) {
    this.#deadline = this.#startDeadline();
  }

  /** Whether nothing is read or written any more. */
  get closing(): boolean {
    return this.#closing;
  }

  #startDeadline(): NodeJS.Timeout {
    return setTimeout(
      () => this.fail("connection-timeout", "The negotiation took too long"),
      this.limits.negotiationMs,
    );
  }

  /**
   * Takes input in the order it came. It is read when its turn comes, under the limits that then hold.
   * @param read answers the element, or null for a sign of life alone
   */
  push(read: () => Element | null): void {
    if (this.#closing) return;
    this.alive();
    this.#queue.push(read);
    if (!this.#held && this.#queue.length >= this.limits.queue) {
      this.#held = true;
      this.transport.hold();
    }
    if (!this.#busy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let read = this.#queue.shift(); read && !this.#closing; read = this.#queue.shift()) {
      try {
        const element = read();
        if (element) await this.#take(element);
      } catch (error) {
        this.#failed(error);
      }
      if (this.#held && this.#queue.length <= this.limits.queue / 2) {
        this.#held = false;
        this.transport.release();
      }
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
    if (framing.isClose(element)) return this.#finish();
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
    this.send(this.transport.framing.open(this.domain, this.id));
  }

  /** Expects a new header, as after signing in (RFC 6120 section 6.4.6). */
  restart(): void {
    this.#awaitsHeader = true;
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

  /** Writes an element, and gives up a client that does not read. */
  send(xml: string): void {
    if (this.#closing) return;
    this.transport.write(xml);
    if (this.transport.backlog() <= this.limits.backlogBytes) return;
    this.fail("resource-constraint", "Too much waits to be read");
  }

  /** Ends the stream with an error (RFC 6120 section 4.9). */
  fail(condition: StreamCondition, text?: string): void {
    if (this.#closing) return;
    // An error stands inside a stream, so the header goes first.
    if (!this.#open) {
      this.#open = true;
      this.transport.write(this.transport.framing.open(this.domain, this.id));
    }
    this.transport.write(streamError(condition, text));
    this.#finish();
  }

  #finish(): void {
    this.#end();
    this.transport.write(this.transport.framing.close);
    this.transport.end();
    this.#cut = setTimeout(() => this.transport.abort(), this.limits.closeMs);
  }

  /** The transport is gone. */
  lost(): void {
    clearTimeout(this.#cut);
    if (!this.#closing) this.#end();
  }

  #end(): void {
    this.#closing = true;
    this.#queue.length = 0;
    clearTimeout(this.#deadline);
    clearTimeout(this.#idle);
    this.peer.closed();
  }
}
