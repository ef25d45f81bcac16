import type { Socket } from "node:net";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser } from "../../support/rest-client";

/** The memory and number of operations of a socket are bounded; docs/LIMITS.md says by how much. */

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node?.stop());

const begin = (socket: GraphqlSocket, id: number) =>
  socket.send({
    id: String(id),
    type: "subscribe",
    payload: { query: `subscription { callSignals { id } } #${id}${"x".repeat(200_000)}` },
  });

test("a document beyond the limit is refused, and accepted after another has ended", async () => {
  const { token } = await newUser(node);
  const socket = await openSocket(node, token);
  let refusedAt = 0;
  // A query after each shows that it was accepted, since a starting subscription sends nothing.
  for (let id = 1; refusedAt === 0 && id < 40; id += 1) {
    begin(socket, id);
    await socket.run("{ __typename }");
    const refused = socket.received.find((message) => message.id === String(id));
    if (!refused) continue;
    expect(refused).toMatchObject({
      type: "next",
      payload: { errors: [{ extensions: { code: "LIMITED" } }] },
    });
    refusedAt = id;
  }
  expect(refusedAt).toBeGreaterThan(2);
  socket.send({ id: "1", type: "complete" });
  await socket.run("{ __typename }");
  begin(socket, 100);
  await socket.run("{ __typename }");
  expect(socket.received.filter(({ id }) => id === "100")).toEqual([]);
  await socket.close();
});

describe("an id that is used again in one tick", () => {
  const PAIRS = 150;
  const subscribe = (id: string, query: string) => ({ id, type: "subscribe", payload: { query } });
  const SIGNALS = "subscription { callSignals { signalType } }";
  const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";
  const LIMITED = expect.objectContaining({ extensions: { code: "LIMITED", retryAfter: 1 } });

  /** Sends messages by one write, so that the node reads them at once. */
  const sendTogether = ({ socket, send }: GraphqlSocket, messages: unknown[]) => {
    const { _socket: stream } = socket as unknown as { _socket: Socket };
    stream.cork();
    for (const message of messages) send(message);
    stream.uncork();
  };
  const pairs = (count: number, query: string) =>
    Array.from({ length: count }, () => [subscribe("a", query), { id: "a", type: "complete" }]);

  test.each([
    ["subscriptions", SIGNALS],
    ["queries", "{ currentSession { id } }"],
  ])("completed %s count until they have ended", async (_what, query) => {
    const { token } = await newUser(node);
    const socket = await openSocket(node, token);
    sendTogether(socket, [...pairs(PAIRS, query), subscribe("last", "{ __typename }")].flat());
    expect(await socket.next()).toEqual({ id: "last", type: "error", payload: [LIMITED] });
    await eventually(
      () => socket.run("{ __typename }"),
      ({ errors }) => errors === undefined,
    );
    await socket.close();
  });

  test("a signal is delivered once, to the subscription that the client has not completed", async () => {
    const { token, id } = await newUser(node);
    const socket = await openSocket(node, token);
    sendTogether(socket, [...pairs(30, SIGNALS), subscribe("a", SIGNALS)].flat());
    const signals = await socket.listen("b", id);
    const input = { to: { userId: id }, signal: { other: { signalType: "wave" } } };
    await socket.run(SEND, { input });
    await eventually(signals, (received) => received.length > 0);
    await socket.run("{ __typename }");
    const received = socket.received.filter(
      (message) => message.id === "a" && message.payload?.data?.callSignals.signalType === "wave",
    );
    expect(received).toHaveLength(1);
    await socket.close();
  });
});
