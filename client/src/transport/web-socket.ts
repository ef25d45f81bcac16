import { SignalboxError } from "../errors.ts";

/** Time in which a connection must open, in milliseconds. */
const OPEN_MS = 10_000;

/** As much of a WebSocket as is needed to bound its opening. */
type OpeningSocket = new (
  url: string,
  protocols?: string | string[],
) => {
  addEventListener(name: "open" | "close" | "error", listener: () => void): void;
  close(): void;
};

/**
 * The class of WebSockets with a time-out of its opening: a network that drops packets would hold an attempt for
 * minutes.
 * @param given the class to use in place of the platform's
 * @param onRefused called with the exception of a platform that refuses the URL, such as ws: on a page with TLS
 * @throws SignalboxError UNSUPPORTED if there is none
 */
export function boundedWebSocket(given: unknown, onRefused: (cause: unknown) => void): unknown {
  const platform = (given ?? globalThis.WebSocket) as OpeningSocket | undefined;
  if (!platform) {
    const message = "This platform has no WebSocket: pass that of the package ws";
    throw new SignalboxError("UNSUPPORTED", message);
  }
  return new Proxy(platform, {
    construct(target, [url, protocols]) {
      let socket: InstanceType<OpeningSocket>;
      try {
        socket = new target(url, protocols);
      } catch (error) {
        onRefused(error);
        // graphql-ws passes no exception on.
        return {};
      }
      const timer = setTimeout(() => socket.close(), OPEN_MS);
      for (const name of ["open", "close"] as const) {
        socket.addEventListener(name, () => clearTimeout(timer));
      }
      // The package ws throws an error that nobody listens to; the event close follows.
      socket.addEventListener("error", () => {});
      return socket;
    },
  });
}
