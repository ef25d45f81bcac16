import { randomUUID } from "node:crypto";
import type { XmlNode, XmppClient } from "@xmpp/client";
import { WebSocket } from "ws";
import { Mismatch } from "./check";
import { ReceiveQueue } from "./receive-queue";

/** Elements by name, in order; a value is text, nested elements, or a list for repeated names. */
export interface Elements {
  [name: string]: string | Elements | (string | Elements)[];
}

/** A user of the chat endpoint. */
export interface XmppAccount {
  userId: number;
  applicationId: number;
  /** The token of one of the user's sessions; the user's password works too. */
  token: string;
  /** Name of the device, which is the resource of the JID. */
  device: string;
}

/** The bare JID of a user, which addresses all of the user's devices. */
export function bareJid(userId: number, applicationId: number, domain: string): string {
  return `${userId}-${applicationId}@${domain}`;
}

/** A legacy client of the chat endpoint, which uses only XMPP. */
export class XmppPeer {
  /** Messages to this user, in order of arrival. */
  readonly received = new ReceiveQueue<XmlNode>((stanza) => `<${stanza.name}>`);
  /** The full JID that the server bound. */
  jid = "";

  private constructor(
    private readonly client: XmppClient,
    private readonly xml: typeof import("@xmpp/client").xml,
  ) {}

  /** Connects, signs in and binds a resource. Resolves once signals arrive. */
  static async connect(
    service: string,
    domain: string,
    { userId, applicationId, token, device }: XmppAccount,
  ): Promise<XmppPeer> {
    // @xmpp/client uses the global WebSocket, which Node has only since version 22.
    if (!("WebSocket" in globalThis)) Object.assign(globalThis, { WebSocket });
    // An ES module, which CommonJS code like this can only import dynamically.
    const { client, xml } = await import("@xmpp/client");
    const username = `${userId}-${applicationId}`;
    const entity = client({ service, domain, username, password: token, resource: device });
    const peer = new XmppPeer(entity, xml);
    // Applications omit this and reconnect; here a lost connection fails the step.
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
    // Initial presence makes the client available (RFC 6121 section 4.2).
    await entity.send(xml("presence"));
    return peer;
  }

  /** Builds a call signal: a headline message with extraParams (docs/SIGNALING.md). */
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
    // An undelivered stanza is returned as an error (RFC 6120 section 8.3).
    if (stanza.attrs.type === "error") {
      this.received.fail(new Mismatch("the sent stanza", "delivery", String(stanza)));
    } else this.received.push(stanza);
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

/** The elements of a call signal's extraParams; empty if it has none. */
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
