import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/** A TCP proxy in front of a server, which keeps all bytes that the server sends. */
export interface ByteRecorder {
  port: number;
  /** What clients have received so far. */
  received(): string;
  close(): Promise<void>;
}

/** Starts a recording proxy to a local port. */
export async function recordBytes(port: number): Promise<ByteRecorder> {
  const chunks: Buffer[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    upstream.on("data", (data) => chunks.push(data));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received: () => Buffer.concat(chunks).toString("latin1"),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A WebSocket proxy, which keeps the messages of both sides. */
export interface MessageRecorder {
  url: string;
  /** The messages so far, parsed. */
  messages(): unknown[];
  close(): Promise<void>;
}

/** Starts a recording proxy to one of the two APIs of a Janus. */
export async function recordMessages(url: string): Promise<MessageRecorder> {
  const texts: string[] = [];
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (near, request) => {
    const far = new WebSocket(url, request.headers["sec-websocket-protocol"]);
    const opened = once(far, "open");
    opened.catch(() => undefined);
    near.on("message", async (data) => {
      texts.push(String(data));
      await opened.catch(() => undefined);
      if (far.readyState === WebSocket.OPEN) far.send(String(data));
    });
    far.on("message", (data) => {
      texts.push(String(data));
      near.send(String(data));
    });
    for (const socket of [near, far]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        near.terminate();
        far.terminate();
      });
    }
  });
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: () => texts.map((text) => JSON.parse(text) as unknown),
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate();
        server.close(() => resolve());
      }),
  };
}
