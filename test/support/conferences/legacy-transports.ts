import { once } from "node:events";
import { WebSocket } from "ws";
import type { Frame } from "../../../src/transports/janus-endpoint/protocol/frames";
import { trustOptions } from "../operations/certificates";

/** A message to the server. */
export type LegacyMessage = Record<string, unknown>;

/** How the messages of a legacy client travel. */
export interface LegacyTransport {
  /** Sends a message, and returns its reply: what is no event and has its transaction. */
  request(message: LegacyMessage & { transaction: string }): Promise<Frame>;
  /** Sends a message without a valid transaction, and returns the next message. */
  unmatched(message: LegacyMessage): Promise<Frame>;
  /** Called once a session exists. */
  sessionCreated(id: number): void;
  /** Ends the connection without a word. */
  drop(): void;
  /** Keeps the connection, but reads nothing from it. */
  freeze(): void;
  /** Resolves when the connection is lost, with the close code of a socket, or the status of a poll (0: none). */
  readonly lost: Promise<number>;
}

/** Opens a transport. @param onEvent called with everything that is no reply */
export type OpenTransport = (
  url: string,
  token: string,
  onEvent: (frame: Frame) => void,
) => Promise<LegacyTransport>;

/** The Janus API over WebSocket. */
export const overWebSocket: OpenTransport = async (url, _token, onEvent) => {
  const socket = new WebSocket(url, "janus-protocol", await trustOptions());
  const waiting = new Map<string, { resolve(frame: Frame): void; reject(error: Error): void }>();
  const lost = new Promise<number>((resolve) => {
    socket.on("close", (code) => {
      for (const { reject } of waiting.values()) reject(new Error(`closed with ${code}`));
      resolve(code);
    });
  });
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data)) as Frame;
    const reply = frame.transaction === undefined ? undefined : waiting.get(frame.transaction);
    if (frame.janus === "event" || !reply) return onEvent(frame);
    waiting.delete(frame.transaction ?? "");
    reply.resolve(frame);
  });
  await once(socket, "open");
  socket.on("error", () => {});
  return {
    lost,
    request(message) {
      return new Promise((resolve, reject) => {
        waiting.set(message.transaction, { resolve, reject });
        socket.send(JSON.stringify(message), (error) => {
          if (error) reject(error);
        });
      });
    },
    unmatched(message) {
      return new Promise((resolve) => {
        socket.once("message", (data) => resolve(JSON.parse(String(data)) as Frame));
        socket.send(JSON.stringify(message));
      });
    },
    sessionCreated() {},
    drop: () => socket.terminate(),
    freeze: () => socket.pause(),
  };
};

/** The Janus API by long polling: as the library does it, with the ids in the path. */
export const overPolling: OpenTransport = async (url, token, onEvent) => {
  const base = `${url}/janus`;
  const stop = new AbortController();
  let markLost: (status: number) => void = () => {};
  const lost = new Promise<number>((resolve) => (markLost = resolve));
  /** The library gives up after three failures. */
  const poll = async (session: number) => {
    let status = 0;
    for (let failures = 0; failures < 3; ) {
      const query = new URLSearchParams({ rid: String(Math.random()), maxev: "10", token });
      try {
        const response = await fetch(`${base}/${session}?${query}`, { signal: stop.signal });
        if (!response.ok) {
          failures += 1;
          status = response.status;
          continue;
        }
        const answer = (await response.json()) as Frame | Frame[];
        for (const frame of [answer].flat()) if (frame.janus !== "keepalive") onEvent(frame);
      } catch {
        if (stop.signal.aborted) return;
        failures += 1;
        status = 0;
      }
    }
    markLost(status);
  };
  return {
    lost,
    async request({ session_id, handle_id, ...message }) {
      const path = [session_id, handle_id].filter((id) => id !== undefined).map((id) => `/${id}`);
      const response = await fetch(`${base}${path.join("")}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(message),
      });
      return (await response.json()) as Frame;
    },
    async unmatched(message) {
      const response = await fetch(base, { method: "POST", body: JSON.stringify(message) });
      return (await response.json()) as Frame;
    },
    sessionCreated: (id) => void poll(id),
    drop: () => stop.abort(),
    freeze: () => stop.abort(),
  };
};
