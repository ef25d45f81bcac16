import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Element } from "ltx";
import type { Log } from "../../../core/log";
import { randomInteger } from "../../../core/random";
import { attribute } from "../../../platform/xml/ltx-element";
import { readFrame, XmlStreamError } from "../../../platform/xml/strict-reader";
import { StanzaSplitter } from "./stanza-splitter";

const RETRY_FIRST_MS = 250;
/** Shorter than the time that a signal waits to be sent, so that another node takes over in time. */
const RETRY_MAX_MS = 4_000;

const ACCEPT = "jabber:component:accept";
const STREAMS = "http://etherx.jabber.org/streams";
/**
 * Condition with which a chat server refuses a second connection of a component, as Prosody does (RFC 6120 section
 * 4.9.3.3): another node has the connection.
 */
const CONFLICT = "conflict";
/** Maximum number of bytes that forwarding adds to a stanza. */
const FORWARDING_BYTES = 2_048;

/** Options of a {@link ComponentConnection}. */
export interface ConnectionOptions {
  server: { host: string; port: number };
  /** Domain name of the component. */
  name: string;
  secret: string;
  /** Maximum size of a forwarded stanza, in bytes. */
  stanzaBytes: number;
  log: Log;
  /** Maximum time of connecting and authenticating, in milliseconds. */
  connectTimeoutMs?: number;
}

/** Events of a {@link ComponentConnection}. */
export interface ConnectionEvents {
  /** The chat server has accepted the component. */
  up(): void;
  /** The connection is lost; called once after each `up`. */
  down(): void;
  /** A valid stanza. */
  stanza(element: Element): void;
  /** A stanza that is invalid or too long. */
  invalidStanza(): void;
}

/**
 * The connection of this node to a chat server as an external component (XEP-0114). Reconnects whenever the
 * connection is lost.
 */
export class ComponentConnection {
  private socket: Socket | undefined;
  private connected = false;
  private closed = false;
  /** Whether the last attempt was refused because another node is connected. */
  private waiting = false;
  private retryTimer: NodeJS.Timeout | undefined;
  private socketClosed: Promise<void> = Promise.resolve();
  private readonly backoff = new Backoff();

  constructor(
    private readonly options: ConnectionOptions,
    private readonly events: ConnectionEvents,
  ) {}

  /** Whether stanzas can be written. */
  get up(): boolean {
    return this.connected;
  }

  /** Connects, with retries until it succeeds. Another call during a back-off delay retries immediately. */
  connect(): void {
    if (this.closed || this.socket) return;
    clearTimeout(this.retryTimer);
    const { server, connectTimeoutMs = 10_000 } = this.options;
    const socket = connect(server.port, server.host);
    this.socket = socket;
    socket.setNoDelay(true);
    const deadline = setTimeout(() => socket.destroy(new Error("no response")), connectTimeoutMs);
    // The first one counts: the end of the stream follows an error of the stream.
    let reason: string | undefined;
    const disconnect = (text: string) => {
      reason ??= text;
      socket.destroy();
    };
    const read = this.reader(deadline, disconnect);
    socket.on("connect", () => {
      const head = attribute("to", this.options.name);
      socket.write(`<stream:stream xmlns="${ACCEPT}" xmlns:stream="${STREAMS}"${head}>`);
    });
    socket.on("data", read);
    socket.on("error", (error) => {
      reason ??= error.message;
    });
    this.socketClosed = new Promise((resolve) => {
      socket.on("close", () => {
        clearTimeout(deadline);
        this.disconnected(reason ?? "the connection was closed");
        resolve();
      });
    });
  }

  /** Writes a stanza. The connection must be up. */
  write(xml: string): void {
    // Without its own namespace, a stanza is in the stream's default namespace, as servers expect.
    this.socket?.write(xml.replace(' xmlns="jabber:client"', ""));
  }

  /** Pauses reading (back-pressure). */
  pauseReading(): void {
    this.socket?.pause();
  }

  /** Resumes reading. */
  resumeReading(): void {
    this.socket?.resume();
  }

  /** Closes an unresponsive connection; a new one is made after the back-off delay. */
  abort(reason: string): void {
    this.socket?.destroy(new Error(reason));
  }

