import { newUser } from "../../support/client";
import { type GraphqlSocket, openSocket } from "../../support/graphql/graphql-socket";
import { startNode, type TestNode } from "../../support/node";

/** The memory of open subscriptions of a socket is bounded; docs/LIMITS.md says by how much. */

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
