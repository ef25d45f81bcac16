/** The part of @xmpp/client that the tests use; the package brings no types. */
declare module "@xmpp/client" {
  export interface XmlNode {
    name: string;
    attrs: Record<string, string>;
    is(name: string, xmlns?: string): boolean;
    getChild(name: string, xmlns?: string): XmlNode | undefined;
    getChildren(name: string, xmlns?: string): XmlNode[];
    getChildText(name: string, xmlns?: string): string | null;
    toString(): string;
  }

  export interface XmppClient {
    jid: { toString(): string } | null;
    status: string;
    reconnect: { stop(): void };
    streamFeatures: unknown;
    start(): Promise<{ toString(): string }>;
    stop(): Promise<unknown>;
    send(element: XmlNode): Promise<void>;
    on(event: "stanza" | "element", listener: (element: XmlNode) => void): void;
    on(event: "error", listener: (error: Error & { condition?: string }) => void): void;
    on(event: "disconnect" | "offline" | "online", listener: () => void): void;
    iqCaller: { request(iq: XmlNode, timeout?: number): Promise<XmlNode> };
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
