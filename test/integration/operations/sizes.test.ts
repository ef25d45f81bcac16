import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import { Engine } from "../../../src/transports/graphql/engine/engine";
import { signalboxSchema } from "../../../src/transports/graphql/schema";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { usedHeap } from "../../support/operations/heap";
import { applicationToken, newUser, type TestUser } from "../../support/rest-client";

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({ GRAPHQL_SOCKET_OPERATIONS: "20" });
  user = await newUser(node);
});
afterAll(() => node.stop());

describe("sizes", () => {
  const big = { v: "x".repeat(300_000) };
  const query = "query ($v: String!) {accountSettings(accountKey: $v) {accountKey}}";

  test("variables beyond the body limit are rejected over POST", async () => {
    const answer = await graphql(node, query, big);
    expect([answer.status, answer.errors]).toEqual([
      413,
      [{ message: "The request body is too large", extensions: { code: "TOO_LARGE" } }],
    ]);
  });

  test("and over GET", async () => {
    const parameters = new URLSearchParams({
      query,
      variables: JSON.stringify({ v: "x".repeat(9_000) }),
    });
    const response = await fetch(`${node.graphqlUrl}?${parameters}`, {
      headers: { "Apollo-Require-Preflight": "1" },
    });
    expect([response.status, await response.json()]).toEqual([
      413,
      { errors: [{ message: "The URL is too long", extensions: { code: "TOO_LARGE" } }] },
    ]);
  });

  test("and close a WebSocket", async () => {
    const socket = await openSocket(node);
    socket.send({ id: "1", type: "subscribe", payload: { query, variables: big } });
    expect((await socket.closed).code).toBe(1009);
  });

  test("concurrent operations on one socket are bounded, and running ones continue", async () => {
    const socket = await openSocket(node, user.token);
    const signals: Array<() => unknown[]> = [];
    for (let index = 0; index < 19; index += 1) {
      signals.push(await socket.listen(`s${index}`, user.id));
    }
    socket.send({
      id: "s19",
      type: "subscribe",
      payload: { query: "subscription{callSignals{id}}" },
    });
    socket.send({
      id: "s20",
      type: "subscribe",
      payload: { query: "subscription{callSignals{id}}" },
    });
    const error = await new Promise((resolve) => {
      socket.socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        if (message.id === "s20") resolve(message);
      });
    });
    expect(error).toEqual({
      id: "s20",
      type: "error",
      payload: [
        {
          message: "A socket may run at most 20 operations at once",
          extensions: { code: "LIMITED", retryAfter: 1 },
        },
      ],
    });
    const send = "mutation ($i: SendSignalInput!) { sendSignal(input: $i) { id } }";
    const i = { to: { userId: user.id }, signal: { hangUp: { callId: "bounded" } } };
    await graphql(node, send, { i }, user.token);
    socket.send({ id: "s19", type: "complete" });
    await socket.run("{__typename}");
    const counts = () => signals.map((read) => read().length);
    await eventually(counts, (each) => each.every((count) => count > 0));
    expect(counts()).toEqual(signals.map(() => 1));
    await socket.close();
  });

  test("cached documents are bounded", async () => {
    const limits = readConfig({ GRAPHQL_CACHE: "10" });
    const engine = new Engine(signalboxSchema(), limits, openLog("silent"), openMetrics());
    const text = (index: number) => `{a${index}:__typename}`;
    const first = engine.prepare(text(0));
    for (let index = 1; index < 10; index += 1) engine.prepare(text(index));
    expect(engine.prepare(text(0))).toBe(first);
    for (let index = 10; index < 20; index += 1) engine.prepare(text(index));
    expect(engine.prepare(text(0))).not.toBe(first);
  });

  test("many unique documents do not leak memory", async () => {
    const token = await applicationToken(node);
    const turns = 40;
    let count = 0;
    const round = async () => {
      for (let turn = 0; turn < turns; turn += 1) {
        await Promise.all(
          Array.from({ length: 20 }, () =>
            graphql(
              node,
              `{a${++count}:currentSession{${"id ".repeat(10)} # ${"x".repeat(2_000)}\n}}`,
              {},
              token,
            ),
          ),
        );
      }
    };
    await round();
    const before = usedHeap();
    await round();
    await round();
    // 18.75 kB for each document, which holds 2 kB.
    expect(usedHeap() - before).toBeLessThan(2 * turns * 20 * 18_750);
  });
});
