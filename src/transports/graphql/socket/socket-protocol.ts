import type { IncomingMessage } from "node:http";
import {
  CloseCode,
  type Message,
  MessageType,
  makeServer,
  parseMessage,
  type ServerOptions,
} from "graphql-ws";
import type { RawData, WebSocket } from "ws";
import { type Fault, toFault } from "../../../core/errors";
import { exceedsDepth } from "../../../core/json";
import type { Log } from "../../../core/log";
import { writeText } from "../../../core/text-frame";
import { VALUE_LEVELS } from "../engine/document-rules";
import { OPERATION_ID_MAX, SocketOperations } from "./socket-operations";

/** The context's `extra` in graphql-ws handlers. */
export interface SocketExtra {
  socket: WebSocket;
  request: IncomingMessage;
  /** Its operations. graphql-ws knows them by the ids of this list, not by those of the client. */
  operations: SocketOperations;
  /**
   * Why the current message is refused, or null. graphql-ws calls its handlers synchronously, before the next
   * message.
   */
  overLimit: Fault | null;
}

/** graphql-ws's error for a message type that only servers may send. */
const SERVER_ONLY_MESSAGE = /^Unexpected message of type \w+ received$/;

/** Dependencies and settings of {@link serveGraphqlSocket}. */
export interface SocketOptions {
  log: Log;
  /** Interval between pings, and timeout of a ping's answer, in milliseconds. */
  keepAliveMs: number;
  /** Close code for a client that keeps sending beyond its rate limit. */
  overLimitCode: number;
  /** Creates a rate limiter of a socket's messages, which returns why a message is refused. */
  createMessageLimiter(request: IncomingMessage): () => Fault | null;
}

/** Number of consecutive refused messages after which the socket is closed, since parsing them costs too. */
const REFUSED_MAX = 20;
/** Maximum length of a close frame's reason in bytes (RFC 6455 section 5.5). */
const REASON_BYTES = 123;

/**
 * Serves graphql-transport-ws (graphql-ws's PROTOCOL.md) on ws sockets. It replaces graphql-ws's own adapter,
 * which logs client errors to the console and sends the messages of internal errors to the client.
 * @returns the handler of a newly opened socket
 */
export function serveGraphqlSocket<Params extends Record<string, unknown>>(
  options: ServerOptions<Params, SocketExtra>,
  { log, keepAliveMs, overLimitCode, createMessageLimiter }: SocketOptions,
): (socket: WebSocket, request: IncomingMessage) => void {
  const server = makeServer<Params, SocketExtra>(options);
  return (socket, request) => {
    const operations = new SocketOperations();
    const extra: SocketExtra = { socket, request, operations, overLimit: null };
    const checkLimit = createMessageLimiter(request);
    let refused = 0;
    /** Counts a message before it is parsed. @returns false if the socket is closed */
    const admit = () => {
      extra.overLimit = checkLimit();
      refused = extra.overLimit ? refused + 1 : 0;
      if (extra.overLimit && refused > REFUSED_MAX) {
        socket.close(overLimitCode, extra.overLimit.message);
      }
      return socket.readyState === socket.OPEN;
    };
    const stopPings = keepAlive(socket, keepAliveMs, admit);
    const fail = (error: unknown) => {
      // The message type exists, but clients must not send it (PROTOCOL.md, close code 4400).
      if (error instanceof Error && SERVER_ONLY_MESSAGE.test(error.message)) {
        return socket.close(CloseCode.BadRequest, "Invalid message received");
      }
      const fault = toFault(error);
      if (fault !== error) log.error({ err: error }, "a GraphQL socket failed");
      socket.close(CloseCode.InternalServerError, fault.message);
    };
    const closed = server.opened(
      {
        protocol: socket.protocol,
        async send(data) {
          const message = operations.address(data);
          if (message === null) return;
          if (message.followed) sendWithNext(extra, message.text);
          else await send(extra, message.text);
        },
        close: (code, reason) => socket.close(code, reason),
        onPing: (payload) => send(extra, pong(payload)),
        onMessage: (handle) =>
          socket.on("message", (data: RawData) => {
            // graphql-ws's types omit that it also takes messages that are parsed.
            const take = handle as (message: unknown) => Promise<void>;
            if (admit()) receive(extra, String(data), take).catch(fail);
          }),
      },
      extra,
    );
    // On a protocol error (invalid frame, message too large) ws closes the socket by itself.
    socket.on("error", (error) => log.debug({ err: error }, "GraphQL socket protocol error"));
    socket.once("close", (code, reason) => {
      stopPings();
      operations.cancelAll();
      Promise.resolve(closed(code, String(reason))).catch(fail);
    });
  };
}

/**
 * Handles a message. graphql-ws gets each operation under an id that it has not seen before, because it ends what it
 * finds under an id, which may be a later operation than the one that the client has completed.
 * @param handle graphql-ws's handler; resolves once the operation of a `subscribe` message has ended
 */
async function receive(
  { socket, operations }: SocketExtra,
  text: string,
  handle: (message: Message) => Promise<void>,
): Promise<void> {
  let message: Message;
  try {
    message = parseMessage(text);
  } catch {
    return socket.close(CloseCode.BadRequest, "Invalid message received");
  }
  if (message.type === MessageType.Complete) {
    const operation = operations.cancel(message.id);
    if (operation) await handle({ ...message, id: operation.id });
  } else if (message.type === MessageType.Subscribe) {
    if (message.id.length > OPERATION_ID_MAX) {
      return socket.close(CloseCode.BadRequest, "The id of an operation is too long");
    }
    const operation = operations.start(message.id);
    if (!operation) return closeDuplicate(socket, message.id);
    try {
      await handle({ ...message, id: operation.id });
    } finally {
      await operations.end(operation);
    }
  } else await handle(message);
}

function closeDuplicate(socket: WebSocket, id: string): void {
  const reason = `Subscriber for ${id} already exists`;
  const fits = Buffer.byteLength(reason) <= REASON_BYTES;
  socket.close(CloseCode.SubscriberAlreadyExists, fits ? reason : "Subscriber already exists");
}

/**
 * Resolves once the message is written to the system's socket buffer, so that a slow client gets
 * back-pressure. Also resolves if the socket is closed.
 */
function send({ socket, request }: SocketExtra, data: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState !== socket.OPEN) resolve();
    else writeText(request.socket, data, resolve);
  });
}

/** Sends a message in one write with those that are sent until the current turn of the event loop ends. */
function sendWithNext({ socket, request }: SocketExtra, data: string): void {
  if (socket.readyState !== socket.OPEN) return;
  const connection = request.socket;
  connection.cork();
  writeText(connection, data);
  process.nextTick(() => connection.uncork());
}

/** A pong with the ping's payload, unless that nests too deeply to be serialized. */
function pong(payload: unknown): string {
  const echoed = exceedsDepth(payload, VALUE_LEVELS) ? undefined : payload;
  return JSON.stringify({ type: MessageType.Pong, payload: echoed ?? undefined });
}

/**
 * Pings a socket at an interval, and terminates it if a ping is not answered before the next.
 * @param onUnsolicited called for pings of the client and for unsolicited pongs
 */
function keepAlive(socket: WebSocket, ms: number, onUnsolicited: () => void): () => void {
  let waiting = false;
  const timer = setInterval(() => {
    if (waiting) return socket.terminate();
    if (socket.readyState !== socket.OPEN) return;
    waiting = true;
    socket.ping();
  }, ms);
  socket.on("ping", onUnsolicited);
  socket.on("pong", () => {
    if (!waiting) onUnsolicited();
    waiting = false;
  });
  return () => clearInterval(timer);
}
