import { auth, bind, connectRaw, OPEN, type RawClient } from "./chat";
import type { ChatServer } from "./chat-servers/chat-server";
import type { TestUser } from "./client";
import type { TestNode } from "./node";
import { type ChatClient, framesOf, jidOf, strophe } from "./signal-clients";
import type { Tree } from "./xml-tree";

const LANG = "{http://www.w3.org/XML/1998/namespace}lang";
/**
 * xmpp.js is left out: over WebSocket it counts wrong when presence goes out at once, and Prosody ends
 * the stream.
 */
const LIBRARIES = { frames, Strophe: strophe };

/** A library that signs in over WebSocket. */
export type Library = keyof typeof LIBRARIES;

/** A client of a chat server that is there for headlines, which both servers ask presence for. */
export async function chatClient(
  server: ChatServer,
  node: TestNode,
  user: TestUser,
  resource: string,
  { library = "frames" as Library, secret = user.password } = {},
): Promise<ChatClient> {
  const client = await LIBRARIES[library]({ ...node, chatUrl: server.url }, user, resource, secret);
  client.send('<presence xmlns="jabber:client"/>');
  // A stream is worked off in order: when this comes back the presence was taken.
  client.send(
    `<message xmlns="jabber:client" type="chat" id="there" to="${client.jid}"><body/></message>`,
  );
  const back = await client.next();
  if (back.attributes.id !== "there") throw new Error(`${JSON.stringify(back)} came first`);
  return client;
}

/** A stanza without the language that a server stamps on it from the stream's (RFC 6120 section 4.7.4). */
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

/**
 * Signs in with frames as they stand on the wire, each sent when the one before it is answered; nothing
 * is bound yet.
 */
export async function signedInFrames(
  { url }: Pick<ChatServer, "url">,
  node: TestNode,
  user: TestUser,
  secret: string,
): Promise<RawClient> {
  const raw = await connectRaw(url);
  const name = `${user.id}-${node.application.id}`;
  const steps: [frame: string, answers: number][] = [
    [OPEN, 2],
    [auth(name, secret), 1],
    [OPEN, 2],
  ];
  for (const [frame, answers] of steps) {
    raw.send(frame);
    for (let count = 0; count < answers; count += 1) {
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
  return framesOf(raw, jidOf(node, user, resource));
}

/** Whether a node says that it is attached. */
export async function isAttached(node: Pick<TestNode, "baseUrl">): Promise<boolean> {
  const metrics = await (await fetch(`${node.baseUrl}/metrics`)).text();
  return /^signalbox_chat_link 1$/m.test(metrics);
}
