import { type ChatClient, chatClientOf, connectStrophe, jidOf } from "../calls/signal-clients";
import type { TestNode } from "../node";
import type { TestUser } from "../rest-client";
import { auth, bind, connectRaw, OPEN } from "./chat";
import type { ChatServer } from "./chat-servers/chat-server";
import type { RawClient } from "./raw-client";
import type { Tree } from "./xml-tree";

const LANG = "{http://www.w3.org/XML/1998/namespace}lang";
/**
 * Without xmpp.js: over WebSocket it miscounts stanzas if it sends presence immediately, and Prosody ends the
 * stream.
 */
const LIBRARIES = { frames, Strophe: connectStrophe };

/** A client library for XMPP over WebSocket. */
export type Library = keyof typeof LIBRARIES;

/** Connects a client and sends its presence, which both servers require for the delivery of headlines. */
export async function chatClient(
  server: ChatServer,
  node: TestNode,
  user: TestUser,
  resource: string,
  { library = "frames" as Library, secret = user.password } = {},
): Promise<ChatClient> {
  const client = await LIBRARIES[library]({ ...node, chatUrl: server.url }, user, resource, secret);
  client.send('<presence xmlns="jabber:client"/>');
  // Servers handle a stream in order: when this message returns, the presence has been handled.
  client.send(
    `<message xmlns="jabber:client" type="chat" id="there" to="${client.jid}"><body/></message>`,
  );
  const back = await client.next();
  if (back.attributes.id !== "there") throw new Error(`unexpected stanza: ${JSON.stringify(back)}`);
  return client;
}

/** A stanza without the language that the server copies from the stream (RFC 6120 section 4.7.4). */
export function unstamped({ attributes, ...tree }: Tree): Tree {
  const { [LANG]: _lang, ...rest } = attributes;
  return { ...tree, attributes: rest };
}

/** The condition of an error stanza; empty for any other. */
export function conditionOf(stanza: Tree): string {
  const named = (tree: Tree, name: string) =>
    tree.content.find((child): child is Tree => typeof child !== "string" && child.name === name);
  const error = named(stanza, "error");
  const condition = error?.content.find((child): child is Tree => typeof child !== "string");
  return condition?.name ?? "";
}

/** Authenticates a raw client without binding; each frame waits for the response to the previous one. */
export async function signedInFrames(
  { url }: Pick<ChatServer, "url">,
  node: TestNode,
  user: TestUser,
  secret: string,
): Promise<RawClient> {
  const raw = await connectRaw(url);
  const name = `${user.id}-${node.application.id}`;
  const steps: [frame: string, responses: number][] = [
    [OPEN, 2],
    [auth(name, secret), 1],
    [OPEN, 2],
  ];
  for (const [frame, responses] of steps) {
    raw.send(frame);
    for (let count = 0; count < responses; count += 1) {
      const answer = await raw.next();
      if (answer.startsWith("<failure")) throw new Error(answer);
    }
  }
  return raw;
}

async function frames(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret: string,
): Promise<ChatClient> {
  const raw = await signedInFrames({ url: node.chatUrl }, node, user, secret);
  raw.send(bind(resource));
  const answer = await raw.next();
  if (!answer.includes("<jid>")) throw new Error(answer);
  return chatClientOf(raw, jidOf(node, user, resource));
}

/** Whether the component of a node is connected, by its metrics. */
export async function isComponentConnected(node: Pick<TestNode, "baseUrl">): Promise<boolean> {
  const metrics = await (await fetch(`${node.baseUrl}/metrics`)).text();
  return /^signalbox_chat_server_connected 1$/m.test(metrics);
}
