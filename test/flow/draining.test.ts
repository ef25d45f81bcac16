import { connect } from "node:net";
import { connectRaw, DOMAIN } from "../support/chat";
import { newUser, rest, type TestUser } from "../support/client";
import { connectSocket, type GraphqlSocket, openSocket } from "../support/graphql-socket";
import { startNode, type TestNode } from "../support/node";
import { type ChatClient, rawChat } from "../support/signal-clients";

/** What the clients of a node see while it ends. */

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

it("a node that ends lets its sockets work until their turn, and spreads the turns", async () => {
  const after = <T>(ended: Promise<T>) => ended.then((how) => ({ how, at: Date.now() }));
  const closings = Promise.all(sockets.map(({ closed }) => after(closed)));
  const endings = Promise.all(streams.map(({ ended }) => after(ended)));
  const stopped = node.app.close();

  // Those that are open go on; nobody new comes in.
  const sent = await Promise.any(
    sockets.map((socket) =>
      socket.run(SEND, {
        input: { to: { userId: user.id }, signalType: "hangUp", sessionId: "s" },
      }),
    ),
  );
  expect(sent.data.sendSignal.id).toEqual(expect.any(String));
  expect(await refuses(node.baseUrl)).toBe(true);
  expect(await refuses(node.chatUrl)).toBe(true);
  await expect(rest(node, "GET", "/readyz")).rejects.toThrow();

  for (const ended of [await closings, await endings]) {
    // Each turn waits for the one before it, so that a busy machine can only make these further apart.
    const times = ended.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(400);
  }
  expect(new Set((await closings).map(({ how }) => how.code))).toEqual(new Set([1012]));
  expect(new Set((await endings).map(({ how }) => how))).toEqual(new Set(["system-shutdown"]));
  await stopped;
});

it("a client that never answers the closing does not keep a node", async () => {
  const other = await startNode({ CHAT_DOMAIN: DOMAIN, DRAIN_SPREAD_SECONDS: "0" });
  const silent = await connectSocket(other);
  const mute = await connectRaw(other.chatUrl);
  for (const { socket } of [silent, mute]) socket.pause();
  await other.stop();
  for (const { socket } of [silent, mute]) socket.terminate();
});

/** Whether a port takes no connection. */
function refuses(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on("connect", () => resolve(false)).on("error", () => resolve(true));
    socket.on("close", () => socket.destroy());
  });
}
