import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { eventually } from "../../../scripts/services/binaries";
import { graphql } from "../../../tools/graphql/graphql-http";
import { auth, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { blockThreadPool } from "../../support/operations/thread-pool";
import { applicationToken, rest, signedParameters } from "../../support/rest-client";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";

/** The bounds of password hashing: the limits of password changes and attempts, and the queue of a node. */

const PASSWORD = "correct horse";
const clock = new MovingClock();
let node: TestNode;
let token: string;
beforeAll(async () => {
  clock.hold(true);
  node = await startNode(
    {
      // Without Redis the node counts with the test's clock; Redis uses its own.
      REDIS_URL: "",
      CHAT_DOMAIN: DOMAIN,
      TRUST_PROXY: "127.0.0.1",
      RATE_PASSWORDS_PER_USER: "3",
      RATE_SIGN_INS_PER_IP: "200",
      FAILED_SIGN_INS_BEFORE_DELAY: "5",
      RATE_SESSIONS_PER_APPLICATION: "12",
      RATE_SIGN_INS_PER_APPLICATION: "200",
    },
    { clock },
  );
  token = await applicationToken(node, clock.now());
});
afterAll(() => node.stop());
// Sessions expire two hours after their last use, failures after one hour.
beforeEach(async () => {
  clock.advance(HOUR + MINUTE);
  await rest(node, "GET", "/session", { token });
});

let hosts = 0;
const stranger = () => `198.51.100.${++hosts}`;
const from = (ip: string) => ({ "X-Forwarded-For": ip });
let names = 0;

interface Account {
  id: number;
  login: string;
  email: string;
  token: string;
}

/** A user who has signed in from a separate address. */
async function account(): Promise<Account> {
  const login = `account-${++names}`;
  const email = `${login}@mail.example`;
  const user = { login, email, password: PASSWORD };
  const headers = from(stranger());
  const { body } = await rest(node, "POST", "/users", { token, headers, body: { user } });
  const own = await applicationToken(node, clock.now());
  await rest(node, "POST", "/login", { token: own, headers, body: { login, password: PASSWORD } });
  return { id: body.user.id, login, email, token: own };
}

const change = (user: Account, password: string, oldPassword: string, ip = stranger()) =>
  rest(node, "PUT", `/users/${user.id}`, {
    token: user.token,
    headers: from(ip),
    body: { user: { password, old_password: oldPassword } },
  });

const signIn = (ip: string, body: object) =>
  rest(node, "POST", "/login", { token, headers: from(ip), body });

/** The response to the sign-in of a chat client. */
async function chat(ip: string, id: number, secret: string): Promise<string> {
  const client = await connectRaw(node.chatUrl, { headers: from(ip) });
  for (const frame of [OPEN, auth(`${id}-${node.application.id}`, secret)]) client.send(frame);
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return answer;
}

describe("password changes", () => {
  test("are limited for each user, across addresses, whether they succeed or fail", async () => {
    const user = await account();
    expect((await change(user, "battery one", PASSWORD)).status).toBe(200);
    expect((await change(user, "battery two", "battery one")).status).toBe(200);
    expect((await change(user, "battery three", "wrong horse")).status).toBe(422);
    const refused = await change(user, "battery three", "battery two");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    const profile = { token: user.token, body: { user: { full_name: "Same" } } };
    expect((await rest(node, "PUT", `/users/${user.id}`, profile)).status).toBe(200);
    clock.advance(MINUTE);
    expect((await change(user, "battery three", "battery two")).status).toBe(200);
  });

  test("count as sign-ins of their address", async () => {
    const own = await startNode(
      { REDIS_URL: "", TRUST_PROXY: "127.0.0.1", RATE_SIGN_INS_PER_IP: "2" },
      { clock },
    );
    try {
      const ip = stranger();
      const headers = from(ip);
      const session = await applicationToken(own, clock.now());
      const user = { login: "somebody", password: PASSWORD };
      const { body } = await rest(own, "POST", "/users", { token: session, body: { user } });
      await rest(own, "POST", "/login", { token: session, headers, body: user });
      const set = (password: string, oldPassword: string) =>
        rest(own, "PUT", `/users/${body.user.id}`, {
          token: session,
          headers,
          body: { user: { password, old_password: oldPassword } },
        });
      expect((await set("battery one", PASSWORD)).status).toBe(200);
      expect((await set("battery two", "battery one")).status).toBe(429);
    } finally {
      await own.stop();
    }
  });

  test("are limited for account owners too", async () => {
    const owner = ownerCredentials(node);
    const own = await ownerToken(node, 100);
    const query =
      "mutation ($i: UpdateCurrentMemberInput!) { updateCurrentMember(input: $i) { member { id } } }";
    const set = (password: string, oldPassword: string) =>
      graphql(node, query, { i: { password, oldPassword } }, own);
    expect((await set("battery one", owner.password)).errors).toBeUndefined();
    expect((await set("battery two", "battery one")).errors).toBeUndefined();
    expect((await set(owner.password, "battery two")).errors).toBeUndefined();
    const refused = await set("battery four", owner.password);
    expect(refused.errors?.[0].extensions).toEqual({ code: "LIMITED", retryAfter: 60 });
  });

  test("through a reset link count for the same user", async () => {
    const user = await account();
    for (let count = 0; count < 3; count += 1) {
      expect((await change(user, "battery one", "wrong horse")).status).toBe(422);
    }
    const link = `link-${names}`;
    const digest = createHash("sha256").update(link).digest();
    await node.sql(
      "INSERT INTO password_resets (user_id, token_hash, expires_at) VALUES ($1, $2, $3)",
      [user.id, digest, new Date(clock.now() + HOUR)],
    );
    const post = async () => {
      const password = "battery four";
      const body = new URLSearchParams({ token: link, password, repeat: password });
      const headers = from(stranger());
      const answer = await rest(node, "POST", "/password/reset", { headers, body });
      return [answer.status, answer.headers.get("retry-after")];
    };
    expect(await post()).toEqual([429, "60"]);
    clock.advance(MINUTE - 1);
    expect(await post()).toEqual([429, "1"]);
    clock.advance(1);
    expect(await post()).toEqual([200, null]);
  });
});

test("login, e-mail and id of a user share one failure counter", async () => {
  const user = await account();
  const ip = stranger();
  const password = "wrong horse";
  const { login, email, id } = user;
  for (const name of [{ login }, { email }, { login }, { email: email.toUpperCase() }]) {
    expect((await signIn(ip, { ...name, password })).status).toBe(401);
  }
  expect(await chat(ip, id, password)).toContain("<not-authorized");
  for (const name of [{ login }, { email }]) {
    const refused = await signIn(ip, { ...name, password: PASSWORD });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  }
  expect(await chat(ip, id, PASSWORD)).toContain("<temporary-auth-failure");
  expect((await change(user, "battery one", PASSWORD, ip)).status).toBe(429);
  clock.advance(1_000);
  expect((await signIn(ip, { email, password: PASSWORD })).status).toBe(200);
  expect(await chat(ip, id, PASSWORD)).toContain("<success");
});

test("unknown names have a counter each and get the same responses as known ones", async () => {
  const ip = stranger();
  const known = await account();
  const responses = async (body: object) => {
    const address = stranger();
    const answers = [];
    for (let count = 0; count < 7; count += 1) {
      const answer = await signIn(address, { ...body, password: "wrong horse" });
      answers.push([answer.status, answer.text, answer.headers.get("retry-after")]);
    }
    return answers;
  };
  const unknown = { login: "nobody-at-all" };
  for (const body of [
    { login: known.login },
    { email: known.email },
    { email: "no@mail.example" },
  ]) {
    expect(await responses(body)).toEqual(await responses(unknown));
    clock.advance(HOUR + 1);
  }
  expect((await signIn(ip, { email: "nobody-at-all", password: "x" })).status).toBe(401);
});

describe("the limits of an application", () => {
  test("apply to web sessions, and do not count requests with a wrong signature", async () => {
    const create = (fields = {}) =>
      rest(node, "POST", "/session/web", {
        body: { ...signedParameters(node, clock.now()), ...fields },
      });
    clock.advance(MINUTE);
    for (let count = 0; count < 15; count += 1) {
      expect((await create({ signature: "0".repeat(40) })).status).toBe(422);
    }
    for (let count = 0; count < 12; count += 1) expect((await create()).status).toBe(201);
    const refused = await create();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  });

  test("apply to chat clients, and do not count wrong passwords", async () => {
    const own = await startNode(
      {
        REDIS_URL: "",
        CHAT_DOMAIN: DOMAIN,
        TRUST_PROXY: "127.0.0.1",
        RATE_SIGN_INS_PER_APPLICATION: "2",
        RATE_REQUESTS_PER_APPLICATION: "6",
      },
      { clock },
    );
    try {
      const session = await applicationToken(own, clock.now());
      const user = { login: "chatter", password: PASSWORD };
      const { body } = await rest(own, "POST", "/users", { token: session, body: { user } });
      const chatSignIn = async (secret: string) => {
        const client = await connectRaw(own.chatUrl, { headers: from(stranger()) });
        const name = `${body.user.id}-${own.application.id}`;
        for (const frame of [OPEN, auth(name, secret)]) client.send(frame);
        for (let count = 0; count < 2; count += 1) await client.next();
        const answer = await client.next();
        client.socket.terminate();
        return /<(success|not-authorized|temporary-auth-failure)/.exec(answer)?.[1];
      };
      // The first two failures cause no wait.
      expect([await chatSignIn("wrong horse"), await chatSignIn("wrong horse")]).toEqual([
        "not-authorized",
        "not-authorized",
      ]);
      expect([await chatSignIn(PASSWORD), await chatSignIn(PASSWORD)]).toEqual([
        "success",
        "success",
      ]);
      expect(await chatSignIn(PASSWORD)).toBe("temporary-auth-failure");
      clock.advance(MINUTE);
      await rest(own, "POST", "/login", { token: session, body: user });
      expect(await chatSignIn(session)).toBe("success");
      // Together with the sign-in and the stream above, these use up the six requests of this minute.
      for (let count = 0; count < 4; count += 1) {
        expect((await rest(own, "GET", "/session", { token: session })).status).toBe(200);
      }
      expect(await chatSignIn(session)).toBe("temporary-auth-failure");
    } finally {
      await own.stop();
    }
  });
});

describe("the password queue", () => {
  test("immediately rejects excess requests of one address", async () => {
    const ip = stranger();
    const body = { login: "nobody", password: "wrong horse" };
    const own = await startNode({ REDIS_URL: "", PASSWORD_WAIT_MS: "2000" }, { clock });
    const threads = Math.min(availableParallelism(), 4);
    const capacity = threads + 64 * threads;
    try {
      const session = await applicationToken(own, clock.now());
      const release = blockThreadPool();
      let answered = 0;
      const ask = async () => {
        const answer = await rest(own, "POST", "/login", {
          token: session,
          headers: from(ip),
          body,
        });
        answered += 1;
        return answer;
      };
      const asked = Array.from({ length: 2 * capacity }, ask);
      await eventually(async () => expect(answered).toBe(capacity)).finally(release);
      const answers = await Promise.all(asked);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(capacity);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(capacity);
      for (const { headers, body: error } of refused) {
        expect([headers.get("retry-after"), error]).toEqual([
          "2",
          { errors: { base: ["Too many passwords are waiting to be checked; try again in 2 s"] } },
        ]);
      }
    } finally {
      await own.stop();
    }
  });

  test("does not count a password that was not checked as a failure", async () => {
    const user = await account();
    const ip = stranger();
    const ask = () => signIn(ip, { login: user.login, password: PASSWORD });
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    for (const { status } of answers) expect([200, 429]).toContain(status);
    expect((await ask()).status).toBe(200);
  });
});
