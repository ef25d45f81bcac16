import { WebSocket } from "ws";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually } from "../moving-clock";
import type { TestNode } from "../node";
import type { CallData } from "./calls";

/** What the tests select of a call as owners see it. */
export const APPLICATION_CALL = `id applicationId callId callerId callType state startedAt acceptedAt endedAt hungUpById endReason
  answerSeconds timelineTruncated
  participants { userId caller state reason device user { login fullName } }
  timeline { kind firstAt lastAt count senderId senderDevice recipientId recipientDevice }`;

const LIST = `query ($application: ID!, $first: Int, $after: String, $last: Int, $before: String, $states: [CallState!],
    $userId: ID, $since: DateTime, $until: DateTime) {
  application(id: $application) {
    calls(first: $first, after: $after, last: $last, before: $before, states: $states, userId: $userId, since: $since,
        until: $until) {
      edges { cursor } nodes { ${APPLICATION_CALL} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;

/** Lists the calls of a node's application as its owner. @throws Error with the errors of the response */
export async function listCallsOf(
  node: TestNode,
  token: string,
  variables: Record<string, unknown> = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
): Promise<any> {
  const application = String(node.application.id);
  const { data, errors } = await graphql(node, LIST, { application, ...variables }, token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.application.calls;
}

/** Finds a call by its sessionID as the owner. */
export async function ownersCall(node: TestNode, token: string, callId: string): Promise<CallData> {
  const { nodes } = await listCallsOf(node, token);
  return nodes.find((call: CallData) => call.callId === callId);
}

/**
 * Waits until the timeline of a call has some entries, and reads the call after that: a list reads the rows of calls
 * before the timelines, so the read that first finds the entries may have the state from before them.
 */
export async function waitForEntries(
  node: TestNode,
  token: string,
  callId: string,
  count: number,
): Promise<CallData> {
  await eventually(
    () => ownersCall(node, token, callId),
    (call) => call?.timeline.length >= count,
  );
  return ownersCall(node, token, callId);
}

/** Subscribes, mostly as an owner; resolves once the subscription is active. */
export async function watchAsOwner(node: TestNode, token: string, subscription: string) {
  const socket = await openSocket(node, token);
  socket.send({ id: "s", type: "subscribe", payload: { query: subscription } });
  await socket.run(token.startsWith("acct_") ? "{ account { id } }" : "{ currentSession { id } }");
  const name = /\{ (\w+)/.exec(subscription)?.[1] ?? "";
  return {
    /** What has arrived so far. */
    received: (): CallData[] =>
      socket.received
        .filter(({ id, type }) => id === "s" && type === "next")
        .map(({ payload }) => payload.data[name]),
    /** The code of the error with which the subscription is refused. */
    async refused(): Promise<string> {
      const message = await eventually(
        () => socket.received.find(({ id }) => id === "s"),
        (found) => found !== undefined,
      );
      return (message?.payload.errors ?? message?.payload)?.[0]?.extensions.code;
    },
    /**
     * The code of the error with which the subscription ends, or of the close frame: the session's end closes the
     * socket as soon as the periodic check finds it.
     */
    failed(): Promise<string | number> {
      const error = async () => {
        const message = await eventually(
          () =>
            socket.received.find(({ id, type, payload }) => {
              return id === "s" && (type === "error" || payload?.errors !== undefined);
            }),
          (found) => found !== undefined || socket.socket.readyState === WebSocket.CLOSED,
        );
        return (message?.payload.errors ?? message?.payload)?.[0]?.extensions.code;
      };
      return Promise.race([error(), socket.closed.then(({ code }) => code)]);
    },
    /** Resolves to the code of the close frame when the socket is closed. */
    closed: () => socket.closed.then(({ code }) => code),
    close: () => socket.close(),
  };
}
