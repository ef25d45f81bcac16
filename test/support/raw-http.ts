import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Writes bytes to a new connection, ends it, and reads what comes until it is closed. */
export function exchange(bytes: string | Buffer, port: number): Promise<string> {
  return converse(port, (socket) => socket.end(bytes));
}

/** Writes bytes to a new connection, and reads what comes until the server closes it. */
export function request(bytes: string | Buffer, port: number): Promise<string> {
  return converse(port, (socket) => socket.write(bytes));
}

async function converse(port: number, say: (socket: Socket) => void): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // A connection that is cut is an answer too.
  socket.on("error", () => undefined);
  const closed = once(socket, "close").catch(() => undefined);
  say(socket);
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

/** The head of every raw request that is to be answered and closed. */
export const HEAD = "Host: x\r\nConnection: close\r\n";
/** A header of its own line, for bodies of JSON. */
export const TYPE = "Content-Type: application/json\r\n";

/** A raw POST; a length or another framing stands among the headers. */
export function post(path: string, headers: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\n${HEAD}${headers}\r\n${body}`;
}
