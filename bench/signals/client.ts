import { GraphqlClient } from "./graphql-client";
import type { Account, Door } from "./job";
import type { SignalType } from "./signal-text";
import { openTls } from "./tls-wire";
import { openWebSocket } from "./websocket-wire";
import { XmppClient } from "./xmpp-client";

/** A user who is connected to a server. */
export interface Client {
  /** Called for every signal that arrives. */
  onSignal: () => void;
  /** Why the client can go no further; null while it can. */
  readonly failure: Error | null;
  /** Makes what sends one signal after the other to a user, each of the call it names. */
  sender(type: SignalType, to: Account): (sessionId: string) => void;
  /** Resolves once the server has given a sign of life. */
  ping(): Promise<void>;
  close(): void;
}

/** Connects a user until signals reach it. @throws Error when the server does not let it */
export async function connectClient(door: Door, account: Account): Promise<Client> {
  if (door.kind === "graphql") return GraphqlClient.connect(door.url, account);
  const wire = door.kind === "tls" ? await openTls(door.port) : await openWebSocket(door.url);
  return XmppClient.begin(wire, account);
}
