import { randomUUID } from "node:crypto";
import type { XmlNode, XmppClient } from "@xmpp/client";
import { WebSocket } from "ws";
import { Mismatch } from "./check";
import { Inbox } from "./inbox";

/** Elements by name, in order: text, elements inside, or several of one name. */
export interface Elements {
  [name: string]: string | Elements | (string | Elements)[];
}

/** A user as the chat endpoint knows one. */
export interface XmppAccount {
  userId: number;
  applicationId: number;
  /** The token of one of the user's sessions; the user's password would do as well. */
  token: string;
  /** Name of the device, the resource of the JID. */
  device: string;
}

/** The bare JID of a user, which reaches all of the user's devices. */
export function bareJid(userId: number, applicationId: number, domain: string): string {
  return `${userId}-${applicationId}@${domain}`;
}

/** A client of the chat endpoint, as it was before there was GraphQL: it knows stanzas alone. */
export class XmppPeer {
  /** Messages to this user, as they came. */
  readonly received = new Inbox<XmlNode>((stanza) => `<${stanza.name}>`);
  /** The full JID that the server bound. */
  jid = "";

  private constructor(
    private readonly client: XmppClient,
    private readonly xml: typeof import("@xmpp/client").xml,
  ) {}

  /** Connects, signs in and binds; resolves once signals arrive. */
  static async connect(
    service: string,
    domain: string,
    { userId, applicationId, token, device }: XmppAccount,
  ): Promise<XmppPeer> {
    // @xmpp/client takes the browser's WebSocket, which Node has only from version 22 on.
    if (!("WebSocket" in globalThis)) Object.assign(globalThis, { WebSocket });
    // An ES module: a program that is CommonJS, like this one, has to import it so.
    const { client, xml } = await import("@xmpp/client");
    const username = `${userId}-${applicationId}`;
    const entity = client({ service, domain, username, password: token, resource: device });
    const peer = new XmppPeer(entity, xml);
    // An application leaves this alone and reconnects; here a lost connection is a failed step.
    entity.reconnect.stop();
    entity.on("error", (error) => peer.received.fail(error));
    entity.on("disconnect", () => peer.received.fail(new Error("the chat stream ended")));
    entity.on("stanza", (stanza) => peer.receive(stanza));
    try {
      peer.jid = String(await entity.start());
    } catch (error) {
      await peer.close().catch(() => undefined);
      throw error;
    }
    // Presence makes a client available (RFC 6121 section 4.2), as chat clients have always begun.
    await entity.send(xml("presence"));
    return peer;
  }

  /** Builds a call signal: a headline whose extraParams name the module (docs/SIGNALING.md). */
  signal(to: string, elements: Elements): XmlNode {
    const attributes = { to, type: "headline", id: randomUUID() };
    const content = { moduleIdentifier: "WebRTCVideoChat", ...elements };
    const params = this.xml("extraParams", { xmlns: "jabber:client" }, ...this.write(content));
    return this.xml("message", attributes, params);
  }

  send(stanza: XmlNode): Promise<void> {
    return this.client.send(stanza);
  }

  async close(): Promise<void> {
    await this.client.stop();
  }

  private receive(stanza: XmlNode): void {
    if (stanza.name !== "message") return;
    // What could not be delivered comes back (RFC 6120 section 8.3).
    if (stanza.attrs.type === "error") {
      this.received.fail(new Mismatch("the stanza sent", "to be delivered", String(stanza)));
    } else this.received.put(stanza);
  }

  private write(elements: Elements): XmlNode[] {
    return Object.entries(elements).flatMap(([name, value]) =>
      [value].flat().map((item) => {
        const children = typeof item === "string" ? [item] : this.write(item);
        return this.xml(name, {}, ...children);
      }),
    );
  }
}

/** The elements of a call signal's extraParams; empty when it has none. */
export function readElements(stanza: XmlNode): Elements {
  const params = stanza.getChild("extraParams");
  const content = params ? read(params) : {};
  return typeof content === "string" ? {} : content;
}

function read(element: XmlNode): string | Elements {
  const inside = element.children.filter((child) => typeof child !== "string");
  if (inside.length === 0) return element.children.join("");
  const elements: Elements = {};
  for (const child of inside) {
    const value = read(child);
    const before = elements[child.name];
    elements[child.name] = before === undefined ? value : [before, value].flat();
  }
  return elements;
}
