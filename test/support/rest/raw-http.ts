import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Writes bytes to a new connection, half-closes it, and reads until it is closed. */
export function exchange(bytes: string | Buffer, port: number): Promise<string> {
  return converse(port, (socket) => socket.end(bytes));
}

/** Writes bytes to a new connection, and reads until the server closes it. */
export function request(bytes: string | Buffer, port: number): Promise<string> {
  return converse(port, (socket) => socket.write(bytes));
}

async function converse(port: number, say: (socket: Socket) => void): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // A reset connection is a valid result.
  socket.on("error", () => undefined);
  const closed = once(socket, "close").catch(() => undefined);
  say(socket);
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

/** Headers of a raw request whose connection is closed after the response. */
export const HEAD = "Host: x\r\nConnection: close\r\n";
/** Content-Type header line for JSON. */
export const TYPE = "Content-Type: application/json\r\n";

/** A raw POST request; the headers include the framing. */
export function post(path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\n${HEAD}${headers}\r\n${body}`;
}
