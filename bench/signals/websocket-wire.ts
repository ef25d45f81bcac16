import { once } from "node:events";
import { WebSocket } from "ws";
import { DOMAIN } from "./job";
import { CLIENT, type XmppTransport } from "./wire";

/** XMPP over WebSocket (RFC 7395), with one element per message. */
class WebSocketWire implements XmppTransport {
  readonly xmlns = ` xmlns="${CLIENT}"`;
  readonly header =
    `<open xmlns="urn:ietf:params:xml:ns:xmpp-framing" to="${DOMAIN}" version="1.0"/>`;
  onText: (text: string) => void = () => undefined;
  onEnd: (reason: string) => void = () => undefined;

  constructor(private readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => this.onText(data.toString("latin1")));
    socket.once("close", (code: number) => this.onEnd(`closed with ${code}`));
    socket.on("error", (error) => this.onEnd(error.message));
  }

  send(text: string): void {
    this.socket.send(text);
  }

  close(): void {
    this.socket.terminate();
  }
}

/** Connects to an endpoint without TLS. @throws Error if that fails */
export async function connectWebSocket(url: string): Promise<XmppTransport> {
  const socket = new WebSocket(url, ["xmpp"], { perMessageDeflate: false });
  await once(socket, "open");
  return new WebSocketWire(socket);
}
