import { SignalboxError, signedSession, webStorage } from "../../../client/src/index.ts";
import { eventually } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { androidDevice } from "../../support/push/push-devices";
import { applicationToken, newUser, rest, signIn, type TestUser } from "../../support/rest-client";
import { closeSignalboxes, openSignalbox } from "./signalbox";

const CURRENT = "{ currentSession { userId } }";

let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node);
});
afterEach(closeSignalboxes);
afterAll(() => node.stop());

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: SignalboxError) => error.code,
  );

const keys = () => {
  const { id: applicationId, authKey, authSecret } = node.application;
  return { applicationId, authKey, authSecret };
};

/** A source that hands out given tokens one after the other, and counts. */
function tokens(...given: string[]) {
  const asked: (string | null)[] = [];
  return {
    asked,
    source: ({ replaces }: { replaces: string | null }) => {
      asked.push(replaces);
      const token = given[Math.min(asked.length, given.length) - 1];
      if (token === undefined) throw new Error("no token");
      return token;
    },
  };
}

test("requests that begin together share one session", async () => {
  const { asked, source } = tokens(user.token);
  const { session, query } = openSignalbox(node, { session: source });
  const answers = await Promise.all([session.current(), query(CURRENT), query(CURRENT)]);
  expect(answers[0].userId).toBe(String(user.id));
  expect(answers[1]).toEqual({ currentSession: { userId: String(user.id) } });
  expect(asked).toEqual([null]);
});

test("a session that has ended is replaced once for all requests, which then run", async () => {
  const ended = await signIn(node, user);
  const { asked, source } = tokens(ended.token, user.token);
  const { query } = openSignalbox(node, { session: source });
  await query(CURRENT);
  await rest(node, "DELETE", "/session", { token: ended.token });
  const answers = await Promise.all([query(CURRENT), query(CURRENT), query(CURRENT)]);
  expect(answers).toEqual(Array(3).fill({ currentSession: { userId: String(user.id) } }));
  expect(asked).toEqual([null, ended.token]);
});

test("a source that refuses ends the session, with its reason", async () => {
  const refusal = new SignalboxError("UNAUTHENTICATED", "Nobody is signed in here");
  const { session, query } = openSignalbox(node, {
    session() {
      throw refusal;
    },
  });
  const ended: unknown[] = [];
  session.on("ended", (reason) => ended.push(reason));
  await expect(query(CURRENT)).rejects.toBe(refusal);
  await expect(session.token()).rejects.toBe(refusal);
  expect(ended).toEqual([refusal]);
});

test("a source that fails is asked again", async () => {
  let attempts = 0;
  const { query } = openSignalbox(node, {
    session() {
      attempts += 1;
      if (attempts < 3) throw new TypeError("fetch failed");
      return user.token;
    },
  });
  await query(CURRENT);
  expect(attempts).toBe(3);
});

test("a user signs in on an application session, and out again", async () => {
  const { session } = openSignalbox(node, {
    session: await applicationToken(node).then((token) => () => token),
  });
  const users: (string | null)[] = [];
  session.on("changed", ({ userId }) => users.push(userId));
  expect((await session.current()).userId).toBeNull();
  expect(await codeOf(session.logIn({ login: user.login, password: "wrong password" }))).toBe(
    "UNAUTHENTICATED",
  );
  const { login, password } = user;
  expect(await session.logIn({ login, password })).toMatchObject({ id: String(user.id), login });
  expect((await session.current()).user?.login).toBe(login);
  await session.logOut();
  expect((await session.current()).userId).toBeNull();
  expect(users).toEqual([null, String(user.id), null]);
});

test("a prototype signs in by itself: with a password, as a guest, as an application", async () => {
  const { login, password } = user;
  const open = (credentials = {}) =>
    openSignalbox(node, { session: signedSession(keys(), credentials) }).session.current();
  expect((await open({ user: { login, password } })).userId).toBe(String(user.id));
  expect((await open({ user: { guest: true, fullName: "Gwen" } })).user).toMatchObject({
    fullName: "Gwen",
    isGuest: true,
  });
  expect((await open()).userId).toBeNull();
  expect(await codeOf(open({ user: { login, password: "wrong password" } }))).toBe(
    "UNAUTHENTICATED",
  );
});

test("a wrong secret is named by the field", async () => {
  const wrong = signedSession({ ...keys(), authSecret: "wrong" });
  const { session } = openSignalbox(node, { session: wrong });
  const error: SignalboxError = await session.current().catch((reason) => reason);
  expect(error).toMatchObject({ code: "INVALID", name: "SignalboxError" });
  expect(error.requestId).toMatch(/./);
  expect(Object.keys(error.fields)).toEqual(["signature"]);
});

