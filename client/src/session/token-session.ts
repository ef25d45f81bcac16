import type { SignalboxError } from "../errors.ts";

/** Events of a {@link TokenSession} that its WebSocket follows. */
export interface TokenSessionEvents {
  /** Another token. */
  changed: { readonly token: string };
  /** There is no token any more. */
  ended: SignalboxError;
}

/** What requests and the WebSocket need of any kind of session. */
export interface TokenSession {
  /** Whether the WebSocket of the client is connected; it says so itself. */
  isConnected: boolean;
  /** The token. @throws SignalboxError */
  token(): Promise<string>;
  /** The valid token after the service seems to have refused one. @throws SignalboxError */
  replaceRefused(token: string): Promise<string>;
  /** Calls a listener for each event of a name. @returns a function that removes it */
  on<Name extends keyof TokenSessionEvents>(
    name: Name,
    listener: (argument: TokenSessionEvents[Name]) => void,
  ): () => void;
}
