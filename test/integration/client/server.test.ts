import { createHmac } from "node:crypto";
import { errorResponse, openSessions, SignalboxError } from "../../../client/src/server/index.ts";
import { auth, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest } from "../../support/rest-client";

/** Sessions that a backend signs for its pages, by @signalbox/client/server. */

const USER_SECRET = "a secret of the backend, which is long enough";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

/** The text of each answer of the service. */
const answers: string[] = [];
const recording = (async (...request: Parameters<typeof fetch>) => {
  const response = await fetch(...request);
  answers.push(await response.clone().text());
  return response;
}) as typeof fetch;

afterEach(() => {
  const received = answers.splice(0);
  expect(received).not.toEqual([]);
  expect(received.join()).not.toContain(node.application.authSecret);
});

function open(changes: object = {}, service = node) {
  const { id: applicationId, authKey, authSecret } = service.application;
  return openSessions({
    url: `${service.baseUrl}/`,
    fetch: recording,
    userSecret: USER_SECRET,
    ...{ applicationId, authKey, authSecret, ...changes },
  });
}

const ownSession = async (token: string) =>
  (await rest(node, "GET", "/session", { token })).body.session;

const failure = (attempt: Promise<unknown>): Promise<SignalboxError> =>
  attempt.then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => error,
  );

test("a user of forUser signs in over chat with the derived password, before and after its form is stored", async () => {
  const login = "chatting";
  const { userId, token } = await open().forUser({ login });
  const password = createHmac("sha256", USER_SECRET).update(login).digest("base64url");
  const signIn = async (secret: string) => {
    const client = await connectRaw(node.chatUrl);
    const stream = OPEN.replace(DOMAIN, node.app.addresses.chat_domain);
    for (const frame of [stream, auth(`${userId}-${node.application.id}`, secret)]) {
      client.send(frame);
    }
    for (let count = 0; count < 2; count += 1) await client.next();
    const answer = await client.next();
    client.socket.terminate();
    return /<(success|not-authorized)/.exec(answer)?.[1];
  };
  const form = async () =>
    (await node.sql("SELECT password_has_token_form AS form FROM users WHERE id = $1", [userId]))[0]
      ?.form;
  const set = (known: boolean | null) =>
    node.sql("UPDATE users SET password_has_token_form = $2 WHERE id = $1", [userId, known]);
  expect(await form()).toBe(true);
  expect(await signIn(password)).toBe("success");
  // The row of an earlier version: a wrong secret settles nothing, the right password does.
  await set(null);
  expect(await signIn("x".repeat(43))).toBe("not-authorized");
  expect(await form()).toBeNull();
  expect(await signIn(password)).toBe("success");
  expect(await form()).toBe(true);
  expect(await signIn(password)).toBe("success");
  // A node of an earlier version that set the password left the form of the one before: the next session mends it.
  await set(false);
  expect(await signIn(password)).toBe("not-authorized");
  await open().forUser({ login });
  expect(await form()).toBe(true);
  expect(await signIn(password)).toBe("success");
  expect(await signIn(token)).toBe("success");
});

test("an application session has no user, and one by a password has", async () => {
  const { login, password, id } = await newUser(node);
  const { token, userId } = await open().create();
  expect(userId).toBeNull();
  expect((await ownSession(token)).user_id).toBeNull();
  const session = await open().create({ user: { login, password } });
  expect(session.userId).toBe(String(id));
  expect((await ownSession(session.token)).user_id).toBe(id);
});

test("a wrong password is UNAUTHENTICATED", async () => {
  const { login } = await newUser(node);
  const wrong = open().create({ user: { login, password: "wrong password" } });
  expect(await failure(wrong)).toMatchObject({ code: "UNAUTHENTICATED" });
});

test("the first session of a user creates the user, and each later one is of the same", async () => {
  const first = await open().forUser({ login: "shop-42", fullName: "Ann" });
  const second = await open().forUser({ login: "Shop-42", fullName: "Other" });
  expect(second.userId).toBe(first.userId);
  expect(second.token).not.toBe(first.token);
  expect((await ownSession(second.token)).user).toMatchObject({
    login: "shop-42",
    full_name: "Ann",
  });
});

test("two first sessions of a user at once are of the same user", async () => {
  const user = { login: "at-once" };
  const [first, second] = await Promise.all([open().forUser(user), open().forUser(user)]);
  expect(second.userId).toBe(first.userId);
});

test("a login that has another password is refused, and stays as it is", async () => {
  const { login, password } = await newUser(node);
  const error = await failure(open().forUser({ login }));
  expect(error).toMatchObject({ code: "INVALID", fields: { login: [expect.any(String)] } });
  expect((await open().create({ user: { login, password } })).userId).not.toBeNull();
  // Another secret gives other passwords.
  await open().forUser({ login: "kept" });
  const other = open({ userSecret: "another secret of another backend" });
  expect(await failure(other.forUser({ login: "kept" }))).toMatchObject({
    code: "INVALID",
    message: expect.stringMatching(/^The login kept belongs to a user with another password: /),
    requestId: expect.any(String),
  });
});

test("a login that the service does not allow is named", async () => {
  const error = await failure(open().forUser({ login: "not allowed!" }));
  expect(error).toMatchObject({ code: "INVALID", fields: { login: [expect.any(String)] } });
});

test.each([
  ["authSecret", "wrong", "signature"],
  ["authKey", "wrong", "authKey"],
  ["applicationId", 999_999, "applicationId"],
])("a wrong %s is INVALID on the field, and repeats nothing of the secret", async (key, value, field) => {
  const error = await failure(open({ [key]: value }).create());
  expect(error).toBeInstanceOf(SignalboxError);
  expect(error.code).toBe("INVALID");
  expect(Object.keys(error.fields)).toEqual([field]);
  const { message, stack, cause } = error;
  const shown = JSON.stringify({ ...error, message, stack, cause });
  expect(shown).not.toContain(node.application.authSecret);
});

test("a clock that is wrong by more than an hour is INVALID, and says by how much", async () => {
  const clock = new MovingClock();
  const late = await startNode({}, { clock });
  clock.advance(3 * HOUR);
  try {
    const error = await failure(open({}, late).create());
    expect(error.fields).toEqual({
      timestamp: [expect.stringMatching(/seconds behind the server/)],
    });
  } finally {
    await late.stop();
  }
});

test("a backend without a secret for its users says so", async () => {
  const error = await failure(open({ userSecret: "" }).forUser({ login: "ann" }));
  expect(error.message).toBe("forUser needs userSecret");
  await open().create();
});

test("a backend answers an error with a status that pages understand, and never shows errors of its own", async () => {
  const error = await failure(open().forUser({ login: "not allowed!" }));
  const answers = [
    error,
    new SignalboxError("LIMITED", "Too many requests"),
    new SignalboxError("NETWORK", "The service does not answer"),
    new SignalboxError("UNAUTHENTICATED", "Wrong login or password"),
    new Error("connect 10.0.0.1"),
  ].map((each) => errorResponse(each));
  expect(answers).toEqual([
    { status: 422, body: { message: error.message } },
    { status: 429, body: { message: "Too many requests" } },
    { status: 503, body: { message: "The service does not answer" } },
    { status: 500, body: { message: "Wrong login or password" } },
    { status: 500, body: { message: "The session could not be created" } },
  ]);
});
