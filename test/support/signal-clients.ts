import type { Element as DomElement } from "@xmldom/xmldom";
import { client, type XmlNode, xml } from "@xmpp/client";
import { createClient } from "graphql-ws";
import { Strophe } from "strophe.js";
import { WebSocket } from "ws";
import { Arrivals } from "./arrivals";
import { signInRaw } from "./chat";
import type { TestUser } from "./client";
import type { TestNode } from "./node";
import { domTree, parseXml, type Tree, treeOf, xmppTree } from "./xml-tree";

// Both chat libraries look for the browser's.
Object.assign(globalThis, { WebSocket });
Strophe.setLogLevel(Strophe.LogLevel.FATAL);

/** A device of a user over XMPP. */
export interface ChatClient {
  /** Full JID. */
  jid: string;
  /** Sends a stanza that is written down as XML. */
  send(stanza: string): void;
  /** The next message that was not taken yet, as the client's own parser read it. */
  next(): Promise<Tree>;
  /** Resolves with the condition of the stream's error, once it has ended; the raw client alone. */
  ended: Promise<string>;
  close(): void;
}

/** Full address of a user's device in the node's domain. */
export function jidOf(node: TestNode, user: Pick<TestUser, "id">, resource?: string): string {
  const bare = `${user.id}-${node.application.id}@${node.app.addresses.chat_domain}`;
  return resource === undefined ? bare : `${bare}/${resource}`;
}

/** Signs a user in with frames as they stand on the wire. */
export async function rawChat(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret = user.password,
): Promise<ChatClient> {
  const raw = await signInRaw(node.chatUrl, `${user.id}-${node.application.id}`, resource, secret);
  const messages = new Arrivals<Tree>();
  const ended = (async () => {
    let condition = "";
    try {
      for (;;) {
        const frame = await raw.next();
        if (frame.startsWith("<message ")) messages.push(treeOf(frame));
        else condition ||= /^<stream:error[^>]*><([a-z-]+)/.exec(frame)?.[1] ?? "";
      }
    } catch (error) {
      messages.end(String(error));
      return condition;
    }
  })();
  return {
    jid: jidOf(node, user, resource),
    send: (stanza) => raw.send(stanza),
    next: () => messages.next(),
    ended,
    close: () => raw.socket.terminate(),
  };
}

/** Signs a user in with xmpp.js. */
export async function xmppJs(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret = user.password,
): Promise<ChatClient> {
  const xmpp = client({
    service: node.chatUrl,
    domain: node.app.addresses.chat_domain,
    username: `${user.id}-${node.application.id}`,
    password: secret,
    resource,
  });
  const messages = new Arrivals<Tree>();
  xmpp.reconnect.stop();
  xmpp.on("stanza", (stanza) => {
    if (stanza.is("message")) messages.push(xmppTree(stanza));
  });
  const ended = new Promise<string>((resolve) => {
    xmpp.on("error", (error) => resolve(error.condition ?? error.message));
    xmpp.on("disconnect", () => messages.end("disconnected"));
  });
  const address = await xmpp.start();
  return {
    jid: address.toString(),
    send: (stanza) => void xmpp.send(toXmppNode(parseXml(stanza))),
    next: () => messages.next(),
    ended,
    close: () => void xmpp.stop().catch(() => undefined),
  };
}

function toXmppNode(element: DomElement): XmlNode {
  const attributes = Array.from(element.attributes, ({ name, value }) => [name, value]);
  const children = Array.from(element.childNodes, (node) =>
    node.nodeType === node.ELEMENT_NODE ? toXmppNode(node as DomElement) : (node.nodeValue ?? ""),
  );
  return xml(element.tagName, Object.fromEntries(attributes), ...children);
}

