import { once } from "node:events";
import { type ClientOptions, WebSocket } from "ws";
import type { TestNode } from "./node";

/** A message of graphql-transport-ws. */
export interface SocketMessage {
  type: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  payload?: any;
}

/** What an operation on a socket answered: data and errors, or the errors that kept it from running. */
export interface SocketAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  data?: any;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  errors?: any[];
}

/** A signal as {@link GraphqlSocket.listen} asks for it. */
export interface ReceivedSignal {
  id: string;
  signalType: string;
  sessionId: string | null;
  from: { userId: number; device: string | null };
  to: { userId: number };
  /** Where it was asked for. */
  cursor?: string;
}

const listenTo = (fields: string) => `subscription ($after: String) {
  callSignals(after: $after) { id signalType sessionId from { userId device } to { userId } ${fields} }
}`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** A client of graphql-transport-ws that hides nothing. */
export interface GraphqlSocket {
  socket: WebSocket;
  /** Every message that came so far. */
  received: SocketMessage[];
  /** Resolves when the socket has closed. */
  closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  /** The next message that was not taken yet; fails when the socket closes first. */
  next(): Promise<SocketMessage>;
  /** Runs a query or a mutation. */
  run(query: string, variables?: Record<string, unknown>): Promise<SocketAnswer>;
  /**
   * Subscribes to the signals of a user; resolves once they arrive.
   * @param fields what else to ask for of each
   * @param after cursor to go on after
   * @returns the signals, as far as they have come
   */
  listen(
    id: string,
    userId: number,
    fields?: string,
    after?: string,
  ): Promise<() => ReceivedSignal[]>;
  close(): Promise<void>;
}

/** Connects without saying anything. */
export async function connectSocket(
  node: Pick<TestNode, "graphqlUrl">,
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
  const tell = () => {
    for (const resolve of wake.splice(0)) resolve();
  };
  socket.on("message", (data) => {
    received.push(JSON.parse(String(data)));
    tell();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => {
      ended = { code, reason: String(reason) };
      resolve(ended);
      tell();
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
  ): Promise<SocketAnswer> => {
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
      // Nothing says that a subscription stands, so the listener signals itself until it hears it.
      for (let turn = 0; arrived().length === 0; turn += 1) {
        if (turn === 500) throw new Error(`nothing arrived: ${JSON.stringify(received.slice(-3))}`);
        const { errors } = await run(SEND, {
          input: { to: { userId }, signalType: "probe", sessionId: id },
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

/** Connects and introduces itself, with a token if it has one; the server has said yes. */
export async function openSocket(
  node: Pick<TestNode, "graphqlUrl">,
  token?: string,
  options: ClientOptions = {},
): Promise<GraphqlSocket> {
  const socket = await connectSocket(node, options);
  socket.send({ type: "connection_init", payload: token === undefined ? {} : { token } });
  const answer = await socket.next();
  if (answer.type !== "connection_ack") throw new Error(`answered ${JSON.stringify(answer)}`);
  return socket;
}
