import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";
import type { GatewayNode } from "./graphql-http";

/** A message of graphql-transport-ws. */
export interface SocketMessage {
  type: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  payload?: any;
}

/** Result of an operation on a socket: data and errors, or errors before execution. */
export interface SocketResult {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  data?: any;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  errors?: any[];
}

/** A signal with the fields selected by {@link GraphqlSocket.listen}. */
export interface ReceivedSignal {
  id: string;
  signalType: string;
  callId: string | null;
  from: { userId: string; device: string | null };
  to: { userId: string };
  /** Present if selected. */
  cursor?: string;
}

const listenTo = (fields: string) => `subscription ($after: String) {
  callSignals(after: $after) { id signalType callId from { userId device } to { userId } ${fields} }
}`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** A low-level client of graphql-transport-ws. */
export interface GraphqlSocket {
  socket: WebSocket;
  /** All messages received so far. */
  received: SocketMessage[];
  /** Resolves when the socket is closed. */
  closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  /** Takes the next message. Rejects if the socket closes first. */
  next(): Promise<SocketMessage>;
  /** Runs a query or a mutation. */
  run(query: string, variables?: Record<string, unknown>): Promise<SocketResult>;
  /**
   * Subscribes to the signals of a user; resolves once the subscription is active.
   * @param fields additional fields to select
   * @param after cursor to resume after
   * @returns the signals received so far
   */
  listen(
    id: string,
    userId: number,
    fields?: string,
    after?: string,
  ): Promise<() => ReceivedSignal[]>;
  close(): Promise<void>;
}

/** Connects without sending anything. */
export async function connectSocket(
  node: GatewayNode,
  options: ClientOptions = {},
  protocol = "graphql-transport-ws",
): Promise<GraphqlSocket> {
  const socket = new WebSocket(node.graphqlUrl.replace(/^http/, "ws"), protocol, options);
  const received: SocketMessage[] = [];
  let taken = 0;
  let count = 0;
  let ended: { code: number; reason: string } | undefined;
  const wake: Array<() => void> = [];
  const change = () => new Promise<void>((resolve) => wake.push(resolve));
  const notify = () => {
    for (const resolve of wake.splice(0)) resolve();
  };
  socket.on("message", (data) => {
    received.push(JSON.parse(String(data)));
    notify();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => {
      ended = { code, reason: String(reason) };
      resolve(ended);
      notify();
    });
  });
  await once(socket, "open");
  socket.on("error", () => undefined);
  const send = (message: unknown) =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  const find = async (wanted: (message: SocketMessage) => boolean): Promise<SocketMessage> => {
    for (;;) {
      const found = received.find(wanted);
      if (found) return found;
      if (ended) throw new Error(`closed with ${ended.code} ${ended.reason}`);
      await change();
    }
  };
  const run = async (
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<SocketResult> => {
    const id = `run-${++count}`;
    send({ id, type: "subscribe", payload: { query, variables } });
    const { type, payload } = await find((message) => message.id === id);
    return type === "error" ? { errors: payload } : payload;
  };
  return {
    socket,
    received,
    closed,
    send,
    run,
    async next() {
      while (taken >= received.length) {
        if (ended) throw new Error(`closed with ${ended.code} ${ended.reason}`);
        await change();
      }
      taken += 1;
      return received[taken - 1] as SocketMessage;
    },
    async listen(id, userId, fields = "", after = undefined) {
      const variables = { after: after ?? null };
      send({ id, type: "subscribe", payload: { query: listenTo(fields), variables } });
      const arrived = () => received.filter((message) => message.id === id);
      // The protocol does not confirm subscriptions, so the user sends signals to itself until one arrives.
      for (let turn = 0; arrived().length === 0; turn += 1) {
        if (turn === 500) throw new Error(`nothing arrived: ${JSON.stringify(received.slice(-3))}`);
        const { errors } = await run(SEND, {
          input: { to: { userId }, signal: { other: { signalType: "probe", callId: id } } },
        });
        if (errors) throw new Error(JSON.stringify(errors));
      }
      const [first] = arrived();
      if (!first?.payload?.data) throw new Error(`refused: ${JSON.stringify(first)}`);
      return () =>
        arrived()
          .flatMap(({ payload }) => (payload?.data ? [payload.data.callSignals] : []))
          .filter(({ signalType }) => signalType !== "probe");
    },
    async close() {
      socket.close();
      await closed;
    },
  };
}

/** Close code of a socket whose `connection_init` came too late, as on a very busy machine. */
const INIT_TIMEOUT = 4408;

/**
 * Connects and initializes the connection, optionally with a token. Like a client, it connects again if the
 * initialization timed out.
 */
export async function openSocket(
  node: GatewayNode,
  token?: string,
  options: ClientOptions = {},
): Promise<GraphqlSocket> {
  for (;;) {
    const socket = await connectSocket(node, options);
    socket.send({ type: "connection_init", payload: token === undefined ? {} : { token } });
    const answer = await socket.next().catch(async (error) => {
      if ((await socket.closed).code !== INIT_TIMEOUT) throw error;
      return null;
    });
    if (answer?.type === "connection_ack") return socket;
    if (answer !== null) throw new Error(`answered ${JSON.stringify(answer)}`);
  }
}
