import type { IncomingMessage } from "node:http";
import { CloseCode, MessageType, makeServer, type ServerOptions } from "graphql-ws";
import type { RawData, WebSocket } from "ws";
import { type Fault, toFault } from "../../core/errors";
import type { Log } from "../../core/log";
import { nestsDeeper } from "../../core/nesting";
import { VALUE_LEVELS } from "../operation/document-rules";

/** What the handlers of a socket find in the context's `extra`. */
export interface SocketExtra {
  socket: WebSocket;
  request: IncomingMessage;
  /**
   * Why the message that is being taken is refused; null where it is not. graphql-ws calls its handlers
   * before it takes the next.
   */
  overLimit: Fault | null;
}

/** What graphql-ws throws over a message that servers alone send. */
const SERVERS_MESSAGE = /^Unexpected message of type \w+ received$/;

/** What a socket is served with. */
export interface SocketParts {
  log: Log;
  /** Milliseconds between pings, and until one that is not answered ends the socket. */
  keepAliveMs: number;
  /** Close code for who sends on although nothing is taken any more. */
  overLimitCode: number;
  /** What counts the messages of a socket when they arrive, and says why one is refused. */
  counterOf(request: IncomingMessage): () => Fault | null;
}

/** Messages in a row that are refused before the socket is closed: reading what they ask is work as well. */
const REFUSED_MAX = 20;

/**
 * Speaks graphql-transport-ws (graphql-ws's PROTOCOL.md) on sockets of ws. It does what the adapter
 * that comes with graphql-ws does, but that one writes what a client sends wrong to the console, and
 * the texts of inner errors to the client.
 * @returns what takes a socket that was just opened
 */
export function speakGraphql<Params extends Record<string, unknown>>(
  options: ServerOptions<Params, SocketExtra>,
  { log, keepAliveMs, overLimitCode, counterOf }: SocketParts,
): (socket: WebSocket, request: IncomingMessage) => void {
  const server = makeServer<Params, SocketExtra>(options);
  return (socket, request) => {
    const extra: SocketExtra = { socket, request, overLimit: null };
    const arrive = counterOf(request);
    let refused = 0;
    /** Counts a message, before it is read; false where the socket is closed for it. */
    const admit = () => {
      extra.overLimit = arrive();
      refused = extra.overLimit ? refused + 1 : 0;
      if (extra.overLimit && refused > REFUSED_MAX) {
        socket.close(overLimitCode, extra.overLimit.message);
      }
      return socket.readyState === socket.OPEN;
    };
    const stopPings = keepAlive(socket, keepAliveMs, admit);
    const fail = (error: unknown) => {
      // The protocol has this message, and a client must not send it (PROTOCOL.md, 4400).
      if (error instanceof Error && SERVERS_MESSAGE.test(error.message)) {
        return socket.close(CloseCode.BadRequest, "Invalid message received");
      }
      const fault = toFault(error);
      if (fault !== error) log.error({ err: error }, "a GraphQL socket failed");
      socket.close(CloseCode.InternalServerError, fault.message);
    };
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => send(socket, data),
        close: (code, reason) => socket.close(code, reason),
        onPing: (payload) => send(socket, pong(payload)),
        onMessage: (take) =>
          socket.on("message", (data: RawData) => {
            if (admit()) take(String(data)).catch(fail);
          }),
      },
      extra,
    );
    // What ws refuses (a broken frame, a message too large) it answers and closes by itself.
    socket.on("error", (error) => log.debug({ err: error }, "a GraphQL socket was refused"));
    socket.once("close", (code, reason) => {
      stopPings();
      Promise.resolve(closed(code, String(reason))).catch(fail);
    });
  };
}

/**
 * Resolves once the system has taken the message, so that a slow reader slows its operations; or when
 * the socket is gone, which its closing tells.
 */
function send(socket: WebSocket, data: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) resolve();
    else socket.send(data, () => resolve());
  });
}

/** The answer to a ping, with what came with it unless that nests deeper than can be written. */
function pong(payload: unknown): string {
  const told = nestsDeeper(payload, VALUE_LEVELS) ? undefined : payload;
  return JSON.stringify({ type: MessageType.Pong, payload: told ?? undefined });
}

/**
 * Pings a socket again and again, and ends it when no answer comes until the next.
 * @param unasked is called for pings of the client, and for answers to none
 */
function keepAlive(socket: WebSocket, ms: number, unasked: () => void): () => void {
  let waiting = false;
  const timer = setInterval(() => {
    if (waiting) return socket.terminate();
    if (socket.readyState !== socket.OPEN) return;
    waiting = true;
    socket.ping();
  }, ms);
  socket.on("ping", unasked);
  socket.on("pong", () => {
    if (!waiting) unasked();
    waiting = false;
  });
  return () => clearInterval(timer);
}