test("a stored token is used again, replaced when it has ended, and removed by the sign-out", async () => {
  const entries = new Map<string, string>();
  const storage = webStorage({
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  } as Storage);
  const stored = await signIn(node, user);
  storage.set(stored.token);
  const last = await signIn(node, user);
  const { asked, source } = tokens(last.token);
  const { session, query } = openSignalbox(node, { session: source, storage });
  await query(CURRENT);
  expect(asked).toEqual([]);
  await rest(node, "DELETE", "/session", { token: stored.token });
  await query(CURRENT);
  expect(asked).toEqual([stored.token]);
  expect([...entries.values()]).toEqual([last.token]);
  await session.end();
  expect(entries.size).toBe(0);
  expect((await rest(node, "GET", "/session", { token: last.token })).status).toBe(401);
  expect(await codeOf(query(CURRENT))).toBe("UNAUTHENTICATED");
});

test("a service that cannot be reached is NETWORK, and one that answers nonsense has no success", async () => {
  const away = openSignalbox({ baseUrl: "http://127.0.0.1:9" }, { session: () => user.token });
  expect(await codeOf(away.query(CURRENT))).toBe("NETWORK");
  const proxy = (async () => new Response("<h1>Bad gateway</h1>", { status: 502 })) as typeof fetch;
  const behind = openSignalbox(node, { session: () => user.token, fetch: proxy });
  expect(await codeOf(behind.query(CURRENT))).toBe("UNAVAILABLE");
});

/** A `fetch` that records the requests of the test, which have a header of their own, beside those of the client. */
function recordingFetch() {
  const sent: { token: string | null; body: string }[] = [];
  const record = async (...[input, init]: Parameters<typeof fetch>) => {
    const request = new Request(input, init);
    if (request.headers.has("x-own")) {
      const token = request.headers.get("svc-token");
      sent.push({ token, body: await request.clone().text() });
    }
    return fetch(request);
  };
  return { sent, fetch: record };
}

const OWN = { "Content-Type": "application/json", "X-Own": "yes" };

test.each<[kind: string, path: string, body: object, answer: object]>([
  [
    "GraphQL",
    "/graphql",
    { query: CURRENT },
    { data: { currentSession: { userId: expect.any(String) } } },
  ],
  ["REST", "/subscriptions", androidDevice(), [{ subscription: expect.any(Object) }]],
])("fetch repeats a request of %s once, with a new token, when the old one is refused", async (_kind, path, content, answer) => {
  const ended = await signIn(node, user);
  await rest(node, "DELETE", "/session", { token: ended.token });
  const { asked, source } = tokens(ended.token, user.token);
  const { sent, fetch } = recordingFetch();
  const signalbox = openSignalbox(node, { session: source, fetch });
  const body = JSON.stringify(content);
  const response = await signalbox.fetch(path, { method: "POST", headers: OWN, body });
  expect(await response.json()).toEqual(answer);
  expect(sent).toEqual([
    { token: ended.token, body },
    { token: user.token, body },
  ]);
  expect(asked).toEqual([null, ended.token]);
});

test("fetch passes on that the new token is refused as well, and sends no other site a token", async () => {
  const ended = await signIn(node, user);
  await rest(node, "DELETE", "/session", { token: ended.token });
  const { source } = tokens(ended.token, "unknown");
  const { sent, fetch } = recordingFetch();
  const signalbox = openSignalbox(node, { session: source, fetch });
  expect((await signalbox.fetch("/session", { headers: OWN })).status).toBe(401);
  expect(sent.map(({ token }) => token)).toEqual([ended.token, "unknown"]);
  expect(await codeOf(signalbox.fetch("http://127.0.0.1:9/", { headers: OWN }))).toBe("INVALID");
  expect(sent).toHaveLength(2);
});

test("a new session of the user takes the socket over, which goes on", async () => {
  const first = await signIn(node, user);
  const second = await signIn(node, user);
  const { source } = tokens(first.token, second.token);
  const { session, signals } = openSignalbox(node, { session: source });
  const statuses: string[] = [];
  const received: string[] = [];
  signals.on("status", (status) => statuses.push(status));
  signals.on("signal", ({ callId }) => received.push(callId ?? ""));
  await eventually(
    async () => signals.status,
    (status) => status === "online",
  );
  await session.renew(first.token);
  await session.current();
  await signals.send({ userId: user.id }, { hangUp: { callId: "before" } });
  await rest(node, "DELETE", "/session", { token: first.token });
  await signals.send({ userId: user.id }, { hangUp: { callId: "after" } });
  await eventually(
    async () => received,
    ({ length }) => length === 2,
  );
  expect(received).toEqual(["before", "after"]);
  expect(statuses).toEqual(["connecting", "online"]);
});
