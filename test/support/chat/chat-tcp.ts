import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { SaxesParser } from "saxes";
import { FrameQueue } from "../frame-queue";
import { trustOptions } from "../operations/certificates";
import type { RawClient, RawSocket } from "./raw-client";

const FRAMING = 'xmlns="urn:ietf:params:xml:ns:xmpp-framing"';
const STREAM = 'xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams"';
const STARTTLS = '<starttls xmlns="urn:ietf:params:xml:ns:xmpp-tls"/>';

/** Converts a frame of RFC 7395 to its form in RFC 6120. */
export function toTcp(frame: string): string {
  const open = new RegExp(`^<open ${FRAMING}([^>]*?)/>$`).exec(frame);
  if (open) return `<?xml version='1.0'?><stream:stream ${STREAM}${open[1]}>`;
  return new RegExp(`^<close ${FRAMING} ?/>$`).test(frame) ? "</stream:stream>" : frame;
}

/** Splits a server's stream into frames of RFC 7395. */
export class FrameSplitter {
  private text = "";
  private parser = this.newParser();

  constructor(private readonly frame: (text: string) => void) {}

  private newParser(): SaxesParser {
    const parser = new SaxesParser();
    let depth = 0;
    let from = 0;
    const cut = () => {
      const text = this.text.slice(from, parser.position);
      from = parser.position;
      return text;
    };
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentag", () => {
      depth += 1;
      if (depth === 1) {
        const [, rest] = new RegExp(`<stream:stream ${STREAM}(.*)>$`).exec(cut()) ?? [];
        this.frame(`<open ${FRAMING}${rest}/>`);
      }
    });
    parser.on("closetag", () => {
      depth -= 1;
      if (depth === 1) this.element(cut(), from);
      if (depth === 0) this.frame(`<close ${FRAMING} />`);
    });
    return parser;
  }

  private element(text: string, end: number): void {
    this.frame(text);
    if (!text.startsWith("<success ")) return;
    // A new stream begins: the rest has to be parsed again with a new parser.
    const rest = this.text.slice(end);
    throw new Restart(rest);
  }

  /** Adds received text. */
  push(text: string): void {
    this.text += text;
    try {
      this.parser.write(text);
    } catch (error) {
      if (!(error instanceof Restart)) throw error;
      this.text = "";
      this.parser = this.newParser();
      this.push(error.rest);
    }
  }
}

class Restart extends Error {
  constructor(readonly rest: string) {
    super("restart");
  }
}

function addressOf(url: string) {
  return { host: new URL(url).hostname, port: Number(new URL(url).port) };
}

/** Connects to the STARTTLS port without sending anything. */
export async function connectClear(url: string): Promise<Socket> {
  const socket = connectSocket(addressOf(url));
  await once(socket, "connect");
  socket.on("error", () => {});
  return socket;
}

/** Reads from a socket until the text arrives. Returns everything read. */
export async function readUntil(socket: Socket, text: string): Promise<string> {
  let all = "";
  while (!all.includes(text)) {
    const data = await Promise.race([once(socket, "data"), once(socket, "close")]);
    if (!(data[0] instanceof Buffer)) throw new Error(`closed: ${all}`);
    all += data[0];
  }
  return all;
}

/** Starts TLS on a socket after `<proceed/>`. */
export async function upgrade(socket: Socket): Promise<TLSSocket> {
  const secure = connectTls({ socket, ...(await trustOptions()) });
  await once(secure, "secureConnect");
  return secure;
}

async function connectSecure(url: string): Promise<Socket> {
  if (url.startsWith("xmpps:")) {
    const secure = connectTls({
      ...addressOf(url),
      ...(await trustOptions()),
      ALPNProtocols: ["xmpp-client"],
    });
    await once(secure, "secureConnect");
    return secure;
  }
  const socket = await connectClear(url);
  socket.write(toTcp(`<open ${FRAMING} to="chat.example" version="1.0"/>`));
  await readUntil(socket, "</stream:features>");
  socket.write(STARTTLS);
  await readUntil(socket, "<proceed ");
  return upgrade(socket);
}

/** Connects over `xmpp:` (with STARTTLS) or `xmpps:`, as {@link connectRaw} does. */
export async function connectTcp(url: string): Promise<RawClient> {
  const socket = await connectSecure(url);
  const frames = new FrameQueue();
  const splitter = new FrameSplitter((frame) => frames.push(frame));
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => splitter.push(text));
  let ended = false;
  socket.on("end", () => {
    ended = true;
  });
  socket.on("error", () => {});
  socket.on("close", () => frames.end(ended ? 1000 : 1006));
  const raw: RawSocket = {
    get bufferedAmount() {
      return socket.writableLength;
    },
    get readyState() {
      return socket.readyState === "open" ? 1 : 3;
    },
    pause: () => void socket.pause(),
    terminate: () => void socket.destroy(),
  };
  return {
    socket: raw,
    send: (frame) => void socket.write(typeof frame === "string" ? toTcp(frame) : frame),
    received: frames.received,
    next: frames.next,
    rest: frames.rest,
  };
}
