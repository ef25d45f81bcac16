import { once } from "node:events";
import { WebSocket } from "ws";

const SUBSCRIPTION = `subscription { callSignals {
  __typename id cursor signalType callId platform from { userId device }
  ... on IceCandidatesSignal { iceCandidates { sdpMLineIndex sdpMid candidate } }
} }`;
const MUTATION = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { cursor } }";

const CANDIDATE = {
  sdpMLineIndex: 0,
  sdpMid: "audio",
  candidate: "candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx generation 0",
};

/** A delivery of the service, which the baseline forwards unchanged. */
const DELIVERED = JSON.stringify({
  id: "s",
  type: "next",
  payload: {
    data: {
      callSignals: {
        __typename: "IceCandidatesSignal",
        id: "nJ4jzGhpS1YX0TZQ",
        cursor: "nJ4jzGhpS1YX0TZQ.100000",
        signalType: "iceCandidates",
        callId: "SESSION",
        platform: "web",
        from: { userId: "1001", device: "graphql-1001" },
        iceCandidates: [CANDIDATE],
      },
    },
  },
});

/** The protocol of a fan-out's sockets. */
export interface FanOutProtocol {
  /** Opens a receiver's socket; the baseline ignores the token. */
  receive(token: string): Promise<WebSocket>;
  /** Opens the sender's socket. */
  send(token: string): Promise<WebSocket>;
  /** The message that sends a signal of a call. */
  signal(callId: string): string;
  /** Whether a response to the sender is an error. */
  refuses(answer: string): boolean;
}

/** The service: graphql-transport-ws with a subscription for each receiver and a mutation for each signal. */
export function serviceWire(url: string, userId: number): FanOutProtocol {
  return {
    async receive(token) {
      const socket = await connect(url, token);
      socket.send(JSON.stringify({ id: "s", type: "subscribe", payload: { query: SUBSCRIPTION } }));
      return socket;
    },
    send: (token) => connect(url, token),
    signal(callId) {
      const input = {
        to: { userId },
        signal: { iceCandidates: { callId, platform: "web", iceCandidates: [CANDIDATE] } },
      };
      return JSON.stringify({
        id: callId,
        type: "subscribe",
        payload: { query: MUTATION, variables: { input } },
      });
    },
    refuses: (answer) => answer.includes('"errors"') || answer.includes('"type":"error"'),
  };
}

/** The baseline: each message of the sender goes to every receiver unchanged. */
export function bareWire(url: string): FanOutProtocol {
  const open = async () => {
    const socket = new WebSocket(url);
    await once(socket, "open");
    return socket;
  };
  return {
    receive: open,
    send: open,
    signal: (callId) => DELIVERED.replace("SESSION", callId),
    refuses: () => false,
  };
}

/** Opens a GraphQL socket of the service. @throws Error if the token is rejected */
export async function connect(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(url, ["graphql-transport-ws"]);
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init", payload: { token } }));
  const [answer] = (await once(socket, "message")) as [Buffer];
  if (!answer.includes("connection_ack")) throw new Error(answer.toString());
  return socket;
}
