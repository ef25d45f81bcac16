import { GraphqlClient } from "./graphql-client";
import type { Account, Endpoint } from "./job";
import type { Client } from "./signal-client";
import { openTls } from "./tls-wire";
import { connectWebSocket } from "./websocket-wire";
import { XmppClient } from "./xmpp-client";

/** Connects a user. Resolves once the user can receive signals. @throws Error if the server rejects it */
export async function connectClient(endpoint: Endpoint, account: Account): Promise<Client> {
  if (endpoint.kind === "graphql") return GraphqlClient.connect(endpoint.url, account);
  const wire =
    endpoint.kind === "tls" ? await openTls(endpoint.port) : await connectWebSocket(endpoint.url);
  return XmppClient.begin(wire, account);
}
