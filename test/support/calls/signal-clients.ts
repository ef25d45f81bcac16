// Loaded before Strophe, whose global `document` it would take for a browser.
import "@electric-sql/pglite";

import type { Element as DomElement } from "@xmldom/xmldom";
import { type XmlNode, xml } from "@xmpp/client";
import { WebSocket } from "ws";
import { AsyncQueue } from "../../../tools/async-queue";
import { signInRaw } from "../chat/chat";
import type { RawClient } from "../chat/raw-client";
import { domTree, parseXml, type Tree, treeOf, xmppTree } from "../chat/xml-tree";
import { xmppJsClient } from "../chat/xmpp-js";
import type { TestNode } from "../node";
import type { TestUser } from "../rest-client";

// Both chat libraries expect the browser's global.
Object.assign(globalThis, { WebSocket });

/** A user's device on XMPP. */
export interface ChatClient {
  /** Full JID. */
  jid: string;
  /** Sends a stanza given as XML text. */
  send(stanza: string): void;
  /** Takes the next message, as parsed by the client's library. */
  next(): Promise<Tree>;
  /** Resolves when the stream has ended, with its error condition if the library provides it. */
  ended: Promise<string>;
  close(): void;
}

/** JID of a user, or of a user's device, in the node's domain. */
export function jidOf(node: TestNode, user: Pick<TestUser, "id">, resource?: string): string {
  const bare = `${user.id}-${node.application.id}@${node.app.addresses.chat_domain}`;
  return resource === undefined ? bare : `${bare}/${resource}`;
}

/** Signs a user in by raw frames; the node's domain must be `DOMAIN`. */
export async function rawChat(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret = user.password,
): Promise<ChatClient> {
  const raw = await signInRaw(node.chatUrl, `${user.id}-${node.application.id}`, resource, secret);
  return chatClientOf(raw, jidOf(node, user, resource));
}

/** Wraps a bound raw client as a {@link ChatClient}. */
export function chatClientOf(raw: RawClient, jid: string): ChatClient {
  const messages = new AsyncQueue<Tree>();
  const ended = (async () => {
    let condition = "";
    try {
      for (;;) {
        const frame = await raw.next();
        if (/^<message\b/.test(frame)) messages.push(treeOf(frame));
        else condition ||= /^<stream:error[^>]*><([a-z-]+)/.exec(frame)?.[1] ?? "";
      }
    } catch (error) {
      messages.end(String(error));
      return condition;
    }
  })();
  return {
    jid,
    send: (stanza) => raw.send(stanza),
    next: () => messages.next(),
    ended,
    close: () => raw.socket.terminate(),
  };
}

/** A chat client that uses a library. */
export interface LibraryChat extends ChatClient {
  /** Pings the server; resolves with the answer. */
  ping(): Promise<unknown>;
  /** Closes the stream; resolves when it has ended. */
  disconnect(): Promise<unknown>;
}

/** Signs a user in with xmpp.js. */
export async function connectXmppJs(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret = user.password,
  service = node.chatUrl,
): Promise<LibraryChat> {
  const xmpp = xmppJsClient({
    service,
    domain: node.app.addresses.chat_domain,
    username: `${user.id}-${node.application.id}`,
    password: secret,
    resource,
  });
  const messages = new AsyncQueue<Tree>();
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
    ping: () =>
      xmpp.iqCaller.request(xml("iq", { type: "get" }, xml("ping", { xmlns: "urn:xmpp:ping" }))),
    disconnect: () => xmpp.stop(),
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
export async function connectStrophe(
  node: TestNode,
  user: TestUser,
  resource: string,
  secret = user.password,
  url = node.chatUrl,
): Promise<LibraryChat> {
  // Loaded late: it defines a global `document`, with which PGlite can no longer be loaded.
  const { $iq, Strophe } = await import("strophe.js");
  Strophe.setLogLevel(Strophe.LogLevel.FATAL);
  const connection = new Strophe.Connection(url);
  const messages = new AsyncQueue<Tree>();
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
    ping: () =>
      new Promise((resolve, reject) => {
        const ping = $iq({ type: "get" }).c("ping", { xmlns: "urn:xmpp:ping" });
        connection.sendIQ(ping, resolve, reject);
      }),
    disconnect() {
      connection.disconnect("end");
      return ended;
    },
  };
}
