import { managedStream, nextIds, resumeStream, SM } from "../../support/chat/managed-stream";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signIn, type TestUser } from "../../support/rest-client";

/** The end of a session or user also ends its disconnected streams. */

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

async function disconnectedStreams(): Promise<number> {
  const text = await (await fetch(new URL("/metrics", node.baseUrl))).text();
  return Number(/^signalbox_resumable_streams (\d+)$/m.exec(text)?.[1]);
}

const until = (count: number) => eventually(disconnectedStreams, (value) => value === count);

const CASES: Array<
  [what: string, secret: "token" | "password", end: (user: TestUser) => Promise<unknown>]
> = [
  [
    "DELETE /session ends the streams of the session",
    "token",
    ({ token }) => rest(node, "DELETE", "/session", { token }),
  ],
  [
    "DELETE /login ends the streams of the session",
    "token",
    ({ token }) => rest(node, "DELETE", "/login", { token }),
  ],
  [
    "a new password ends the streams that used the old one",
    "password",
    ({ id, token, password }) =>
      rest(node, "PUT", `/users/${id}`, {
        token,
        body: { user: { password: "another horse", old_password: password } },
      }),
  ],
  [
    "deleting the user ends all streams of the user",
    "password",
    ({ id, token }) => rest(node, "DELETE", `/users/${id}`, { token }),
  ],
];

test.each(CASES)("%s", async (_what, secret, end) => {
  const user = await newUser(node);
  const name = `${user.id}-${node.application.id}`;
  const stream = await managedStream(node.chatUrl, name, "web", user[secret]);
  stream.socket.terminate();
  await until(1);
  const answer = (await end(user)) as { status: number };
  expect(answer.status).toBe(200);
  await until(0);
  // The old credentials are invalid, so they cannot resume it either.
  await expect(resumeStream(node.chatUrl, name, stream.previd, 0, user[secret])).rejects.toThrow();
});

test("the user cannot resume an ended stream with other credentials", async () => {
  const user = await newUser(node);
  const name = `${user.id}-${node.application.id}`;
  const stream = await managedStream(node.chatUrl, name, "web", user.token);
  stream.socket.terminate();
  await until(1);
  await rest(node, "DELETE", "/session", { token: user.token });
  const again = await resumeStream(node.chatUrl, name, stream.previd, 0, user.password);
  expect(again.answer).toMatch(new RegExp(`^<failed xmlns="${SM}" h="0"><item-not-found `));
  again.socket.terminate();
});

test("another session of the user can resume a stream, which then belongs to it", async () => {
  const user = await newUser(node);
  const other = await signIn(node, user);
  const name = `${user.id}-${node.application.id}`;
  const stream = await managedStream(node.chatUrl, name, "web", user.token);
  stream.socket.terminate();
  await until(1);
  const again = await resumeStream(node.chatUrl, name, stream.previd, 0, other.token);
  expect(again.answer).toContain("<resumed ");
  // It belongs to the other session from now on.
  await rest(node, "DELETE", "/session", { token: user.token });
  again.send('<iq id="p" type="get"><ping xmlns="urn:xmpp:ping"/></iq>');
  expect(await nextIds(again, 1)).toEqual(["p"]);
  await rest(node, "DELETE", "/session", { token: other.token });
  expect((await again.rest()).frames.join("")).toContain("The session has ended");
});
