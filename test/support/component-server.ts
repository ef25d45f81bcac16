import { createHash } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Arrivals } from "./arrivals";

/** The chat server's end of one link. */
export interface AcceptedLink {
  /** Everything that was received after the handshake, as text. */
  received(): string;
  /** Writes as it stands. */
  write(text: string | Buffer): void;
  /** Whether pings are answered. */
  answers: boolean;
  /** Drops the connection. */
  cut(): void;
  closed: Promise<void>;
}

/** A chat server that takes one component (XEP-0114) and does as it is told. */
export interface ComponentServer {
  port: number;
  /** The next link that was accepted. */
  accepted(): Promise<AcceptedLink>;
  /** How many were refused for a wrong digest. */
  refused(): number;
  close(): Promise<void>;
}

const STREAM_ID = "3BF96D32";

/** Starts one with this secret, on a free port or on one that it had before. */
export async function startComponentServer(secret: string, port = 0): Promise<ComponentServer> {
  const links = new Arrivals<AcceptedLink>();
  const sockets = new Set<Socket>();
  let refused = 0;
  const digest = createHash("sha1")
    .update(STREAM_ID + secret)
    .digest("hex");
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    let link: AcceptedLink | null = null;
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      text += data.toString();
      if (link) {
        const pings = /<iq [^>]*id="([^"]+)"[^>]*><ping/g;
        const ids = [...data.toString().matchAll(pings)].map(([, id]) => id);
        for (const id of link.answers ? ids : [])
          link.write(`<iq type="result" from="chat.example" id="${id}"/>`);
        return;
      }
      if (text.includes("<stream:stream") && !text.includes("<handshake>")) {
        socket.write(
          `<?xml version='1.0'?><stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' id='${STREAM_ID}'>`,
        );
      }
      const shown = /<handshake>([0-9a-f]+)<\/handshake>/.exec(text)?.[1];
      if (shown === undefined) return;
      if (shown !== digest) {
        refused += 1;
        socket.end(
          "<stream:error><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>",
        );
        return;
      }
      text = "";
      link = {
        answers: true,
        received: () => text,
        write: (xml) => void socket.write(xml),
        cut: () => socket.destroy(),
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
