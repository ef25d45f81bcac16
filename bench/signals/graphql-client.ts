import { once } from "node:events";
import type { WebSocket } from "ws";
import { connect } from "../fan-out-wire";
import type { Account } from "./job";
import type { Client } from "./signal-client";
import { SIGNAL_BYTES, type SignalType, signalInput } from "./signal-text";

const SUBSCRIPTION = `subscription { callSignals {
  __typename id cursor signalType callId platform userInfo from { userId device }
  ... on CallSignal { sdp callType callerId opponentIds }
  ... on AcceptSignal { sdp }
  ... on IceRestartSignal { sdp }
  ... on IceRestartAcceptSignal { sdp }
} }`;
/** Placeholder for the sessionID. */
const SESSION = "$session";
const MUTATION = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { cursor } }";

/** A graphql-transport-ws client with its subscription and mutations on one socket. */
export class GraphqlClient implements Client {
  onSignal: () => void = () => undefined;
  failure: Error | null = null;
  private count = 0;
  private readonly onClose = (code: number) => this.fail(`closed with ${code}`);

  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => this.read(data));
    socket.once("close", this.onClose);
    socket.on("error", (error) => this.fail(error.message));
  }

  /** Connects with the session token and subscribes. @throws Error if the token is rejected */
  static async connect(url: string, account: Account): Promise<GraphqlClient> {
    const socket = await connect(url, account.secret);
    socket.send(JSON.stringify({ id: "s", type: "subscribe", payload: { query: SUBSCRIPTION } }));
    return new GraphqlClient(socket);
  }

  sender(type: SignalType, to: Account): (callId: string) => void {
    const variables = { input: signalInput(type, to, SESSION) };
    const payload = JSON.stringify({ query: MUTATION, variables });
    const [head, tail] = payload.split(SESSION);
    return (callId) =>
      this.socket.send(
        `{"id":"m${++this.count}","type":"subscribe","payload":${head}${callId}${tail}}`,
      );
  }

  async ping(): Promise<void> {
    if (this.failure) throw this.failure;
    this.socket.ping();
    await once(this.socket, "pong");
  }

  close(): void {
    this.socket.off("close", this.onClose);
    this.socket.terminate();
  }

  private read(data: Buffer): void {
    if (data.includes('"callSignals":{') && data.length >= SIGNAL_BYTES) this.onSignal();
    else if (data.includes('"errors"') || data.includes('"type":"error"')) this.fail(`${data}`);
  }

  private fail(reason: string): void {
    this.failure ??= new Error(reason);
  }
}
