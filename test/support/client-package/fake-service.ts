import type { ConnectionOptions } from "../../../client/src/index.ts";

/**
 * A stand-in of the service whose answers a test chooses. Its sockets report an error and the close in two tasks, as
 * browsers do, which run what waits for the first before the second.
 */
export class FakeService {
  /** The sockets that were opened, in order. */
  readonly sockets: FakeSocket[] = [];
  /** Tokens with which a socket is closed. */
  readonly refused = new Set<string>();
  /** Answers a POST of a GraphQL request. */
  answer: (query: string, token?: string | null) => Response | Promise<Response> = () =>
    Response.json({
      data: {
        currentSession: {
          token: "token",
          userId: "1",
          expiresAt: new Date(Date.now() + 7_200_000).toISOString(),
          user: null,
        },
      },
    });
  /** What a new socket meets. */
  accepts: "all" | "none" | "silence" = "all";

  /** Options of a client that talks to this service. */
  options(): ConnectionOptions {
    const service = this;
    return {
      url: "http://service.test",
      session: () => "token",
      fetch: async (_url, init) => {
        const signal = init?.signal;
        return new Promise((resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
          if (signal?.aborted) reject(new DOMException("", "AbortError"));
          const token = new Headers(init?.headers).get("svc-token");
          Promise.resolve(service.answer(String(init?.body), token)).then(resolve, reject);
        });
      },
      WebSocket: class extends FakeSocket {
        constructor() {
          super(service.accepts, service.refused);
          service.sockets.push(this);
        }
      },
    };
  }
}

type Handler = ((event: object) => void) | null;

/** A stand-in of WebSocket with a service that speaks graphql-transport-ws. */
export class FakeSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readyState = FakeSocket.CONNECTING;
  onopen: Handler = null;
  onmessage: Handler = null;
  onerror: Handler = null;
  onclose: Handler = null;
  /** Messages of the client. */
  readonly received: { type: string; id?: string; payload?: Record<string, unknown> }[] = [];

  constructor(
    accepts: FakeService["accepts"],
    private readonly refused: ReadonlySet<string>,
  ) {
    super();
    if (accepts === "none") setTimeout(() => this.fail());
    if (accepts === "all") {
      setTimeout(() => {
        this.readyState = FakeSocket.OPEN;
        this.report("open", {});
      });
    }
  }

  send(text: string): void {
    const message = JSON.parse(text);
    this.received.push(message);
    if (message.type === "connection_init") {
      if (this.refused.has(message.payload?.token)) setTimeout(() => this.end(4401));
      else this.deliver({ type: "connection_ack" });
    }
    if (message.type === "ping") this.deliver({ type: "pong" });
  }

  /** The client closes. */
  close(code = 1000): void {
    if (this.readyState >= FakeSocket.CLOSING) return;
    const failed = this.readyState === FakeSocket.CONNECTING;
    this.readyState = FakeSocket.CLOSING;
    setTimeout(() => (failed ? this.fail() : this.end(code)));
  }

  /** A message of the service. */
  deliver(message: object): void {
    setTimeout(() => this.report("message", { data: JSON.stringify(message) }));
  }

  /** Delivers a result of the subscription of signals. */
  next(payload: object): void {
    const id = this.received.findLast((each) => JSON.stringify(each).includes("callSignals"))?.id;
    this.deliver({ type: "next", id, payload });
  }

  /** The connection ends with a code. */
  end(code: number): void {
    this.readyState = FakeSocket.CLOSED;
    this.report("close", { code, reason: "", wasClean: code !== 1006 });
  }

  private fail(): void {
    this.readyState = FakeSocket.CLOSED;
    this.report("error", {});
    setTimeout(() => this.end(1006));
  }

  private report(name: "open" | "message" | "error" | "close", event: object): void {
    const { onopen, onmessage, onerror, onclose } = this;
    ({ open: onopen, message: onmessage, error: onerror, close: onclose })[name]?.(event);
    this.dispatchEvent(Object.assign(new Event(name), event));
  }
}
