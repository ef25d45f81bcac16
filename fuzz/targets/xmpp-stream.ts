import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { WebSocket } from "ws";
import { CHAT_DOMAIN } from "../deployment/deployment";

/** A raw connection to the chat endpoint. */
export interface XmppStream {
  /** All received text. */
  text(): string;
  /** Clears the received text. */
  forget(): void;
  write(bytes: string | Buffer, binary?: boolean): void;
  /** Waits until the received text matches. Resolves to false if the stream ends before. */
  receives(pattern: RegExp): Promise<boolean>;
  isOpen(): boolean;
  pause(): void;
  resume(): void;
  end(): void;
  destroy(): void;
  closed: Promise<void>;
}

/** Transports, by the URL schemes of the banner. */
export type Transport = "ws" | "wss" | "xmpp" | "xmpps";

/** Maximum length of the received text that is kept, in characters. */
const KEPT = 400_000;
/** Timeout of an answer on an open stream, in milliseconds. */
const RECEIVE_MS = 20_000;

const HEADER = `<?xml version='1.0'?><stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" to="${CHAT_DOMAIN}" version="1.0">`;
const OPEN = `<open xmlns="urn:ietf:params:xml:ns:xmpp-framing" to="${CHAT_DOMAIN}" version="1.0"/>`;

/** The stream header of a transport. */
export const header = (transport: Transport): string =>
  transport.startsWith("ws") ? OPEN : HEADER;
/** The stream end of a transport. */
export const footer = (transport: Transport): string =>
  transport.startsWith("ws")
    ? '<close xmlns="urn:ietf:params:xml:ns:xmpp-framing"/>'
    : "</stream:stream>";

/** Collects received text, and waits for matches. */
class Received {
  private received = "";
  private over = false;
  private waiting: Array<() => void> = [];

  push(text: string): void {
    if (this.received.length < KEPT) this.received += text;
    this.turn();
  }
  end(): void {
    this.over = true;
    this.turn();
  }
  text = () => this.received;
  forget = () => {
    this.received = "";
  };

  async receives(pattern: RegExp): Promise<boolean> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.turn();
    }, RECEIVE_MS);
    while (!pattern.test(this.received) && !this.over && !late) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    clearTimeout(timer);
    return pattern.test(this.received);
  }

  private turn(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** Connects, without STARTTLS on `xmpp:`. @returns null if the connection is refused */
export async function openStream(transport: Transport, url: string): Promise<XmppStream | null> {
  if (transport.startsWith("ws")) return openWebSocket(url);
  const { hostname, port } = new URL(url);
  const socket =
    transport === "xmpps"
      ? connectTls({ host: hostname, port: Number(port), ...TLS })
      : connect(Number(port), hostname);
  socket.on("error", () => undefined);
  const ready = transport === "xmpps" ? "secureConnect" : "connect";
  const opened = await Promise.race([
    once(socket, ready).then(() => true),
    once(socket, "close").then(() => false),
  ]).catch(() => false);
  return opened ? streamOf(socket) : null;
}

const TLS = { rejectUnauthorized: false, servername: CHAT_DOMAIN, ALPNProtocols: ["xmpp-client"] };

/** A TCP stream, which supports STARTTLS. */
export interface TcpStream extends XmppStream {
  /** Upgrades to TLS. @returns null if that fails */
  secure(): Promise<XmppStream | null>;
}

function streamOf(socket: Socket): TcpStream {
  const received = new Received();
  const read = (chunk: Buffer) => received.push(chunk.toString("utf8"));
  socket.on("data", read);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => received.end());
  return {
    text: received.text,
    forget: received.forget,
    receives: (pattern) => received.receives(pattern),
    write: (bytes) => void socket.write(bytes),
    isOpen: () => socket.readyState === "open",
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    closed,
    async secure() {
      socket.off("data", read);
      const inner = connectTls({ socket, ...TLS });
      inner.on("error", () => undefined);
      const opened = await Promise.race([
        once(inner, "secureConnect").then(() => true),
        closed.then(() => false),
      ]).catch(() => false);
      return opened ? streamOf(inner) : null;
    },
  };
}

async function openWebSocket(url: string): Promise<XmppStream | null> {
  const socket = new WebSocket(url, "xmpp", { rejectUnauthorized: false });
  const received = new Received();
  socket.on("message", (data) => received.push(String(data)));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => received.end());
  const opened = await new Promise<boolean>((resolve) => {
    socket.on("error", () => resolve(false));
    socket.once("open", () => resolve(true));
  });
  if (!opened) return null;
  const isOpen = () => socket.readyState === WebSocket.OPEN;
  return {
    text: received.text,
    forget: received.forget,
    receives: (pattern) => received.receives(pattern),
    write: (bytes, binary = false) => {
      if (isOpen()) socket.send(bytes, { binary });
    },
    isOpen,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end: () => socket.close(),
    destroy: () => socket.terminate(),
    closed,
  };
}
