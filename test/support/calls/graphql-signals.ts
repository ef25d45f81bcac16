import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { SIGNAL_FIELDS } from "../../../src/domain/calls/signals/signal-fields";
import { AsyncQueue } from "../../../tools/async-queue";
import type { TestNode } from "../node";
import type { TestUser } from "../rest-client";
import { sendInput } from "./send-input";

/** Result of sendSignal. */
export interface SendResult {
  data?: { sendSignal: { id: string; cursor: string } } | null;
  errors?: readonly {
    message: string;
    extensions?: { code?: unknown; fields?: Record<string, string[]> };
  }[];
}

/** A signal with all its GraphQL fields. */
// biome-ignore lint/suspicious/noExplicitAny: signals are looked into freely by tests
export type SignalData = Record<string, any>;

/** A user's device on GraphQL. */
export interface GraphqlClient {
  /** `graphql-{session id}`. */
  device: string;
  /** Sends a signal. @throws Error if it is refused */
  send(input: object): Promise<{ id: string; cursor: string }>;
  /** Sends a signal that may be refused. */
  trySend(input: object): Promise<SendResult>;
  /** Takes the next signal. */
  next(): Promise<SignalData>;
  /** Discards the received signals: calls of earlier tests may still ring for the user. */
  discard(): void;
  /** Resolves with the close code, once the socket has closed. */
  ended: Promise<number>;
  close(): void;
}

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";
/** The selections of fields that are objects. */
const SELECTIONS: Record<string, string> = {
  iceCandidates: "{ sdpMLineIndex sdpMid candidate extra { tree } }",
};
const FIELDS = SIGNAL_FIELDS.map(({ name }) => `${name} ${SELECTIONS[name] ?? ""}`);
const LISTEN = `subscription {
  callSignals {
    __typename id cursor signalType ${FIELDS.join(" ")}
    from { userId device }
    to { userId device }
    ... on UpdateSignal { parameters }
    extra { tree }
  }
}`;

/** Subscribes with graphql-ws; resolves once signals arrive. */
export async function connectGraphqlWs(
  node: TestNode,
  user: Pick<TestUser, "id" | "token" | "sessionId">,
): Promise<GraphqlClient> {
  const device = `graphql-${user.sessionId}`;
  const signals = new AsyncQueue<SignalData>();
  let isActive = false;
  let refusal = "";
  const fail = (reason: string) => {
    refusal ||= reason;
    signals.end(reason);
  };
  let end: (code: number) => void;
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const socket = createClient({
    url: node.graphqlUrl.replace(/^http/, "ws"),
    webSocketImpl: WebSocket,
    connectionParams: { token: user.token },
    retryAttempts: 0,
    on: { closed: (event) => end((event as { code: number }).code) },
  });
  socket.subscribe<{ callSignals: SignalData }>(
    { query: LISTEN },
    {
      next({ data, errors }) {
        if (!data) return fail(JSON.stringify(errors));
        if (data.callSignals.signalType === "probe") isActive = true;
        else signals.push(data.callSignals);
      },
      error: (error) => fail(describe(error)),
      complete: () => fail("the subscription ended"),
    },
  );
  const trySend = async (input: object): Promise<SendResult> => {
    const answers = socket.iterate({ query: SEND, variables: { input: sendInput(input) } });
    try {
      const { value } = await answers.next();
      return value as SendResult;
    } catch (error) {
      // Errors before execution are thrown as a list.
      if (Array.isArray(error)) return { errors: error };
      throw error;
    }
  };
  const send = async (input: object) => {
    const { data, errors } = await trySend(input);
    if (!data) throw new Error(JSON.stringify(errors));
    return data.sendSignal;
  };
  // The protocol does not confirm subscriptions, so it sends signals to itself until one arrives.
  for (let turn = 0; !isActive; turn += 1) {
    if (refusal || turn === 500) throw new Error(`no signal arrives: ${refusal}`);
    await send({ to: { userId: user.id, device }, signalType: "probe" });
  }
  return {
    device,
    send,
    trySend,
    next: () => signals.next(),
    discard: () => signals.clear(),
    ended,
    close: () => void socket.dispose(),
  };
}

function describe(error: unknown): string {
  const { code, reason } = (error ?? {}) as { code?: number; reason?: string };
  return code === undefined ? JSON.stringify(error) : `closed with ${code} ${reason}`;
}
