import { once } from "node:events";
import { connect } from "node:net";
import {
  connectSocket,
  type GraphqlSocket,
  openSocket,
} from "../../../tools/graphql/graphql-socket";
import { type ChatClient, rawChat } from "../../support/calls/signal-clients";
import { connectRaw, DOMAIN } from "../../support/chat/chat";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, type TestUser } from "../../support/rest-client";

/** What clients see during a graceful shutdown. */

const SOCKETS = 40;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

let node: TestNode;
let user: TestUser;
let sockets: GraphqlSocket[];
let streams: ChatClient[];
beforeAll(async () => {
  node = await startNode({ CHAT_DOMAIN: DOMAIN, DRAIN_SPREAD_SECONDS: "1" });
  user = await newUser(node);
  sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openSocket(node, user.token)));
  streams = [];
  for (let index = 0; index < SOCKETS; index++) {
    streams.push(await rawChat(node, user, `phone-${index}`, user.token));
  }
});
afterAll(() => node?.stop());

it("a node that shuts down closes its sockets gradually, and they work until then", async () => {
  const withTime = <T>(ended: Promise<T>) => ended.then((how) => ({ how, at: Date.now() }));
  const closings = Promise.all(sockets.map(({ closed }) => withTime(closed)));
  const streamEnds = Promise.all(streams.map(({ ended }) => withTime(ended)));
  const stopped = node.app.close();

  // Open sockets still work; new connections are rejected.
  const sent = await Promise.any(
    sockets.map((socket) =>
      socket.run(SEND, {
        input: { to: { userId: user.id }, signal: { hangUp: { callId: "s" } } },
      }),
    ),
  );
  expect(sent.data.sendSignal.id).toEqual(expect.any(String));
  expect(await rejectsConnections(node.baseUrl)).toBe(true);
  expect(await rejectsConnections(node.chatUrl)).toBe(true);
  await expect(rest(node, "GET", "/readyz")).rejects.toThrow();

  for (const ended of [await closings, await streamEnds]) {
    // The steps run one after the other, so a busy machine can only increase the distance.
    const times = ended.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(400);
  }
  expect(new Set((await closings).map(({ how }) => how.code))).toEqual(new Set([1012]));
  expect(new Set((await streamEnds).map(({ how }) => how))).toEqual(new Set(["system-shutdown"]));
  await stopped;
});

it("a client that never answers the close does not delay the shutdown", async () => {
  const other = await startNode({ CHAT_DOMAIN: DOMAIN, DRAIN_SPREAD_SECONDS: "0" });
  const silent = await connectSocket(other);
  const mute = await connectRaw(other.chatUrl);
  for (const { socket } of [silent, mute]) socket.pause();
  await other.stop();
  for (const { socket } of [silent, mute]) socket.terminate();
});

it("a connection without a request, as browsers open them in advance, does not delay the shutdown", async () => {
  const other = await startNode({ DRAIN_SPREAD_SECONDS: "0" });
  const { hostname, port } = new URL(other.baseUrl);
  const unused = connect(Number(port), hostname);
  await once(unused, "connect");
  // The server has accepted it once it answers what came later.
  await rest(other, "GET", "/readyz");
  const closed = once(unused, "close").then(() => "the service closed it");
  const stopped = other.stop().then(() => "the service has stopped");
  expect(await Promise.all([closed, stopped])).toHaveLength(2);
  // Node itself would have closed it as one that times out, with an answer.
  expect(unused.bytesRead).toBe(0);
});

/** Whether a port rejects connections. */
function rejectsConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => resolve(false)).on("error", () => resolve(true));
    socket.on("close", () => socket.destroy());
  });
}
