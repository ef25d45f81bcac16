import { graphql, newUser, rest, signIn } from "../support/client";
import { type GraphqlSocket, openSocket } from "../support/graphql-socket";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { secondApplication } from "../support/second-application";

const GONE = { code: 4401, reason: "Required session does not exist" };
const RENEW =
  "mutation ($input: RenewSocketInput!) { renewSocket(input: $input) { session { token userId } } }";
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
}, 60_000);
afterAll(() => node.stop());

const renew = (socket: GraphqlSocket, token: string) => socket.run(RENEW, { input: { token } });
const end = (token: string) => rest(node, "DELETE", "/session", { token });
const codeOf = async (answer: ReturnType<typeof renew>) =>
  (await answer).errors?.[0].extensions.code;

it("goes on with a fresh session: subscriptions, operations, and the end", async () => {
  const user = await newUser(node);
  const fresh = await signIn(node, user);
  const socket = await openSocket(node, user.token);
  const signals = await socket.listen("s", user.id);
  expect(await renew(socket, fresh.token)).toEqual({
    data: { renewSocket: { session: { token: fresh.token, userId: user.id } } },
  });
  expect((await end(user.token)).status).toBe(200);

  const { data } = await socket.run("{ currentSession { databaseId token } }");
  expect(data.currentSession).toEqual({ databaseId: fresh.sessionId, token: fresh.token });
  // Peers of a call know the socket by the device that it was from the start.
  const device = `graphql-${user.sessionId}`;
  const input = { to: { userId: user.id, device }, signalType: "hangUp", sessionId: "after" };
  expect((await socket.run(SEND, { input })).errors).toBeUndefined();
  const [signal] = await eventually(signals, ({ length }) => length === 1);
  expect(signal).toMatchObject({ sessionId: "after", from: { userId: user.id, device } });

  await end(fresh.token);
  expect(await socket.closed).toEqual(GONE);
});

it("stays with its session when the token is not the user's", async () => {
  const user = await newUser(node);
  const socket = await openSocket(node, user.token);
  const other = await newUser(node);
  const foreign = await newUser(await secondApplication(node));
  const gone = await signIn(node, user);
  await end(gone.token);
  expect(await codeOf(renew(socket, other.token))).toBe("FORBIDDEN");
  expect(await codeOf(renew(socket, foreign.token))).toBe("FORBIDDEN");
  expect(await codeOf(renew(socket, gone.token))).toBe("UNAUTHENTICATED");
  expect(await codeOf(renew(socket, ""))).toBe("UNAUTHENTICATED");
  for (const { token } of [other, foreign]) await end(token);
  expect((await socket.run("{ currentSession { token } }")).data.currentSession.token).toBe(
    user.token,
  );
  await end(user.token);
  expect(await socket.closed).toEqual(GONE);
});

it("is for sockets that came with a token, and for sockets alone", async () => {
  const user = await newUser(node);
  const input = { token: user.token };
  const bare = await openSocket(node);
  expect(await codeOf(renew(bare, user.token))).toBe("UNAUTHENTICATED");
  await bare.close();
  const { errors } = await graphql(node, RENEW, { input }, user.token);
  expect(errors?.[0].extensions.code).toBe("UNSUPPORTED");
});

it("ends with the last of several renewals at once, and with its user", async () => {
  const user = await newUser(node);
  const sessions = await Promise.all(Array.from({ length: 5 }, () => signIn(node, user)));
  const socket = await openSocket(node, user.token);
  const answers = await Promise.all(sessions.map(({ token }) => renew(socket, token)));
  expect(answers.filter(({ errors }) => errors)).toEqual([]);
  const { data } = await socket.run("{ currentSession { token } }");
  const { token } = data.currentSession;
  for (const session of sessions) if (session.token !== token) await end(session.token);
  await end(user.token);
  expect((await socket.run("{ currentSession { token } }")).errors).toBeUndefined();
  await rest(node, "DELETE", `/users/${user.id}`, { token });
  expect(await socket.closed).toEqual(GONE);
});

it.each([
  ["destroySession { destroyed }", { destroySession: { destroyed: true } }],
  ["logout { session { userId } }", { logout: { session: { userId: null } } }],
])("%s is answered before the socket closes", async (field, data) => {
  const { token } = await newUser(node);
  const socket = await openSocket(node, token);
  const query = `mutation { ${field} }`;
  socket.send({ id: "o", type: "subscribe", payload: { query } });
  expect(await socket.closed).toEqual(GONE);
  expect(socket.received.slice(1)).toEqual([
    { id: "o", type: "next", payload: { data } },
    { id: "o", type: "complete" },
  ]);
});
