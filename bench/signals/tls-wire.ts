import { once } from "node:events";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { DOMAIN } from "./job";
import { CLIENT, type Wire } from "./wire";

/** The one cipher that is offered, so that no server has the cheaper one. */
const CIPHER = "TLS_AES_128_GCM_SHA256";
/** Nobody else listens on the loopback address, and the certificate is of this run. */
const context = createSecureContext({ minVersion: "TLSv1.3", ciphers: CIPHER });
const END = "</message>";

/** XMPP over TCP with direct TLS (RFC 6120, XEP-0368). */
class TlsWire implements Wire {
  readonly xmlns = "";
  readonly header =
    `<stream:stream to="${DOMAIN}" version="1.0" xmlns="${CLIENT}" xmlns:stream="http://etherx.jabber.org/streams">`;
  onText: (text: string) => void = () => undefined;
  onEnd: (reason: string) => void = () => undefined;
  /** A message that has not arrived whole. */
  private begun = "";

  constructor(private readonly socket: TLSSocket) {
    socket.on("data", (data: Buffer) => this.read(data.toString("latin1")));
    socket.once("close", () => this.onEnd("closed"));
    socket.on("error", (error) => this.onEnd(error.message));
  }

  send(text: string): void {
    this.socket.write(text);
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: string): void {
    let text = this.begun + chunk;
    for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END)) {
      this.onText(text.slice(0, end + END.length));
      text = text.slice(end + END.length);
    }
    this.begun = text.includes("<message") ? text : "";
    if (text !== "" && this.begun === "") this.onText(text);
  }
}

/** Connects to an endpoint of this machine. @throws Error when it cannot, or takes another cipher */
export async function openTls(port: number): Promise<Wire> {
  const socket = connect({
    ...{ host: "127.0.0.1", port, servername: DOMAIN, secureContext: context },
    ...{ ALPNProtocols: ["xmpp-client"], rejectUnauthorized: false },
  });
  await once(socket, "secureConnect");
  socket.setNoDelay(true);
  const { name } = socket.getCipher();
  if (name !== CIPHER) throw new Error(`the server took ${name}`);
  return new TlsWire(socket);
}
