import { graphql } from "../../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { sendInput } from "../../support/calls/send-input";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { interceptOperations } from "../../support/operations/prisma-operations";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { secondApplication } from "../../support/sessions/second-application";

const CLOSED = { code: 4401, reason: "Required session does not exist" };
const RENEW =
  "mutation ($input: RenewSocketInput!) { renewSocket(input: $input) { session { token userId } } }";
const UPDATE =
  "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { databaseId } } }";
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

const renew = (socket: GraphqlSocket, token: string) => socket.run(RENEW, { input: { token } });
const end = (token: string) => rest(node, "DELETE", "/session", { token });
const codeOf = async (answer: ReturnType<typeof renew>) =>
  (await answer).errors?.[0].extensions.code;

it("continues with a new session: subscriptions, operations and its end", async () => {
  const user = await newUser(node);
  const fresh = await signIn(node, user);
  const socket = await openSocket(node, user.token);
  const signals = await socket.listen("s", user.id);
  expect(await renew(socket, fresh.token)).toEqual({
    data: { renewSocket: { session: { token: fresh.token, userId: String(user.id) } } },
  });
  expect((await end(user.token)).status).toBe(200);

  const { data } = await socket.run("{ currentSession { databaseId token } }");
  expect(data.currentSession).toEqual({ databaseId: fresh.sessionId, token: fresh.token });
  // The socket keeps its first device name, by which the peers of a call address it.
  const device = `graphql-${user.sessionId}`;
  const input = { to: { userId: String(user.id), device }, signalType: "hangUp", callId: "after" };
  expect((await socket.run(SEND, { input: sendInput(input) })).errors).toBeUndefined();
  const [signal] = await eventually(signals, ({ length }) => length === 1);
  expect(signal).toMatchObject({ callId: "after", from: { userId: String(user.id), device } });

  await end(fresh.token);
  expect(await socket.closed).toEqual(CLOSED);
});

it("keeps its session when the token is not the user's", async () => {
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
  expect(await socket.closed).toEqual(CLOSED);
});

it("works only over a socket that was opened with a token", async () => {
  const user = await newUser(node);
  const input = { token: user.token };
  const bare = await openSocket(node);
  expect(await codeOf(renew(bare, user.token))).toBe("UNAUTHENTICATED");
  await bare.close();
  const { errors } = await graphql(node, RENEW, { input }, user.token);
  expect(errors?.[0].extensions.code).toBe("UNSUPPORTED");
});

it("after concurrent renewals belongs to the last one, and ends with its user", async () => {
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
  expect(await socket.closed).toEqual(CLOSED);
});

describe("an operation that ends its own socket", () => {
  type Make = (user: TestUser) => Promise<{ query: string; variables?: object; data: object }>;
  const CASES: Array<[name: string, make: Make]> = [
    [
      "destroySession",
      async () => ({
        query: "mutation { destroySession { destroyed } }",
        data: { destroySession: { destroyed: true } },
      }),
    ],
    [
      "logout",
      async () => ({
        query: "mutation { logout { session { userId } } }",
        data: { logout: { session: { userId: null } } },
      }),
    ],
    [
      "login as another user",
      async () => {
        const { id, login, password } = await newUser(node);
        return {
          query: "mutation ($input: LoginInput!) { login(input: $input) { session { userId } } }",
          variables: { input: { login, password } },
          data: { login: { session: { userId: String(id) } } },
        };
      },
    ],
    [
      "deleteUser",
      async ({ id }) => ({
        query:
          "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }",
        variables: { input: { id: String(id) } },
        data: { deleteUser: { deletedUserId: String(id) } },
      }),
    ],
    [
      "a new password",
      async ({ id, password: oldPassword }) => ({
        query: UPDATE,
        variables: { input: { id: String(id), password: "another horse", oldPassword } },
        data: { updateUser: { user: { databaseId: id } } },
      }),
    ],
    [
      "resetPassword",
      async ({ id }) => {
        const token = `link-of-${id}`;
        await node.sql(
          `INSERT INTO password_resets (user_id, token_hash, expires_at)
            VALUES ($1, sha256(convert_to($2, 'UTF8')), now() + interval '1 hour')`,
          [id, token],
        );
        return {
          query:
            "mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { reset } }",
          variables: { input: { token, password: "another horse" } },
          data: { resetPassword: { reset: true } },
        };
      },
    ],
  ];

  it.each(CASES)("is answered before the socket closes: %s", async (_name, make) => {
    const user = await newUser(node);
    const { data, ...payload } = await make(user);
    const socket = await openSocket(node, user.token);
    socket.send({ id: "o", type: "subscribe", payload });
    expect(await socket.closed).toEqual(CLOSED);
    expect(socket.received.slice(1)).toEqual([
      { id: "o", type: "next", payload: { data } },
      { id: "o", type: "complete" },
    ]);
  });

  it("keeps the socket open when it fails or does not end the session", async () => {
    const user = await newUser(node);
    const socket = await openSocket(node, user.token);
    const wrong = { password: "another horse", oldPassword: "wrong horse" };
    const refused = await socket.run(UPDATE, { input: { id: String(user.id), ...wrong } });
    expect(refused.errors?.[0].extensions.code).toBe("INVALID");
    const input = { id: String(user.id), fullName: "Changed" };
    expect((await socket.run(UPDATE, { input })).errors).toBeUndefined();
    const again = { login: user.login, password: user.password };
    const query = "mutation ($input: LoginInput!) { login(input: $input) { user { id } } }";
    expect((await socket.run(query, { input: again })).errors).toBeUndefined();
    expect((await socket.run("{ currentSession { userId } }")).data).toEqual({
      currentSession: { userId: String(user.id) },
    });
    await socket.close();
  });

  it("does not keep the socket open by sending more operations or by a pending response", async () => {
    const user = await newUser(node);
    const socket = await openSocket(node, user.token);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const restore = interceptOperations(node.app.store, async (name, run) => {
      // The first operation of the socket waits; other requests do not.
      if (name === "user.findUnique" && ++reads === 1) await released;
      return run();
    });
    const input = { id: String(user.id), fullName: "Never" };
    socket.send({
      id: "held",
      type: "subscribe",
      payload: { query: UPDATE, variables: { input } },
    });
    await eventually(
      () => reads,
      (count) => count === 1,
    );
    const asking = setInterval(() => {
      const id = `more-${Math.random()}`;
      socket.send({ id, type: "subscribe", payload: { query: UPDATE, variables: { input } } });
    }, 50);
    const body = { user: { password: "another horse", old_password: user.password } };
    const changed = await rest(node, "PUT", `/users/${user.id}`, { token: user.token, body });
    expect(changed.status).toBe(200);
    expect(await socket.closed).toEqual(CLOSED);
    clearInterval(asking);
    expect(socket.received.filter(({ id }) => id === "held")).toEqual([]);
    release();
    restore();
  });
});
