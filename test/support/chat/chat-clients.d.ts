/** The part of @xmpp/client that the tests use; the package brings no types. */
declare module "@xmpp/client" {
  export interface XmlNode {
    name: string;
    attrs: Record<string, string>;
    children: (XmlNode | string)[];
    getName(): string;
    getNS(): string | null;
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
    streamManagement: {
      enabled: boolean;
      id: string;
      on(event: "resumed" | "fail", listener: (stanza: XmlNode) => void): void;
    };
    streamFeatures: unknown;
    start(): Promise<{ toString(): string }>;
    stop(): Promise<unknown>;
    send(element: XmlNode): Promise<void>;
    write(text: string): Promise<void>;
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

/** The part of Strophe that the tests use; its own types are for ES modules in a browser. */
declare module "strophe.js" {
  export interface DomElement {
    textContent: string | null;
    getAttribute(name: string): string | null;
    getElementsByTagName(name: string): ArrayLike<DomElement>;
  }

  export interface Builder {
    c(name: string, attrs?: Record<string, string>): Builder;
    t(text: string): Builder;
    up(): Builder;
  }

  export interface Connection {
    jid: string;
    connect(jid: string, password: string, onStatus: (status: number) => void): void;
    disconnect(reason: string): void;
    send(stanza: Builder | DomElement): void;
    sendIQ(
      stanza: Builder,
      onResult: (answer: DomElement) => void,
      onError: (answer: DomElement | null) => void,
    ): string;
    addHandler(
      handler: (stanza: DomElement) => boolean,
      namespace: string | null,
      name: string | null,
      type: string | null,
    ): void;
  }

  export const Strophe: {
    Connection: new (service: string) => Connection;
    Status: Record<"AUTHFAIL" | "CONNECTED" | "CONNFAIL" | "DISCONNECTED", number>;
    LogLevel: Record<"FATAL", number>;
    setLogLevel(level: number): void;
  };
  export function $build(name: string, attrs: Record<string, string>): Builder;
  export function $iq(attrs: Record<string, string>): Builder;
  export function $msg(attrs: Record<string, string>): Builder;
  export function $pres(attrs?: Record<string, string>): Builder;
}
