import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Headers that ask for another protocol (RFC 7540 section 3.2), and options of Connection that name them. */
const ASKING = new Set(["upgrade", "http2-settings"]);

/**
 * Serves a request as if it had not asked for another protocol, which a server may (RFC 9110 section 7.8):
 * HTTP clients that know HTTP/2 ask for `h2c` with their first request, whatever the server speaks. Node
 * takes such a request out of the server, so it goes back in, with what has come behind it.
 * @param head what was read of its body
 */
export function serveWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    const kept = name.toLowerCase() === "connection" ? withoutAsking(value) : value;
    if (kept !== "" && !ASKING.has(name.toLowerCase())) lines.push(`${name}: ${kept}`);
  }
  // Node reads header lines as Latin-1, and so they are written.
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  socket.unshift(Buffer.concat([request, head]));
  server.emit("connection", socket);
}

function withoutAsking(options: string): string {
  const kept = options.split(",").filter((option) => !ASKING.has(option.trim().toLowerCase()));
  return kept.join(",");
}
