import type { Account } from "./job";
import type { SignalType } from "./signal-text";

/** A connected user. */
export interface Client {
  /** Called for every signal that arrives. */
  onSignal: () => void;
  /** Why the client failed; null while it works. */
  readonly failure: Error | null;
  /** Returns a function that sends a signal of the given type and call to a user. */
  sender(type: SignalType, to: Account): (callId: string) => void;
  /** Resolves once the server has responded. */
  ping(): Promise<void>;
  close(): void;
}
