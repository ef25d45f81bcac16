import { createHash } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { AsyncQueue } from "./async-queue";

/** The chat server's side of a component connection. */
export interface AcceptedConnection {
  /** Everything received after the handshake, as text. */
  received(): string;
  /** Writes raw text or bytes. */
  write(text: string | Buffer): void;
  /** Whether pings are answered. */
  answersPings: boolean;
  /** Drops the connection. */
  drop(): void;
  closed: Promise<void>;
}

/** A chat server that accepts components (XEP-0114) and is controlled by the test. */
export interface ComponentServer {
  port: number;
  /** The next accepted connection. */
  accepted(): Promise<AcceptedConnection>;
  /** Number of connections that were refused: because of a wrong digest, or because another one is open. */
  refused(): number;
  close(): Promise<void>;
}

const STREAM_ID = "3BF96D32";

/**
 * Starts a server with this secret, on a free port by default.
 * @param single whether it accepts one connection at a time, as Prosody does
 */
export async function startComponentServer(
  secret: string,
  port = 0,
  single = false,
): Promise<ComponentServer> {
  const links = new AsyncQueue<AcceptedConnection>();
  const sockets = new Set<Socket>();
  const accepted = new Set<Socket>();
  let refused = 0;
  const digest = createHash("sha1")
    .update(STREAM_ID + secret)
    .digest("hex");
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    let link: AcceptedConnection | null = null;
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      text += data.toString();
      if (link) {
        const pings = /<iq [^>]*id="([^"]+)"[^>]*><ping/g;
        const ids = [...data.toString().matchAll(pings)].map(([, id]) => id);
        for (const id of link.answersPings ? ids : [])
          link.write(`<iq type="result" from="chat.example" id="${id}"/>`);
        return;
      }
      if (text.includes("<stream:stream") && !text.includes("<handshake>")) {
        socket.write(
          `<?xml version='1.0'?><stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' id='${STREAM_ID}'>`,
        );
      }
      const received = /<handshake>([0-9a-f]+)<\/handshake>/.exec(text)?.[1];
      if (received === undefined) return;
      const isTaken = single && accepted.size > 0;
      if (received !== digest || isTaken) {
        refused += 1;
        const condition = isTaken ? "conflict" : "not-authorized";
        socket.end(
          `<stream:error><${condition} xmlns='urn:ietf:params:xml:ns:xmpp-streams'/><text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>No</text></stream:error></stream:stream>`,
        );
        return;
      }
      accepted.add(socket);
      socket.once("close", () => accepted.delete(socket));
      text = "";
      link = {
        answersPings: true,
        received: () => text,
        write: (xml) => void socket.write(xml),
        drop: () => socket.destroy(),
        closed,
      };
      socket.write("<handshake/>");
      links.push(link);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => links.next(),
    refused: () => refused,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
