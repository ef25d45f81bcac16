import { createClient } from "graphql-ws";
import { seenBefore, waitBefore } from "./signalling.js";

/** @import { Address, IncomingSignal, Listener, Signal, Signalling } from "./signalling.js" */

const LISTEN = `
  subscription ($after: String) {
    callSignals(after: $after) {
      id
      cursor
      from { userId device }
      signalType
      sessionId
      callType
      sdp
      iceCandidates { sdpMLineIndex sdpMid candidate }
      userInfo
      ... on UpdateSignal { parameters }
    }
  }
`;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** The close code of a session that has ended (docs/SIGNALING.md). */
const SESSION_ENDED = 4401;

/**
 * Signals over GraphQL: one WebSocket, a subscription for what comes and a mutation for each that goes.
 * @param {{ url: string, token: string }} access `url` is the http address of /graphql
 * @param {Listener} listener
 * @returns {Signalling}
 */
export function openGraphqlSignalling({ url, token }, listener) {
  const isRepeat = seenBefore();
  let closed = false;
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    connectionParams: { token },
    // Connected from the start, whether or not anything is sent.
    lazy: false,
    // A socket may be dead without having closed; a ping every ten seconds finds out.
    keepAlive: 10_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (attempt) => new Promise((resolve) => setTimeout(resolve, waitBefore(attempt))),
    shouldRetry: (problem) => !hasEnded(problem),
    on: {
      connecting: () => listener.onLine("connecting"),
      connected: () => listener.onLine("online"),
      closed: (event) => {
        if (!closed) listener.onLine(hasEnded(event) ? "ended" : "offline");
      },
    },
    onNonLazyError: () => {},
  });
  // graphql-ws subscribes anew after each reconnect with what stands here then: behind the last signal.
  const payload = { query: LISTEN, variables: /** @type {{ after?: string }} */ ({}) };
  const listen = () => {
    client.subscribe(payload, {
      next({ data, errors }) {
        if (errors) return missed();
        const signal = /** @type {(IncomingSignal & { cursor: string }) | undefined} */ (
          data?.callSignals
        );
        if (!signal) return;
        payload.variables.after = signal.cursor;
        if (!isRepeat(signal.id)) listener.onSignal(signal);
      },
      error: (problem) => (Array.isArray(problem) ? missed() : !closed && listener.onLine("ended")),
      complete: () => {},
    });
  };
  // Away for more than a minute: nobody can say what came meanwhile, so it begins anew.
  const missed = () => {
    if (closed || payload.variables.after === undefined) return;
    delete payload.variables.after;
    listen();
  };
  listen();
  return {
    /** @param {Address} to @param {Signal} signal */
    send(to, signal) {
      // An id of our own: a mutation that is sent again after a reconnect stays one signal.
      const input = { to, id: crypto.randomUUID(), platform: "web", ...signal };
      client.subscribe(
        { query: SEND, variables: { input } },
        {
          next({ errors }) {
            if (errors?.[0]) listener.onRefused(signal, errors[0].message);
          },
          error: (problem) => !closed && listener.onRefused(signal, messageOf(problem)),
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

/** @param {unknown} problem an error, a list of GraphQL errors, or the event of a closed socket */
function messageOf(problem) {
  const [first] = Array.isArray(problem) ? problem : [problem];
  return first?.message || first?.reason || "The signal was not sent";
}
