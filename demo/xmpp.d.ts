/** The used part of @xmpp/client 0.14, which has no type declarations. */
declare module "@xmpp/client" {
  export interface XmlNode {
    name: string;
    attrs: Record<string, string>;
    children: (XmlNode | string)[];
    is(name: string, xmlns?: string): boolean;
    getChild(name: string, xmlns?: string): XmlNode | undefined;
    toString(): string;
  }

  export interface XmppClient {
    reconnect: { stop(): void };
    /** Connects, signs in and binds a resource. Resolves with the full JID. */
    start(): Promise<{ toString(): string }>;
    stop(): Promise<unknown>;
    send(element: XmlNode): Promise<void>;
    on(event: "stanza" | "element", listener: (element: XmlNode) => void): void;
    on(event: "error", listener: (error: Error & { condition?: string }) => void): void;
    on(event: "disconnect" | "offline" | "online", listener: () => void): void;
  }

  export function client(options: {
    service: string;
    domain: string;
    username: string;
    password: string;
    resource?: string;
  }): XmppClient;

  export function xml(
    name: string,
    attrs?: Record<string, string>,
    ...children: (XmlNode | string | undefined)[]
  ): XmlNode;
}
