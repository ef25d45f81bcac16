import type { SignalInput } from "../generated/operations.ts";
import type { AnswerElsewhere, SendOptions, SignalAddress } from "../signals/signals.ts";
import type { ConnectionStatus } from "../transport/socket.ts";
import type { SignalledCandidate } from "./peer-link.ts";

/** What a call reads of a signal. */
export interface CallSignal {
  readonly signalType: string;
  readonly callId: string | null;
  /** The sender, as the service has stamped it. */
  readonly from: { readonly userId: string; readonly device: string | null };
  /** Who has started the call, as the sender claims. */
  readonly callerId?: string | null;
  readonly callType?: "VIDEO" | "AUDIO" | null;
  readonly sdp?: string | null;
  readonly opponentIds?: readonly string[] | null;
  readonly iceCandidates?: readonly SignalledCandidate[] | null;
  readonly userInfo?: Record<string, unknown> | null;
  /** What an `update` changes. */
  readonly parameters?: Record<string, unknown> | null;
}

/** Events of a {@link CallSignalling}. */
export interface CallSignallingEvents {
  signal: CallSignal;
  answer: Pick<AnswerElsewhere, "callId" | "signalType">;
}

/** How calls send and receive signals. `Signals` is one; an XMPP client can be another. */
export interface CallSignalling {
  /** Whether signals can arrive now: `online`. Unknown if it is missing. */
  readonly status?: ConnectionStatus;
  /** Calls a listener for each event of a name. @returns a function that removes it */
  on<Name extends keyof CallSignallingEvents>(
    name: Name,
    listener: (argument: CallSignallingEvents[Name]) => void,
  ): () => void;
  /** Resolves once the service has taken the signal. @throws SignalboxError */
  send(to: SignalAddress, signal: SignalInput, options?: SendOptions): Promise<unknown>;
}
