import { CloseCode, type Server } from "graphql-ws";

/** A class in place of `WebSocket`, whose connections a server in the same process takes at once. */
export function socketTo(server: Server): unknown {
  return class FakeSocket extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;
    readyState = FakeSocket.CONNECTING;
    onopen?: (event: Event) => void;
    onmessage?: (event: Event) => void;
    onclose?: (event: Event) => void;
    #receive: (message: string) => void = () => undefined;
    #closed: (code: number, reason: string) => void = () => undefined;

    constructor(
      readonly url: string,
      readonly protocol: string,
    ) {
      super();
      queueMicrotask(() => this.#open());
    }

    send(message: string): void {
      this.#receive(message);
    }

    close(code: number = CloseCode.InternalClientError, reason = ""): void {
      if (this.readyState === FakeSocket.CLOSED) return;
      this.readyState = FakeSocket.CLOSED;
      this.#closed(code, reason);
      this.#report("close", { code, reason, wasClean: true });
    }

    #open(): void {
      this.readyState = FakeSocket.OPEN;
      const closed = server.opened(
        {
          protocol: this.protocol,
          send: (data) => this.#report("message", { data }),
          close: (code, reason) => this.close(code, reason),
          onMessage: (receive) => {
            this.#receive = (message) => void receive(message);
          },
        },
        undefined,
      );
      this.#closed = (code, reason) => void closed(code, reason);
      this.#report("open", {});
    }

    #report(name: "open" | "message" | "close", properties: object): void {
      const event = Object.assign(new Event(name), properties);
      this[`on${name}`]?.(event);
      this.dispatchEvent(event);
    }
  };
}
