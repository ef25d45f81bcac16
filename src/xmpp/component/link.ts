import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Element } from "ltx";
import type { Log } from "../../core/log";
import { attribute } from "../element";
import { readFrame, XmlRefusal } from "../xml";
import { Backoff } from "./backoff";
import { Frames } from "./frames";

const ACCEPT = "jabber:component:accept";
const STREAMS = "http://etherx.jabber.org/streams";
/** Bytes that the wrapping of a copied stanza may add to it. */
const WRAPPING = 2_048;

/** Where and as whom to attach. */
export interface LinkOptions {
  server: { host: string; port: number };
  /** Name of the component at the chat server. */
  name: string;
  secret: string;
  /** Bytes of a stanza within a copy at most. */
  stanzaBytes: number;
  log: Log;
  /** Milliseconds that attaching may take. */
  attachMs?: number;
}

/** What a link tells. */
export interface LinkEvents {
  /** The chat server has accepted the component. */
  up(): void;
  /** Attached no more; called once after each `up`. */
  down(): void;
  /** A stanza, read strictly; one at a time. */
  stanza(element: Element): void;
  /** A stanza that could not be read. */
  unreadable(): void;
}

/**
 * The connection of this node to a chat server as an external component (XEP-0114), made anew whenever
 * it is lost.
 */
export class Link {
  #socket: Socket | undefined;
  #up = false;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #gone: Promise<void> = Promise.resolve();
  readonly #backoff = new Backoff();

  constructor(
    private readonly options: LinkOptions,
    private readonly events: LinkEvents,
  ) {}

  /** Whether stanzas can be written. */
  get up(): boolean {
    return this.#up;
  }

  /** Begins to attach, and goes on trying; calling it again tries at once. */
  attach(): void {
    if (this.#closed || this.#socket) return;
    clearTimeout(this.#retry);
    const { server, attachMs = 10_000 } = this.options;
    const socket = connect(server.port, server.host);
    this.#socket = socket;
    socket.setNoDelay(true);
    const deadline = setTimeout(() => socket.destroy(new Error("no answer")), attachMs);
    let reason = "the connection ended";
    const refuse = (text: string) => {
      reason = text;
      socket.destroy();
    };
    const read = this.#reader(deadline, refuse);
    socket.on("connect", () => {
      const head = attribute("to", this.options.name);
      socket.write(`<stream:stream xmlns="${ACCEPT}" xmlns:stream="${STREAMS}"${head}>`);
    });
    socket.on("data", read);
    socket.on("error", (error) => {
      reason = error.message;
    });
    this.#gone = new Promise((resolve) => {
      socket.on("close", () => {
        clearTimeout(deadline);
        this.#lost(reason);
        resolve();
      });
    });
  }

  /** Writes a stanza; only while the link is up. */
  write(xml: string): void {
    // In the default namespace of the stream, so that servers and clients see it as their own.
    this.#socket?.write(xml.replace(' xmlns="jabber:client"', ""));
  }

  /** Stops reading while what was read is worked on, and reads on. */
  hold(): void {
    this.#socket?.pause();
  }
  release(): void {
    this.#socket?.resume();
  }

  /** Gives up a connection on which nothing is answered; the next is made soon. */
  abort(reason: string): void {
    this.#socket?.destroy(new Error(reason));
  }

  /** Detaches for good, after what was written. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const socket = this.#socket;
    if (!socket) return;
    const cut = setTimeout(() => socket.destroy(), 1_000);
    if (this.#up) socket.end("</stream:stream>");
    else socket.destroy();
    await this.#gone;
    clearTimeout(cut);
  }

  #reader(deadline: NodeJS.Timeout, refuse: (reason: string) => void): (chunk: Buffer) => void {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const frames = new Frames(this.options.stanzaBytes + WRAPPING, {
      header: (tag) => this.#shakeHands(tag, refuse),
      frame: (xml) => this.#frame(xml, deadline, refuse),
      end: () => refuse("the chat server ended the stream"),
    });
    return (chunk) => {
      try {
        frames.push(decoder.decode(chunk, { stream: true }));
      } catch (error) {
        refuse(error instanceof XmlRefusal ? error.message : "the stream is not UTF-8");
      }
    };
  }

  #shakeHands(tag: string, refuse: (reason: string) => void) {
    const quoted = tag.split(/\sid=(?=["'])/, 2)[1] ?? "";
    const value = quoted.slice(1).split(quoted.charAt(0), 1)[0];
    // Without an id there is an error to come, as for a name that the server does not know.
    if (!value || !tag.includes(ACCEPT))
      return value ? refuse("it takes no components") : undefined;
    const digest = createHash("sha1").update(value + this.options.secret);
    this.#socket?.write(`<handshake>${digest.digest("hex")}</handshake>`);
  }

  #frame(xml: string | null, deadline: NodeJS.Timeout, refuse: (reason: string) => void) {
    if (xml?.startsWith("<stream:")) return refuse(streamProblem(xml));
    const element = xml === null ? null : this.#read(xml);
    if (!element) {
      // No warning: a client of the chat server can cause it with each stanza. The metrics count it.
      this.options.log.debug(
        "a stanza of the chat server is too long or no XMPP, and is passed over",
      );
      return this.events.unreadable();
    }
    if (this.#up) return this.events.stanza(element);
    if (element.name !== "handshake") return;
    clearTimeout(deadline);
    this.#up = true;
    this.#backoff.reset();
    this.options.log.info({ component: this.options.name }, "attached to the chat server");
    this.events.up();
  }

  #read(xml: string): Element | null {
    try {
      return readFrame(xml, this.options.stanzaBytes + WRAPPING);
    } catch {
      return null;
    }
  }

  #lost(reason: string): void {
    const wasUp = this.#up;
    this.#socket = undefined;
    this.#up = false;
    if (wasUp) this.events.down();
    if (this.#closed) return;
    const wait = this.#backoff.next();
    this.options.log.warn({ reason, retryMs: wait }, "not attached to the chat server");
    this.#retry = setTimeout(() => this.attach(), wait);
  }
}

/** The condition of a stream error (RFC 6120 section 4.9), or what else stands in its place. */
function streamProblem(xml: string): string {
  const tags = xml.split("<");
  const condition = tags.find((tag) => tag.includes("urn:ietf:params:xml:ns:xmpp-streams"));
  const text = tags.find((tag) => tag.startsWith("text"))?.split(">", 2)[1];
  return [/^[a-z-]+/.exec(condition ?? "")?.[0] ?? "a stream error", text]
    .filter(Boolean)
    .join(": ");
}
