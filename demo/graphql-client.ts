import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { ReceiveQueue } from "./receive-queue";

/** The sender or recipient of a signal: a user and optionally one device. */
export interface Party {
  userId: string;
  device: string | null;
}

/** A signal as the subscription delivers it, without the fields that are null. */
export interface SignalPayload {
  __typename: string;
  id: string;
  /** Set by the server; the only field that reliably identifies the sender. */
  from: Party;
  to: Party;
  signalType: string;
  callId?: string;
  callType?: "VIDEO" | "AUDIO";
  sdp?: string;
  platform?: string;
  callerId?: string;
  opponentIds?: string[];
  iceCandidates?: IceCandidate[];
  userInfo?: Record<string, unknown>;
  /** The changed parameters of an `update`. */
  parameters?: Record<string, unknown>;
  /** Custom parameters of the application, such as a full name or an avatar. */
  extra?: { name: string; text: string | null }[];
}

/** An ICE candidate as `RTCPeerConnection` provides it. */
export interface IceCandidate {
  sdpMLineIndex: number;
  sdpMid: string;
  candidate: string;
}

/** A signal to send, with the fields of its type. */
export type SignalInput = Pick<SignalPayload, "signalType"> &
  Partial<Omit<SignalPayload, "__typename" | "from" | "to" | "extra">> & {
    /** Without a device, the signal goes to all devices of the user. */
    to: { userId: string; device?: string | null };
  };

// The signal types (CallSignal, AcceptSignal and so on) share an interface.
const SUBSCRIPTION = /* GraphQL */ `
  subscription {
    callSignals {
      __typename
      id
      from { userId device }
      to { userId device }
      signalType
      callId
      callType
      sdp
      platform
      callerId
      opponentIds
      iceCandidates { sdpMLineIndex sdpMid candidate }
      userInfo
      ... on UpdateSignal { parameters }
      extra { name text }
    }
  }
`;

const MUTATION = /* GraphQL */ `
  mutation ($input: SendSignalInput!) {
    sendSignal(input: $input) { id }
  }
`;

/** The types of the protocol, each a field of SignalInput. Any other type is sent as `other`. */
const KNOWN_TYPES = new Set([
  "call",
  "accept",
  "reject",
  "hangUp",
  "iceCandidates",
  "update",
  "iceRestart",
  "iceRestartAccept",
]);

/** A GraphQL client with one WebSocket for its subscription and its mutations. */
export class GraphqlPeer {
  /** Signals to this user, in order of arrival. */
  readonly received = new ReceiveQueue<SignalPayload>((signal) => signal.signalType);

  private constructor(
    private readonly client: Client,
    private readonly userId: number,
  ) {}

  /** Connects with a session token. Resolves once signals arrive. */
  static async connect(
    url: string,
    user: { id: number; token: string },
    signal: AbortSignal,
  ): Promise<GraphqlPeer> {
    const client = createClient({
      // http: becomes ws:, https: becomes wss:.
      url: url.replace(/^http/, "ws"),
      connectionParams: { token: user.token },
      // Not needed in browsers, which have a WebSocket.
      webSocketImpl: WebSocket,
      // Applications omit this and reconnect; here a lost connection fails the step.
      retryAttempts: 0,
    });
    const peer = new GraphqlPeer(client, user.id);
    try {
      await peer.subscribe(signal);
    } catch (error) {
      await peer.close();
      throw error;
    }
    return peer;
  }

  /** Sends a signal. Resolves with its id once it is stored in the recipient's inbox. */
  async send({ to, id, signalType, ...fields }: SignalInput): Promise<string> {
    const signal = KNOWN_TYPES.has(signalType)
      ? { [signalType]: fields }
      : { other: { signalType, ...fields } };
    const results = this.client.iterate<{ sendSignal: { id: string } }>({
      query: MUTATION,
      variables: { input: { to, id, signal } },
    });
    // A mutation has one result, with `errors` as in GraphQL over HTTP.
    const { value } = await results.next().catch((error: unknown) => {
      throw toError(error);
    });
    if (value?.errors) throw new Error(`sendSignal: ${value.errors[0]?.message}`);
    return value.data.sendSignal.id;
  }

  async close(): Promise<void> {
    await this.client.dispose();
  }

  private async subscribe(signal: AbortSignal): Promise<void> {
    this.client.subscribe<{ callSignals: SignalPayload }>(
      { query: SUBSCRIPTION },
      {
        next: ({ data, errors }) => {
          if (data) this.received.push(withoutNulls(data.callSignals));
          else this.received.fail(new Error(`callSignals: ${errors?.[0]?.message}`));
        },
        error: (error) => this.received.fail(toError(error)),
        complete: () => this.received.fail(new Error("the subscription ended")),
      },
    );
    // The protocol does not confirm a subscription, so the client sends a signal to itself until it arrives.
    // Applications do not need this: a caller repeats its `call` until it is answered.
    const arrived = this.received.take("own signal", (own) => own.signalType === "hello", signal);
    let waiting = true;
    const stop = () => {
      waiting = false;
    };
    arrived.then(stop, stop);
    while (waiting) {
      await this.send({ to: { userId: String(this.userId) }, signalType: "hello" });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await arrived;
  }
}

/** Removes null fields, which the sender omitted. */
function withoutNulls(payload: SignalPayload): SignalPayload {
  const shown: Partial<SignalPayload> = { ...payload };
  for (const key of Object.keys(shown) as (keyof SignalPayload)[]) {
    if (shown[key] === null) delete shown[key];
  }
  if (shown.extra?.length === 0) delete shown.extra;
  return shown as SignalPayload;
}

/** Converts what graphql-ws reports: an error, a list of GraphQL errors or a close event. */
function toError(error: unknown): Error {
  if (error instanceof Error) return error;
  const first = Array.isArray(error) ? error[0] : error;
  const { message, reason, code } = first as { message?: string; reason?: string; code?: number };
  return new Error(message ?? `the socket closed with ${code} ${reason ?? ""}`.trim());
}
