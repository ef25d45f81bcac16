import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { AsyncQueue } from "../../../tools/async-queue";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { sendInput } from "../../support/calls/send-input";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { usedHeap } from "../../support/operations/heap";
import { applicationToken, newUser, rest, type TestUser } from "../../support/rest-client";

/** Many clients at once, one of them slow: no client gets data of another, and memory is bounded. */

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

async function signal(from: TestUser, to: TestUser, callId: string, sdp?: string) {
  const input = { to: { userId: to.id }, signalType: "update", callId, sdp };
  const { errors } = await graphql(node, SEND, { input: sendInput(input) }, from.token);
  expect(errors).toBeUndefined();
}

async function openSockets(): Promise<number> {
  // The metrics are rendered at most once a second.
  await sleep(1_000);
  const { text } = await rest(node, "GET", "/metrics");
  return Number(/^\w*sockets\{protocol="graphql"\} (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

describe("a subscriber that does not read", () => {
  /**
   * Restored at the end of the group: it keeps each socket that was closed, with all that its client
   * received, and so would be the leak that the next group looks for.
   */
  let closings: jest.SpiedFunction<WebSocket["close"]>;
  beforeAll(() => {
    closings = jest.spyOn(WebSocket.prototype, "close");
  });
  afterAll(() => closings.mockRestore());

  /**
   * How often the server of this process closed a slow GraphQL client. To read the close code, a client must
   * resume reading: ws waits half a minute for the closing handshake, then destroys the connection.
   */
  const slowClosings = () => closings.mock.calls.filter(([code]) => code === 1013).length;

  test("is disconnected with 1013, without a memory leak, while others continue", async () => {
    const [sender, slow, quick] = [await newUser(node), await newUser(node), await newUser(node)];
    const sdp = "a=x".repeat(20_000);
    let sent = 0;
    const round = async (index: number) => {
      const stalled = await openSocket(node, slow.token);
      const reader = await openSocket(node, quick.token);
      await stalled.listen("s", slow.id, "sdp");
      const read = await reader.listen("s", quick.id);
      const before = await openSockets();
      stalled.socket.pause();
      // Fills the socket buffers, then the queue.
      const closingsBefore = slowClosings();
      let count = 0;
      for (; slowClosings() === closingsBefore; count += 1) {
        await signal(sender, slow, `slow-${index}-${count}`, sdp);
        if (count % 20 === 0) await signal(sender, quick, `quick-${index}-${count}`);
      }
      sent += count;
      stalled.socket.resume();
      const delivered = Math.ceil(count / 20);
      await eventually(read, (signals) => signals.length === delivered);
      expect(read().map(({ callId }) => callId)).toEqual(
        Array.from({ length: delivered }, (_, position) => `quick-${index}-${position * 20}`),
      );
      const { code, reason } = await stalled.closed;
      expect([code, reason]).toEqual([1013, "Too many signals waiting"]);
      // Signals before the end arrived in order and without a gap.
      const got = stalled.received
        .filter(({ id, type, payload }) => id === "s" && type === "next" && payload.data)
        .map(({ payload }) => payload.data.callSignals)
        .filter(({ signalType }) => signalType !== "probe");
      expect(got.map(({ callId }) => callId)).toEqual(
        got.map((_, position) => `slow-${index}-${position}`),
      );
      await eventually(openSockets, (open) => open === before - 1);
      await reader.close();
      stalled.received.length = 0;
    };
    await round(1);
    const before = usedHeap();
    sent = 0;
    await round(2);
    await round(3);
    // An inbox keeps its entries for a minute, up to a maximum number.
    const kept = sent * sdp.length;
    expect(usedHeap() - before).toBeLessThan(kept + 30_000_000);
  });

  test("that uses graphql-ws reconnects by itself, and gets new signals", async () => {
    const [sender, slow] = [await newUser(node), await newUser(node)];
    const sdp = "a=x".repeat(20_000);
    const opened = new AsyncQueue<WebSocket>();
    const closed = new AsyncQueue<number>();
    const delivered = new Set<string>();
    const client = createClient({
      url: node.graphqlUrl.replace(/^http/, "ws"),
      webSocketImpl: WebSocket,
      connectionParams: { token: slow.token },
      // All other reconnection settings are the defaults of the package.
      retryWait: async () => undefined,
      on: {
        connected: (socket) => opened.push(socket as WebSocket),
        closed: (event) => closed.push((event as { code: number }).code),
      },
    });
    let refusal: unknown;
    client.subscribe<{ callSignals: { callId: string } }>(
      { query: "subscription { callSignals { callId sdp } }" },
      {
        next: ({ data }) => delivered.add(data?.callSignals.callId ?? ""),
        error: (error) => {
          refusal = error;
        },
        complete: () => undefined,
      },
    );
    // A subscription is not acknowledged, so a signal is repeated until it arrives.
    const deliver = async (word: string) => {
      while (!delivered.has(word)) {
        expect(refusal).toBeUndefined();
        await signal(sender, slow, word);
      }
    };
    const first = await opened.next();
    await deliver("before");
    first.pause();
    const closingsBefore = slowClosings();
    for (let count = 0; slowClosings() === closingsBefore; count += 1) {
      await signal(sender, slow, `lost-${count}`, sdp);
    }
    first.resume();
    expect(await closed.next()).toBe(1013);
    expect(await opened.next()).not.toBe(first);
    await deliver("after");
    await client.dispose();
  });
});

describe("many clients", () => {
  /** Ten connections each. */
  const TURNS = 30;

  test("connect and disconnect without a memory leak", async () => {
    const user = await newUser(node);
    const round = async () => {
      for (let turn = 0; turn < TURNS; turn += 1) {
        const sockets = await Promise.all(
          Array.from({ length: 10 }, () => openSocket(node, user.token)),
        );
        await Promise.all(sockets.map((socket) => socket.listen("s", user.id)));
        for (const [position, socket] of sockets.entries()) {
          if (position % 2 === 0) socket.socket.terminate();
          else socket.socket.close();
        }
        await Promise.all(sockets.map(({ closed }) => closed));
      }
      await eventually(openSockets, (open) => open === 0);
    };
    await round();
    const before = usedHeap();
    await round();
    await round();
    // 5 kB for each connection. It is about 100 bytes when nothing leaks.
    expect(usedHeap() - before).toBeLessThan(2 * TURNS * 10 * 5_000);
  });

  test("each get exactly their own signals", async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser(node)));
    const sockets = await Promise.all(users.map(({ token }) => openSocket(node, token)));
    const reads = await Promise.all(
      sockets.map((socket, position) => socket.listen("same-id", users[position]?.id ?? 0)),
    );
    const pairs = users.flatMap((from) => users.map((to) => ({ from, to })));
    await Promise.all(
      pairs.flatMap(({ from, to }) =>
        [1, 2, 3].map((turn) => signal(from, to, `${from.id}-${to.id}-${turn}`)),
      ),
    );
    for (const [position, read] of reads.entries()) {
      const to = users[position] as TestUser;
      const signals = await eventually(read, (all) => all.length >= 3 * users.length);
      const wanted = users.flatMap((from) =>
        [1, 2, 3].map((turn) => `${from.id}-${to.id}-${turn}`),
      );
      expect(signals.map(({ callId }) => callId).sort()).toEqual(wanted.sort());
      for (const { callId, from, to: shown } of signals) {
        expect([shown.userId, from.userId]).toEqual([String(to.id), callId?.split("-")[0]]);
      }
    }
    await Promise.all(sockets.map((socket) => socket.close()));
  });

  test("run queries at once, and each gets its own data", async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => newUser(node)));
    const application = await applicationToken(node);
    const query = "{ currentSession { token userId user { login } } }";
    const sockets = await Promise.all(users.map(({ token }) => openSocket(node, token)));
    const asked = Array.from({ length: 20 }, () => [
      ...users.map(async (user, position) => {
        const [http, socket, shown] = await Promise.all([
          graphql(node, query, {}, user.token),
          sockets[position]?.run(query),
          rest(node, "GET", "/session", { token: user.token }),
        ]);
        const { token, login, id } = user;
        const session = { token, userId: String(id), user: { login } };
        expect(http.data.currentSession).toEqual(session);
        expect(socket?.data.currentSession).toEqual(session);
        expect([shown.body.session.token, shown.body.session.user.login]).toEqual([token, login]);
      }),
      graphql(node, query, {}, application).then(({ data }) => {
        expect(data.currentSession).toEqual({ token: application, userId: null, user: null });
      }),
      graphql(node, query).then(({ errors }) => {
        expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
      }),
    ]);
    await Promise.all(asked.flat());
    await Promise.all(sockets.map((socket) => socket.close()));
  });
});