/** Signs a user in with Strophe. */
export async function strophe(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret = user.password,
): Promise<ChatClient> {
  const connection = new Strophe.Connection(node.chatUrl);
  const messages = new Arrivals<Tree>();
  const take = (stanza: unknown) => {
    messages.push(domTree(stanza as DomElement));
    return true;
  };
  connection.addHandler(take, null, "message", null);
  let end: (status: string) => void;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const status = await new Promise<number>((resolve) => {
    connection.connect(jidOf(node, user, resource), secret, (now: number) => {
      const { CONNECTED, AUTHFAIL, CONNFAIL, DISCONNECTED } = Strophe.Status;
      if ([CONNECTED, AUTHFAIL, CONNFAIL, DISCONNECTED].includes(now)) resolve(now);
      if (now !== DISCONNECTED) return;
      messages.end("disconnected");
      end("disconnected");
    });
  });
  if (status !== Strophe.Status.CONNECTED) throw new Error(`Strophe came to status ${status}`);
  return {
    jid: connection.jid,
    send: (stanza) => connection.send(parseXml(stanza) as never),
    next: () => messages.next(),
    ended,
    close: () => connection.disconnect("end"),
  };
}

/** What a mutation answered. */
export interface SendAnswer {
  data?: { sendSignal: { id: string; cursor: string } } | null;
  errors?: readonly {
    message: string;
    extensions?: { code?: unknown; fields?: Record<string, string[]> };
  }[];
}

/** A signal with everything that GraphQL tells of it. */
// biome-ignore lint/suspicious/noExplicitAny: signals are looked into freely by tests
export type ShownSignal = Record<string, any>;

/** A device of a user over GraphQL. */
export interface GraphqlClient {
  /** `graphql-{session id}`. */
  device: string;
  /** Sends a signal. @throws Error when it is refused */
  send(input: object): Promise<{ id: string; cursor: string }>;
  /** Sends a signal that may be refused. */
  trySend(input: object): Promise<SendAnswer>;
  /** The next signal that was not taken yet. */
  next(): Promise<ShownSignal>;
  /** Resolves with the close code, once the socket has closed. */
  ended: Promise<number>;
  close(): void;
}

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id cursor } }";
const LISTEN = `subscription {
  callSignals {
    __typename id cursor signalType sessionId callType sdp platform callerId opponentIds userInfo
    from { userId device }
    to { userId device }
    iceCandidates { sdpMLineIndex sdpMid candidate extra { tree } order }
    ... on UpdateSignal { parameters }
    extra { tree } order siblings { tree } lead lang
  }
}`;

/** Subscribes with graphql-ws; resolves once signals arrive. */
export async function graphqlWs(
  node: TestNode,
  user: Pick<TestUser, "id" | "token" | "sessionId">,
): Promise<GraphqlClient> {
  const device = `graphql-${user.sessionId}`;
  const signals = new Arrivals<ShownSignal>();
  let heard = false;
  let end: (code: number) => void;
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const socket = createClient({
    url: node.graphqlUrl.replace(/^http/, "ws"),
    webSocketImpl: WebSocket,
    connectionParams: { token: user.token },
    retryAttempts: 0,
    on: { closed: (event) => end((event as { code: number }).code) },
  });
  socket.subscribe<{ callSignals: ShownSignal }>(
    { query: LISTEN },
    {
      next({ data, errors }) {
        if (!data) return signals.end(JSON.stringify(errors));
        if (data.callSignals.signalType === "probe") heard = true;
        else signals.push(data.callSignals);
      },
      error: (error) => signals.end(describe(error)),
      complete: () => signals.end("the subscription ended"),
    },
  );
  const trySend = async (input: object): Promise<SendAnswer> => {
    const answers = socket.iterate({ query: SEND, variables: { input } });
    try {
      const { value } = await answers.next();
      return value as SendAnswer;
    } catch (error) {
      // Errors that keep an operation from running come as a list.
      if (Array.isArray(error)) return { errors: error };
      throw error;
    }
  };
  const send = async (input: object) => {
    const { data, errors } = await trySend(input);
    if (!data) throw new Error(JSON.stringify(errors));
    return data.sendSignal;
  };
  // Nothing says that a subscription stands, so it signals itself until it hears it.
  for (let turn = 0; !heard; turn += 1) {
    if (turn === 500) await Promise.race([signals.next(), Promise.reject(new Error("no signal"))]);
    await send({ to: { userId: user.id, device }, signalType: "probe" });
  }
  return {
    device,
    send,
    trySend,
    next: () => signals.next(),
    ended,
    close: () => void socket.dispose(),
  };
}

function describe(error: unknown): string {
  const { code, reason } = (error ?? {}) as { code?: number; reason?: string };
  return code === undefined ? JSON.stringify(error) : `closed with ${code} ${reason}`;
}
