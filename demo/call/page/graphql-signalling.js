import { createClient } from "graphql-ws";
import { createDeduplicator, reconnectDelay } from "./signalling.js";

/** @import { Address, IncomingSignal, Listener, Signal, Signalling } from "./signalling.js" */

const SUBSCRIPTION = `
  subscription ($after: String) {
    callSignals(after: $after) {
      id
      cursor
      from { userId device }
      signalType
      callId
      callType
      sdp
      iceCandidates { sdpMLineIndex sdpMid candidate }
      userInfo
      ... on UpdateSignal { parameters }
    }
  }
`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** The WebSocket close code for an ended session (docs/SIGNALING-REFERENCE.md). */
const SESSION_ENDED = 4401;

/**
 * Signalling over GraphQL on one WebSocket: a subscription receives signals, mutations send them.
 * @param {{ url: string, token: string }} access `url` is the http URL of /graphql
 * @param {Listener} listener
 * @returns {Signalling}
 */
export function openGraphqlSignalling({ url, token }, listener) {
  const isDuplicate = createDeduplicator();
  let closed = false;
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    connectionParams: { token },
    // Connect immediately, before the first operation.
    lazy: false,
    // Detects dead sockets with a ping every ten seconds.
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (attempt) => new Promise((resolve) => setTimeout(resolve, reconnectDelay(attempt))),
    shouldRetry: (problem) => !hasEnded(problem),
    on: {
      connecting: () => listener.onStatus("connecting"),
      connected: () => listener.onStatus("online"),
      closed: (event) => {
        if (!closed) listener.onStatus(hasEnded(event) ? "ended" : "offline");
      },
    },
    onNonLazyError: () => {},
  });
  // graphql-ws resubscribes with this object after each reconnect, so `after` resumes behind the last signal.
  const payload = { query: SUBSCRIPTION, variables: /** @type {{ after?: string }} */ ({}) };
  const subscribe = () => {
    client.subscribe(payload, {
      next({ data, errors }) {
        if (errors) return restart();
        const signal = /** @type {IncomingSignal & { cursor: string } | undefined} */ (
          data?.callSignals
        );
        if (!signal) return;
        payload.variables.after = signal.cursor;
        if (!isDuplicate(signal.id)) listener.onSignal(signal);
      },
      error: (problem) =>
        Array.isArray(problem) ? restart() : !closed && listener.onStatus("ended"),
      complete: () => {},
    });
  };
  // After more than a minute offline the cursor has expired, so this subscribes without it.
  const restart = () => {
    if (closed || payload.variables.after === undefined) return;
    delete payload.variables.after;
    subscribe();
  };
  subscribe();
  return {
    /** @param {Address} to @param {Signal} signal */
    send(to, signal) {
      // A client-generated id makes the mutation idempotent when it is sent again after a reconnect.
      const { signalType, ...fields } = signal;
      const content = { [signalType]: { platform: "web", ...fields } };
      const input = { to, id: crypto.randomUUID(), signal: content };
      client.subscribe(
        { query: SEND, variables: { input } },
        {
          next({ errors }) {
            if (errors?.[0]) listener.onRejected(signal, errors[0].message);
          },
          error: (problem) => !closed && listener.onRejected(signal, messageOf(problem)),
          complete: () => {},
        },
      );
    },
    close() {
      closed = true;
      void client.dispose();
    },
  };
}

/** @param {unknown} event */
const hasEnded = (event) =>
  typeof event === "object" && event !== null && "code" in event && event.code === SESSION_ENDED;

/** @param {unknown} problem an error, a list of GraphQL errors, or a close event */
function messageOf(problem) {
  const [first] = Array.isArray(problem) ? problem : [problem];
  return first?.message || first?.reason || "The signal was not sent";
}
