import { graphql } from "../../../tools/graphql/graphql-http";
import { type GraphqlSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { auth, connectRaw, OPEN, signInRaw } from "../../support/chat/chat";
import type { RawClient } from "../../support/chat/raw-client";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, signIn, type TestUser } from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";

/** The end of a session immediately closes the connections that it opened, and no others. */

const NO_SESSION = "Required session does not exist";
const CLOSED = { code: 4401, reason: NO_SESSION };

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

/** A user with two sessions and every kind of connection. */
interface Connected {
  user: TestUser;
  other: { token: string };
  /** Connections of the first session. */
  first: { socket: GraphqlSocket; stream: RawClient };
  /** Connections of the other session. */
  second: { socket: GraphqlSocket; stream: RawClient };
  /** A chat stream that signed in with the password. */
  password: RawClient;
  /** A socket that was opened without a token. */
  anonymous: GraphqlSocket;
}

async function connectAll(): Promise<Connected> {
  const user = await newUser(node);
  const other = await signIn(node, user);
  const name = `${user.id}-${node.application.id}`;
  const all = {
    user,
    other,
    first: {
      socket: await openSocket(node, user.token),
      stream: await signInRaw(node.chatUrl, name, "first", user.token),
    },
    second: {
      socket: await openSocket(node, other.token),
      stream: await signInRaw(node.chatUrl, name, "second", other.token),
    },
    password: await signInRaw(node.chatUrl, name, "password", user.password),
    anonymous: await openSocket(node),
  };
  // An active subscription must not keep its socket open.
  await all.first.socket.listen("s", user.id);
  await all.second.socket.listen("s", user.id);
  return all;
}

const PING = '<iq xmlns="jabber:client" type="get" id="p"><ping xmlns="urn:xmpp:ping"/></iq>';

async function expectStreamEnded(stream: RawClient): Promise<void> {
  const { frames } = await stream.rest();
  const text = frames.join("");
  expect(text).toContain("<not-authorized");
  expect(text).toContain("The session has ended");
}

async function expectStreamAlive(stream: RawClient): Promise<void> {
  stream.send(PING);
  let answer = "";
  // Signals to the user may arrive before the response.
  while (!answer.includes('id="p"')) answer = await stream.next();
  expect(answer).toContain('type="result"');
  stream.socket.terminate();
}

async function expectSocketAlive(socket: GraphqlSocket, query = "{currentSession{id}}") {
  expect((await socket.run(query)).errors).toBeUndefined();
  await socket.close();
}

type Which = "first" | "second" | "password" | "anonymous";

const CASES: Array<[what: string, end: (all: Connected) => Promise<unknown>, closed: Which[]]> = [
  [
    "DELETE /session",
    ({ user }) => rest(node, "DELETE", "/session", { token: user.token }),
    ["first"],
  ],
  [
    "destroySession through GraphQL",
    ({ user }) => graphql(node, "mutation { destroySession { destroyed } }", {}, user.token),
    ["first"],
  ],
  ["DELETE /login", ({ user }) => rest(node, "DELETE", "/login", { token: user.token }), ["first"]],
  [
    "signing in as another user",
    async ({ user }) => {
      const { login, password } = await newUser(node);
      return rest(node, "POST", "/login", { token: user.token, body: { login, password } });
    },
    ["first"],
  ],
  [
    "signing in again as the same user, which ends nothing",
    ({ user: { login, password, token } }) =>
      rest(node, "POST", "/login", { token, body: { login, password } }),
    [],
  ],
  [
    "a new password",
    ({ user: { id, password, token } }) =>
      rest(node, "PUT", `/users/${id}`, {
        token,
        body: { user: { password: "another horse", old_password: password } },
      }),
    ["first", "second", "password"],
  ],
  [
    "a rejected new password, which ends nothing",
    ({ user: { id, token } }) =>
      rest(node, "PUT", `/users/${id}`, {
        token,
        body: { user: { password: "another horse", old_password: "wrong horse" } },
      }),
    [],
  ],
  [
    "deleting the user",
    ({ user: { id, token } }) => rest(node, "DELETE", `/users/${id}`, { token }),
    ["first", "second", "password"],
  ],
  [
    "blocking the user",
    ({ user }) => blockUser(node, user, "Spam"),
    ["first", "second", "password"],
  ],
  ["unblocking a user who is not blocked", ({ user }) => unblockUser(node, user), []],
];

test.each(CASES)("%s", async (_what, end, closed) => {
  const all = await connectAll();
  await end(all);
  for (const which of ["first", "second"] as const) {
    const { socket, stream } = all[which];
    if (closed.includes(which)) {
      expect(await socket.closed).toEqual(CLOSED);
      await expectStreamEnded(stream);
    } else {
      await expectSocketAlive(socket);
      await expectStreamAlive(stream);
    }
  }
  if (closed.includes("password")) await expectStreamEnded(all.password);
  else await expectStreamAlive(all.password);
  await expectSocketAlive(all.anonymous, "{__typename}");
});

describe("afterwards", () => {
  const denied = async (name: string, secret: string) => {
    const client = await connectRaw(node.chatUrl);
    for (const frame of [OPEN, auth(name, secret)]) client.send(frame);
    for (let count = 0; count < 2; count += 1) await client.next();
    const answer = await client.next();
    client.socket.terminate();
    return answer.includes("<not-authorized");
  };

  test("a destroyed token is rejected everywhere", async () => {
    const user = await newUser(node);
    const name = `${user.id}-${node.application.id}`;
    expect(await denied(name, user.token)).toBe(false);
    await rest(node, "DELETE", "/session", { token: user.token });
    expect(await denied(name, user.token)).toBe(true);
    await expect(openSocket(node, user.token)).rejects.toThrow("4401");
    const answer = await rest(node, "GET", "/session", { token: user.token });
    expect([answer.status, answer.body]).toEqual([401, { errors: { base: [NO_SESSION] } }]);
  });

  test("the old password and its sessions are rejected, the new password is accepted", async () => {
    const { id, login, password, token } = await newUser(node);
    const other = await signIn(node, { login, password });
    const name = `${id}-${node.application.id}`;
    const body = { user: { password: "another horse", old_password: password } };
    expect((await rest(node, "PUT", `/users/${id}`, { token, body })).status).toBe(200);
    expect(await denied(name, password)).toBe(true);
    expect(await denied(name, "another horse")).toBe(false);
    expect(await denied(name, other.token)).toBe(true);
    expect(await denied(name, token)).toBe(false);
    expect((await rest(node, "GET", "/session", { token: other.token })).status).toBe(401);
    expect((await rest(node, "GET", "/session", { token })).status).toBe(200);
    const again = { ...signedParameters(node), user: { login, password } };
    expect((await rest(node, "POST", "/session", { body: again })).status).toBe(401);
  });

  test("a signed-out token belongs to the application and works for a user again after a sign-in", async () => {
    const { id, login, password, token } = await newUser(node);
    const name = `${id}-${node.application.id}`;
    await rest(node, "DELETE", "/login", { token });
    expect(await denied(name, token)).toBe(true);
    const socket = await openSocket(node, token);
    socket.send({
      id: "s",
      type: "subscribe",
      payload: { query: "subscription{callSignals{id}}" },
    });
    const refused = await socket.next();
    expect(refused.payload.errors[0].extensions.code).toBe("FORBIDDEN");
    await rest(node, "POST", "/login", { token, body: { login, password } });
    expect(await denied(name, token)).toBe(false);
    await socket.listen("again", id);
    await socket.close();
  });
});
