import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ERRORS, type Fault } from "../../core/errors";
import { faultError } from "../engine/error";

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
