import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { Inbox } from "./inbox";

/** One end of a signal: a user, and where it matters one of the user's devices. */
export interface Party {
  userId: number;
  device: string | null;
}

/** What the subscription delivers; fields that a signal does not have are left out. */
export interface SignalPayload {
  __typename: string;
  id: string;
  /** Stamped by the server: the only field that tells who sent the signal. */
  from: Party;
  to: Party;
  signalType: string;
  sessionId?: string;
  callType?: "VIDEO" | "AUDIO";
  sdp?: string;
  platform?: string;
  callerId?: string;
  opponentIds?: string[];
  iceCandidates?: IceCandidate[];
  userInfo?: Record<string, unknown>;
  /** What changed, of an `update`. */
  parameters?: Record<string, unknown>;
  /** Parameters of the application's own, such as a full name or an avatar. */
  extra?: { name: string; text: string | null }[];
}

/** An ICE candidate as `RTCPeerConnection` gives it. */
export interface IceCandidate {
  sdpMLineIndex: number;
  sdpMid: string;
  candidate: string;
}

/** What is sent: the fields that the signal's type calls for. */
export type SignalInput = Pick<SignalPayload, "signalType"> &
  Partial<Omit<SignalPayload, "__typename" | "from" | "to" | "extra">> & {
    /** Without a device, to all devices of the user. */
    to: { userId: number; device?: string | null };
  };

// Every signal is one of the types CallSignal, AcceptSignal and so on, which share an interface.
const SUBSCRIPTION = /* GraphQL */ `
  subscription {
    callSignals {
      __typename
      id
      from { userId device }
      to { userId device }
      signalType
      sessionId
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

/** A client of the GraphQL door: one WebSocket, for the subscription and for what it sends. */
export class GraphqlPeer {
  /** Signals to this user, as they came. */
  readonly received = new Inbox<SignalPayload>((signal) => signal.signalType);

  private constructor(
    private readonly client: Client,
    private readonly userId: number,
  ) {}

  /** Connects with the token of a user's session; resolves once signals arrive. */
  static async connect(
    url: string,
    user: { id: number; token: string },
    signal: AbortSignal,
  ): Promise<GraphqlPeer> {
    const client = createClient({
      // http://… and ws://…, https://… and wss://… differ in the first letters alone.
      url: url.replace(/^http/, "ws"),
      connectionParams: { token: user.token },
      // A browser has its own and needs no such line.
      webSocketImpl: WebSocket,
      // An application leaves this alone and reconnects; here a lost connection is a failed step.
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

  /** Sends a signal; answers its id once it stands in the recipient's inbox. */
  async send(input: SignalInput): Promise<string> {
    const results = this.client.iterate<{ sendSignal: { id: string } }>({
      query: MUTATION,
      variables: { input },
    });
    // A mutation has one result; a mistake in it is in `errors`, as with GraphQL over HTTP.
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
          if (data) this.received.put(withoutNulls(data.callSignals));
          else this.received.fail(new Error(`callSignals: ${errors?.[0]?.message}`));
        },
        error: (error) => this.received.fail(toError(error)),
        complete: () => this.received.fail(new Error("the subscription ended")),
      },
    );
    // The protocol does not tell when a subscription stands, so a signal to oneself does. An
    // application needs none of this: whoever calls repeats the `call` until it is answered.
    const arrived = this.received.take("own signal", (own) => own.signalType === "hello", signal);
    let waiting = true;
    const stop = () => {
      waiting = false;
    };
    arrived.then(stop, stop);
    while (waiting) {
      await this.send({ to: { userId: this.userId }, signalType: "hello" });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await arrived;
  }
}

/** A null says that the sender left the field out. */
function withoutNulls(payload: SignalPayload): SignalPayload {
  const shown: Partial<SignalPayload> = { ...payload };
  for (const key of Object.keys(shown) as (keyof SignalPayload)[]) {
    if (shown[key] === null) delete shown[key];
  }
  if (shown.extra?.length === 0) delete shown.extra;
  return shown as SignalPayload;
}

/** graphql-ws reports an error, a list of GraphQL errors or the event of a closed socket. */
function toError(error: unknown): Error {
  if (error instanceof Error) return error;
  const first = Array.isArray(error) ? error[0] : error;
  const { message, reason, code } = first as { message?: string; reason?: string; code?: number };
  return new Error(message ?? `the socket closed with ${code} ${reason ?? ""}`.trim());
}
