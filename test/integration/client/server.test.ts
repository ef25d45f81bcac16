import { errorResponse, openSessions, SignalboxError } from "../../../client/src/server/index.ts";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest } from "../../support/rest-client";
import { newApiKey } from "../../support/sessions/api-keys";
import { blockUser } from "../../support/sessions/blocks";

/** Sessions that a backend creates for its pages, by @signalbox/client/server. */

let node: TestNode;
let apiKey: string;
beforeAll(async () => {
  node = await startNode();
  await node.sql("UPDATE applications SET server_sessions_create_users = true");
  apiKey = await newApiKey(node, ["sessions"]);
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
  expect(received.join()).not.toContain(apiKey);
});

function open(changes: object = {}, service = node) {
  const { id: applicationId, authKey, authSecret } = service.application;
  return openSessions({
    url: `${service.baseUrl}/`,
    fetch: recording,
    apiKey,
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
  const first = await open().forUser({ login: "shop-42", fullName: "Ann", tags: ["shop"] });
  const second = await open().forUser({ login: "Shop-42", fullName: "Other" });
  expect(second.userId).toBe(first.userId);
  expect(second.token).not.toBe(first.token);
  expect((await ownSession(second.token)).user).toMatchObject({
    login: "shop-42",
    full_name: "Ann",
    user_tags: "shop",
  });
});

test("two first sessions of a user at once are of the same user", async () => {
  const user = { login: "at-once" };
  const [first, second] = await Promise.all([open().forUser(user), open().forUser(user)]);
  expect(second.userId).toBe(first.userId);
});

/** Lets the sessions reach users who signed up, or not. */
const letReach = (isOn: boolean) =>
  node.sql("UPDATE applications SET server_sessions_reach_signed_up_users = $1", [isOn]);

test("a user who has a password is reached by login, id and external id, and keeps it", async () => {
  await letReach(true);
  const { login, password, id } = await newUser(node, { external_id: "crm-9" });
  const userId = String(id);
  for (const name of [{ login }, { userId }, { externalId: "crm-9" }]) {
    expect((await open().forUser(name)).userId).toBe(userId);
  }
  expect((await open().create({ user: { login, password } })).userId).toBe(userId);
});

test("users of a derived password of an earlier version go on with the same login", async () => {
  const login = "derived";
  const { token } = await open().create();
  const password = "x".repeat(43);
  const body = { user: { login, password } };
  const { id } = (await rest(node, "POST", "/users", { token, body })).body.user;
  await letReach(false);
  expect((await failure(open().forUser({ login }))).fields).toEqual({
    login: [expect.stringContaining("serverSessionsReachSignedUpUsers")],
  });
  await letReach(true);
  expect((await open().forUser({ login })).userId).toBe(String(id));
  await letReach(false);
  expect((await open().forUser({ login })).userId).toBe(String(id));
});

test("a blocked user is FORBIDDEN, and an unknown one NOT_FOUND", async () => {
  const user = await newUser(node);
  await blockUser(node, user);
  await letReach(true);
  expect(await failure(open().forUser({ login: user.login }))).toMatchObject({ code: "FORBIDDEN" });
  expect(await failure(open().forUser({ userId: "999999" }))).toMatchObject({ code: "NOT_FOUND" });
});

test("a key without the scope, and one that is unknown, are refused", async () => {
  const other = await newApiKey(node, ["push"]);
  const forbidden = await failure(open({ apiKey: other }).forUser({ login: "ann" }));
  expect(forbidden).toMatchObject({ code: "FORBIDDEN" });
  const unknown = await failure(open({ apiKey: "sbk_unknown" }).forUser({ login: "ann" }));
  expect(unknown).toMatchObject({ code: "UNAUTHENTICATED" });
  expect(JSON.stringify(unknown)).not.toContain("sbk_");
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

test("a backend without an API key or without the application's keys says so", async () => {
  const error = await failure(open({ apiKey: "" }).forUser({ login: "ann" }));
  expect(error.message).toBe("forUser needs apiKey");
  const unsigned = await failure(open({ authSecret: undefined }).create());
  expect(unsigned.message).toBe("create needs applicationId, authKey and authSecret");
  await open().create();
  for (const apiKey of ["", undefined]) {
    expect(() => openSessions({ url: node.baseUrl, apiKey })).toThrow(
      "openSessions needs apiKey: npx signalbox api-key create",
    );
  }
});

test("a backend answers an error with a status that pages understand, and never shows errors of its own", async () => {
  const error = await failure(open().forUser({ login: "not allowed!" }));
  const push = await newApiKey(node, ["push"]);
  const answers = [
    error,
    await failure(open({ apiKey: push }).forUser({ login: "ann" })),
    await failure(open().forUser({ userId: "999999" })),
    new SignalboxError("MALFORMED", "No"),
    new SignalboxError("TOO_LARGE", "No"),
    new SignalboxError("UNAVAILABLE", "Later", { retryAfter: 2.5 }),
    new SignalboxError("LIMITED", "Too many requests", { retryAfter: 7 }),
    new SignalboxError("INTERNAL", "Internal server error"),
    new SignalboxError("NETWORK", "The service does not answer"),
    await failure(open({ apiKey: "sbk_unknown" }).forUser({ login: "ann" })),
    await failure(open({ apiKey: "" }).forUser({ login: "ann" })),
    await failure(open({ authSecret: undefined }).create()),
    new Error("connect 10.0.0.1"),
  ].map((each) => errorResponse(each));
  expect(answers).toEqual([
    { status: 422, headers: {}, body: { message: error.message } },
    {
      status: 403,
      headers: {},
      body: { message: "This API key may not do that: the scope sessions is needed" },
    },
    { status: 422, headers: {}, body: { message: "There is no such user" } },
    { status: 400, headers: {}, body: { message: "No" } },
    { status: 422, headers: {}, body: { message: "No" } },
    { status: 503, headers: { "Retry-After": "3" }, body: { message: "Later" } },
    { status: 429, headers: { "Retry-After": "7" }, body: { message: "Too many requests" } },
    { status: 500, headers: {}, body: { message: "Internal server error" } },
    { status: 503, headers: {}, body: { message: "The service does not answer" } },
    ...Array.from({ length: 4 }, () => ({
      ...{ status: 500, headers: {} },
      body: { message: "The session could not be created" },
    })),
  ]);
});
