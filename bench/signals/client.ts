import { GraphqlClient } from "./graphql-client";
import type { Account, Endpoint } from "./job";
import type { SignalType } from "./signal-text";
import { openTls } from "./tls-wire";
import { connectWebSocket } from "./websocket-wire";
import { XmppClient } from "./xmpp-client";

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

/** Connects a user. Resolves once the user can receive signals. @throws Error if the server rejects it */
export async function connectClient(endpoint: Endpoint, account: Account): Promise<Client> {
  if (endpoint.kind === "graphql") return GraphqlClient.connect(endpoint.url, account);
  const wire =
    endpoint.kind === "tls" ? await openTls(endpoint.port) : await connectWebSocket(endpoint.url);
  return XmppClient.begin(wire, account);
}
