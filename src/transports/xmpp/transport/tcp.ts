import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { unmapIpv4 } from "../../../core/client-address";
import { closeGradually } from "../../../core/close-gradually";
import type { Log } from "../../../core/log";
import { type ListenAddress, type ListeningPort, listen } from "../../../core/startup/listen";
import type { LiveCertificate } from "../../../core/tls/certificate";
import { attribute, isElement } from "../../../platform/xml/ltx-element";
import { CLIENT_NS } from "../../../platform/xml/strict-reader";
import { acceptClient, type Endpoint } from "../c2s/c2s";
import type { Stream } from "../stream/stream";
import type { Framing, Transport } from "../stream/transport";
import { isStreamEnd, StreamReader } from "./stream-reader";

/** XMPP over TCP (RFC 6120 section 3), with STARTTLS or direct TLS (XEP-0368). */

const STREAMS = "http://etherx.jabber.org/streams";

const framing: Framing = {
  isOpen: (element) => isElement(element, "stream", STREAMS),
  isClose: isStreamEnd,
  open: (domain, id) =>
    `<?xml version="1.0"?><stream:stream xmlns="${CLIENT_NS}" xmlns:stream="${STREAMS}"${attribute("from", domain)}${attribute("id", id)} version="1.0" xml:lang="en">`,
  close: "</stream:stream>",
};

class TcpTransport implements Transport {
  readonly framing = framing;
  readonly origin = undefined;
  readonly stream: Stream;
  private isTrusted = false;
  private reader = new StreamReader();

  private readonly log: Log;

  constructor(
    endpoint: Endpoint,
    private socket: Socket,
    readonly ip: string | null,
    readonly onAuthenticated: () => void,
    private readonly certificate: LiveCertificate,
    tls: boolean,
  ) {
    this.log = endpoint.services.log;
    if (tls) this.encrypt();
    this.stream = acceptClient(endpoint, this);
    this.serve();
  }

  get trusted(): boolean {
    return this.isTrusted;
  }

  get startTls(): (() => void) | undefined {
    return this.isTrusted ? undefined : () => this.secure();
  }

  private secure(): void {
    this.socket.removeAllListeners("data");
    // The new reader discards what arrived in the clear after <starttls/> (CVE-2011-0411).
    this.reader = new StreamReader();
    this.encrypt();
    this.serve();
  }

  private encrypt(): void {
    this.isTrusted = true;
    this.socket = new TLSSocket(this.socket, {
      isServer: true,
      secureContext: this.certificate.context,
      ALPNProtocols: ["xmpp-client"],
    });
    // After the handshake, a socket that no tls.Server created reports a broken record only by this event,
    // and would read further input without end.
    this.socket.on("_tlsError", (error: Error) => this.socket.destroy(error));
  }

  private serve(): void {
    const reader = this.reader;
    this.socket.on("data", (chunk: Buffer) => {
      let fresh = true;
      this.stream.push(chunk.length, () => {
        if (fresh) reader.feed(chunk);
        fresh = false;
        return reader.next(this.stream.maxElementBytes);
      });
    });
    this.socket.on("close", () => this.stream.lost());
    this.socket.on("error", (error) => {
      this.log.debug({ err: error }, "chat socket failed");
      this.socket.destroy();
    });
  }

  restart(): void {
    this.reader.restart();
  }
  write(xml: string): void {
    if (this.socket.writable) this.socket.write(xml);
  }
  backlog(): number {
    return this.socket.writableLength;
  }
  pauseReading(): void {
    this.socket.pause();
  }
  resumeReading(): void {
    this.socket.resume();
  }
  probe(): void {
    // TCP keep-alive takes hours, so the stream's own ping has to do.
  }
  end(): void {
    // A paused socket would never see that the client has closed its side.
    this.socket.resume();
    this.socket.end();
  }
  abort(): void {
    this.socket.destroy();
  }
}

/**
 * Opens a port for XMPP over TCP.
 * @param tls true for direct TLS; false for STARTTLS, which clients must use
 * @throws Error if the port is in use
 */
export async function openTcp(
  endpoint: Endpoint,
  listenAddress: ListenAddress,
  certificate: LiveCertificate,
  tls: boolean,
): Promise<ListeningPort> {
  const streams = new Set<Stream>();
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    // Clients behind a load balancer must not share the limits of its address.
    const address = unmapIpv4(socket.remoteAddress ?? "");
    const ip = endpoint.isProxy(address) ? null : address;
    const release = endpoint.preAuthLimiter.admit(ip, () => socket.destroy());
    if (!release) return void socket.destroy();
    const { stream } = new TcpTransport(endpoint, socket, ip, release, certificate, tls);
    streams.add(stream);
    socket.on("close", () => {
      release();
      streams.delete(stream);
    });
  });
  const port = await listen(server, listenAddress);
  return {
    port,
    async drain(windowMs) {
      server.close();
      await closeGradually(streams, windowMs, (stream) => stream.fail("system-shutdown"));
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const stream of streams) stream.fail("system-shutdown");
      return closed;
    },
  };
}
