import { once } from "node:events";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { DOMAIN } from "./job";
import { CLIENT, type XmppTransport } from "./wire";

/** The only offered cipher, so that all servers use the same one. */
const CIPHER = "TLS_AES_128_GCM_SHA256";
/** The certificate is not verified: it is self-signed for this run, on the loopback address. */
const context = createSecureContext({ minVersion: "TLSv1.3", ciphers: CIPHER });
const END = "</message>";

/** XMPP over TCP with direct TLS (RFC 6120, XEP-0368). */
class TlsWire implements XmppTransport {
  readonly xmlns = "";
  readonly header =
    `<stream:stream to="${DOMAIN}" version="1.0" xmlns="${CLIENT}" xmlns:stream="http://etherx.jabber.org/streams">`;
  onText: (text: string) => void = () => undefined;
  onEnd: (reason: string) => void = () => undefined;
  /** A message that has not arrived completely. */
  private partial = "";

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
    let text = this.partial + chunk;
    for (let end = text.indexOf(END); end >= 0; end = text.indexOf(END)) {
      this.onText(text.slice(0, end + END.length));
      text = text.slice(end + END.length);
    }
    this.partial = text.includes("<message") ? text : "";
    if (text !== "" && this.partial === "") this.onText(text);
  }
}

/** Connects to a local endpoint. @throws Error if that fails or the server selects another cipher */
export async function openTls(port: number): Promise<XmppTransport> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    servername: DOMAIN,
    secureContext: context,
    ALPNProtocols: ["xmpp-client"],
    rejectUnauthorized: false,
  });
  await once(socket, "secureConnect");
  socket.setNoDelay(true);
  const { name } = socket.getCipher();
  if (name !== CIPHER) throw new Error(`the server selected ${name}`);
  return new TlsWire(socket);
}
