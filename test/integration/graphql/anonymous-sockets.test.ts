import { WebSocket } from "ws";
import { connectSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";
import { newGuest } from "../../support/rest-client";

/** The limits of the number and the lifetime of /graphql sockets without a session. */

const LIMITS = { TRUST_PROXY: "127.0.0.1", GRAPHQL_ANONYMOUS_SOCKETS_PER_IP: "3" };
let node: TestNode;
/** A node with a small total limit and a short idle timeout. */
let small: TestNode;
beforeAll(async () => {
  node = await startNode(LIMITS);
  small = await startNode({
    ...LIMITS,
    GRAPHQL_ANONYMOUS_SOCKETS: "4",
    GRAPHQL_ANONYMOUS_IDLE_SECONDS: "1",
  });
});
afterAll(async () => {
  await node?.stop();
  await small?.stop();
});

let networks = 0;
const network = () => `2001:db8:0:${(++networks).toString(16)}:`;
const from = (ip: string) => ({ headers: { "X-Forwarded-For": ip } });

/** The response to a rejected handshake. */
const refusal = (ip: string) =>
  new Promise<{ status?: number; retryAfter?: string; body: unknown }>((resolve, reject) => {
    const url = node.graphqlUrl.replace(/^http/, "ws");
    const socket = new WebSocket(url, "graphql-transport-ws", from(ip));
    socket.on("open", () => reject(new Error("it was opened")));
    socket.on("error", () => undefined);
    socket.on("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        const { statusCode: status, headers } = response;
        resolve({ status, retryAfter: headers["retry-after"], body: JSON.parse(text) });
      });
    });
  });
const TOO_MANY = {
  status: 429,
  retryAfter: "1",
  body: {
    errors: [
      {
        message: "Too many sockets without a session",
        extensions: { code: "LIMITED", retryAfter: 1 },
      },
    ],
  },
};

test("beyond the limit of a network the handshake is answered with 429", async () => {
  const net = network();
  const sockets = [await connectSocket(node, from(`${net}:1`))];
  for (let host = 2; host <= 3; host += 1) {
    sockets.push(await openSocket(node, undefined, from(`${net}:${host}`)));
  }
  expect(await refusal(`${net}:9`)).toEqual(TOO_MANY);
  await (await openSocket(node, undefined, from(`${network()}:1`))).close();
  await sockets.pop()?.close();
  for (;;) {
    // The node notices the closed socket with a delay.
    const socket = await connectSocket(node, from(`${net}:9`)).catch(() => undefined);
    if (socket) sockets.push(socket);
    if (socket) break;
  }
  for (const socket of sockets) await socket.close();
});

test("sockets with a session do not count", async () => {
  const net = network();
  const { token } = await newGuest(node);
  const sockets = [];
  for (let host = 1; host <= 8; host += 1) {
    sockets.push(await openSocket(node, token, from(`${net}:${host}`)));
  }
  for (let host = 1; host <= 3; host += 1) {
    sockets.push(await openSocket(node, undefined, from(`${net}:${host}`)));
  }
  expect(await refusal(`${net}:9`)).toEqual(TOO_MANY);
  for (const socket of sockets) await socket.close();
});

test("beyond the total limit the oldest socket is closed with 1013 and the new one is served", async () => {
  const { token } = await newGuest(small);
  const bound = await openSocket(small, token, from(`${network()}:1`));
  const sockets = [];
  for (let count = 0; count < 5; count += 1) {
    sockets.push(await connectSocket(small, from(`${network()}:1`)));
  }
  expect((await sockets[0]!.closed).code).toBe(1013);
  const last = await openSocket(small, undefined, from(`${network()}:1`));
  expect((await last.run("{ __typename }")).data).toEqual({ __typename: "Query" });
  expect((await bound.run("{ currentSession { id } }")).errors).toBeUndefined();
  for (const socket of [bound, last]) await socket.close();
});

test("an idle socket is closed with 1013", async () => {
  const idle = await openSocket(small, undefined, from(`${network()}:1`));
  expect((await idle.closed).code).toBe(1013);
  const active = await openSocket(small, undefined, from(`${network()}:1`));
  for (let count = 0; count < 3; count += 1) {
    expect((await active.run("{ __typename }")).data).toEqual({ __typename: "Query" });
  }
  expect((await active.closed).code).toBe(1013);
});

test("an idle socket with a session stays open", async () => {
  const { token } = await newGuest(small);
  const bound = await openSocket(small, token, from(`${network()}:1`));
  const idle = await openSocket(small, undefined, from(`${network()}:1`));
  await idle.closed;
  expect((await bound.run("{ currentSession { id } }")).errors).toBeUndefined();
  await bound.close();
});

test("a socket without connection_init is closed with 4408, after the ten seconds that a slow way may take", async () => {
  const socket = await connectSocket(node, from(`${network()}:1`));
  const opened = performance.now();
  expect((await socket.closed).code).toBe(4408);
  expect(performance.now() - opened).toBeGreaterThan(9_000);
});

test("a socket with an invalid token is closed and frees its slot", async () => {
  const ip = `${network()}:1`;
  for (let count = 0; count < 8; count += 1) {
    const socket = await connectSocket(node, from(ip));
    socket.send({ type: "connection_init", payload: { token: "no" } });
    expect((await socket.closed).code).toBe(4401);
  }
});
