import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ERRORS, type Fault } from "../../../core/errors";
import { faultError } from "../engine/error";

/** Headers of a protocol upgrade (RFC 7540 section 3.2), and the Connection options that name them. */
const UPGRADE_HEADERS = new Set(["upgrade", "http2-settings"]);

/**
 * Serves a request as if it had not requested an upgrade, as RFC 9110 section 7.8 permits: some HTTP/2
 * clients request `h2c` with their first request to any server. Node detaches such a socket from the HTTP
 * server, so the request is written back without the upgrade headers and the socket is reattached.
 * @param head the bytes read after the request's header
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
    const kept = name.toLowerCase() === "connection" ? withoutUpgradeOptions(value) : value;
    if (kept !== "" && !UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${kept}`);
  }
  // Node decodes header lines as Latin-1.
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  socket.unshift(Buffer.concat([request, head]));
  server.emit("connection", socket);
}

function withoutUpgradeOptions(options: string): string {
  return options
    .split(",")
    .filter((option) => !UPGRADE_HEADERS.has(option.trim().toLowerCase()))
    .join(",");
}

/**
 * Refuses a WebSocket upgrade with an HTTP response in GraphQL's error format, and closes the connection
 * (RFC 6455 section 4.2.2).
 */
export function refuseUpgrade(socket: Duplex, fault: Fault): void {
  const { http: status } = ERRORS[fault.code];
  const body = JSON.stringify({ errors: [faultError(fault).toJSON()] });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (fault.retryAfter !== undefined) lines.push(`Retry-After: ${fault.retryAfter}`);
  socket.once("finish", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