  /** Disconnects for good, after sending what was written. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retryTimer);
    const socket = this.socket;
    if (!socket) return;
    const forceClose = setTimeout(() => socket.destroy(), 1_000);
    if (this.connected) socket.end("</stream:stream>");
    else socket.destroy();
    await this.socketClosed;
    clearTimeout(forceClose);
  }

  private reader(
    deadline: NodeJS.Timeout,
    disconnect: (reason: string) => void,
  ): (chunk: Buffer) => void {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const splitter = new StanzaSplitter(this.options.stanzaBytes + FORWARDING_BYTES, {
      header: (tag) => this.handshake(tag, disconnect),
      stanza: (xml) => this.handle(xml, deadline, disconnect),
      end: () => disconnect("the chat server ended the stream"),
    });
    return (chunk) => {
      try {
        splitter.push(decoder.decode(chunk, { stream: true }));
      } catch (error) {
        disconnect(error instanceof XmlStreamError ? error.message : "the stream is not UTF-8");
      }
    };
  }

  private handshake(tag: string, disconnect: (reason: string) => void) {
    const quoted = tag.split(/\sid=(?=["'])/, 2)[1] ?? "";
    const id = quoted.slice(1).split(quoted.charAt(0), 1)[0];
    // A header without an id precedes a stream error, for example for an unknown component name.
    if (!id) return;
    if (!tag.includes(ACCEPT)) return disconnect("the port does not accept components");
    const digest = createHash("sha1").update(id + this.options.secret);
    this.socket?.write(`<handshake>${digest.digest("hex")}</handshake>`);
  }

  private handle(
    xml: string | null,
    deadline: NodeJS.Timeout,
    disconnect: (reason: string) => void,
  ) {
    if (xml?.startsWith("<stream:")) return disconnect(describeStreamError(xml));
    const element = xml === null ? null : this.parse(xml);
    if (!element) {
      // Not a warning, since any client of the chat server can cause it. A metric counts it.
      this.options.log.debug("ignored a stanza of the chat server that is too long or invalid");
      return this.events.invalidStanza();
    }
    if (this.connected) return this.events.stanza(element);
    if (element.name !== "handshake") return;
    clearTimeout(deadline);
    this.connected = true;
    this.waiting = false;
    this.backoff.reset();
    this.options.log.info({ component: this.options.name }, "connected to the chat server");
    this.events.up();
  }

  private parse(xml: string): Element | null {
    try {
      return readFrame(xml, this.options.stanzaBytes + FORWARDING_BYTES);
    } catch {
      return null;
    }
  }

  private disconnected(reason: string): void {
    const wasUp = this.connected;
    this.socket = undefined;
    this.connected = false;
    if (wasUp) this.events.down();
    if (this.closed) return;
    const retryMs = this.backoff.next();
    this.logDisconnection(reason, retryMs, wasUp);
    this.retryTimer = setTimeout(() => this.connect(), retryMs);
  }

  /** A node that waits for the connection of another one says so once: each attempt is refused, for as long as that lasts. */
  private logDisconnection(reason: string, retryMs: number, wasUp: boolean): void {
    const { log, name } = this.options;
    const wasWaiting = this.waiting;
    this.waiting = !wasUp && reason.split(":", 1)[0] === CONFLICT;
    if (!this.waiting) log.warn({ reason, retryMs }, "not connected to the chat server");
    else if (wasWaiting) log.debug({ reason, retryMs }, "still waiting for the chat server");
    else {
      log.info(
        { component: name },
        "another node is connected to the chat server; this one connects when that connection ends",
      );
    }
  }
}

/** The condition and text of a stream error (RFC 6120 section 4.9). */
function describeStreamError(xml: string): string {
  const tags = xml.split("<");
  const condition = tags.find((tag) => tag.includes("urn:ietf:params:xml:ns:xmpp-streams"));
  const text = tags.find((tag) => tag.startsWith("text"))?.split(">", 2)[1];
  return [/^[a-z-]+/.exec(condition ?? "")?.[0] ?? "a stream error", text]
    .filter(Boolean)
    .join(": ");
}

/** Exponential back-off with jitter, so that nodes do not reconnect at the same time. */
class Backoff {
  private delay = RETRY_FIRST_MS;

  /** The delay before the next attempt, in milliseconds; half of it is random. */
  next(): number {
    const delay = this.delay;
    this.delay = Math.min(delay * 2, RETRY_MAX_MS);
    return randomInteger(delay / 2, delay);
  }

  /** Starts again with the first delay, after a successful attempt. */
  reset(): void {
    this.delay = RETRY_FIRST_MS;
  }
}
