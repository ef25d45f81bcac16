import { auth, connectRaw, DOMAIN, OPEN } from "../../support/chat/chat";
import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { applicationToken, rest } from "../../support/rest-client";

/** Password guessing: the waits after failures, their scope, and that they reveal nothing. */

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
      FAILED_SIGN_INS_BEFORE_DELAY: "5",
      FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME: "12",
      FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "8",
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
let names = 0;
const PASSWORD = "correct horse";

async function account(): Promise<{ login: string; id: number }> {
  const login = `account-${++names}`;
  const body = { user: { login, password: PASSWORD } };
  return { login, id: (await rest(node, "POST", "/users", { token, body })).body.user.id };
}
const unknownName = () => ({ login: `nobody-${++names}`, id: 900_000 + names });

const attempt = (ip: string, login: string, password: string) =>
  rest(node, "POST", "/login", {
    token,
    headers: { "X-Forwarded-For": ip },
    body: { login, password },
  });
const wrong = (ip: string, login: string) => attempt(ip, login, "wrong horse");
const right = (ip: string, login: string) => attempt(ip, login, PASSWORD);

/** Sends wrong passwords and expects 401 for each. */
async function fail(times: number, ip: string, login: string): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect((await wrong(ip, login)).status).toBe(401);
  }
}

const KINDS: Array<[kind: string, make: () => Promise<{ login: string; id: number }>]> = [
  ["a known name", account],
  ["an unknown name", async () => unknownName()],
];

describe.each(KINDS)("%s", (_kind, make) => {
  test("must wait after five failures, and twice as long after each further one", async () => {
    const { login } = await make();
    const ip = stranger();
    await fail(5, ip, login);
    for (const seconds of [1, 2, 4]) {
      const refused = await wrong(ip, login);
      expect([refused.status, refused.headers.get("retry-after"), refused.body]).toEqual([
        429,
        String(seconds),
        { errors: { base: [`Too many failed attempts; try again in ${seconds} s`] } },
      ]);
      // An attempt during the wait is not checked and does not extend the wait.
      clock.advance(seconds * 1000 - 1);
      expect((await right(ip, login)).headers.get("retry-after")).toBe("1");
      clock.advance(1);
      await fail(1, ip, login);
    }
  });

  test("waits at most fifteen minutes, and has no wait after an hour without failures", async () => {
    const { login } = await make();
    const ip = stranger();
    await fail(5, ip, login);
    for (let count = 0; count < 15; count += 1) {
      clock.advance(15 * MINUTE);
      await fail(1, ip, login);
    }
    expect((await wrong(ip, login)).headers.get("retry-after")).toBe("900");
    clock.advance(HOUR);
    await fail(5, ip, login);
    expect((await wrong(ip, login)).headers.get("retry-after")).toBe("1");
  });

  test("allows five of fifty concurrent attempts", async () => {
    const { login } = await make();
    const ip = stranger();
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(ip, login)));
    const count = (status: number) => answers.filter((each) => each.status === status).length;
    expect([count(401), count(429)]).toEqual([5, 45]);
  });

  test("has the same waits in chat", async () => {
    const { id } = await make();
    const ip = stranger();
    const chat = async () => {
      const client = await connectRaw(node.chatUrl, { headers: { "X-Forwarded-For": ip } });
      for (const frame of [OPEN, auth(`${id}-${node.application.id}`, "wrong horse")]) {
        client.send(frame);
      }
      for (let count = 0; count < 2; count += 1) await client.next();
      const answer = await client.next();
      client.socket.terminate();
      return answer;
    };
    // Concurrently, because each further failure of a chat client is answered with a longer delay.
    const answers = await Promise.all(Array.from({ length: 8 }, chat));
    const count = (text: string) => answers.filter((each) => each.includes(text)).length;
    expect([count("<not-authorized"), count("<temporary-auth-failure")]).toEqual([5, 3]);
  });
});

test("known and unknown names get identical responses to every attempt", async () => {
  const [known, unknown] = [await account(), unknownName()];
  const responses = async (login: string) => {
    const ip = stranger();
    const answers = [];
    for (let count = 0; count < 7; count += 1) {
      const { status, body, headers } = await wrong(ip, login);
      answers.push([status, body, headers.get("retry-after")]);
    }
    return answers;
  };
  expect(await responses(known.login)).toEqual(await responses(unknown.login));
});

test("the right password resets the failures of its name", async () => {
  const { login } = await account();
  const ip = stranger();
  for (let count = 0; count < 2; count += 1) {
    await fail(3, ip, login);
    expect((await right(ip, login)).status).toBe(200);
  }
});

test("the right password does not reset the failures of its address", async () => {
  const { login } = await account();
  const ip = stranger();
  await fail(4, ip, unknownName().login);
  expect((await right(ip, login)).status).toBe(200);
  await fail(4, ip, unknownName().login);
  expect((await wrong(ip, unknownName().login)).headers.get("retry-after")).toBe("1");
});

test("failures from other addresses do not lock the user out", async () => {
  const { login } = await account();
  const home = stranger();
  expect((await right(home, login)).status).toBe(200);
  for (let count = 0; count < 3; count += 1) await fail(4, stranger(), login);
  const refused = await wrong(stranger(), login);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await right(home, login)).status).toBe(200);
});

test("a login in upper case counts as the same name", async () => {
  const { login } = await account();
  const ip = stranger();
  await fail(3, ip, login);
  await fail(2, ip, login.toUpperCase());
  expect((await wrong(ip, login)).status).toBe(429);
});

test("wrong old passwords count as failed sign-ins", async () => {
  const { login, id } = await account();
  const own = await applicationToken(node, clock.now());
  const headers = { "X-Forwarded-For": stranger() };
  await rest(node, "POST", "/login", { token: own, headers, body: { login, password: PASSWORD } });
  const change = () =>
    rest(node, "PUT", `/users/${id}`, {
      token: own,
      headers,
      body: { user: { password: "another horse", old_password: "wrong horse" } },
    });
  for (let count = 0; count < 5; count += 1) expect((await change()).status).toBe(422);
  const refused = await change();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
});

test("an attempt that could not be checked is not a failure", async () => {
  const own = await startNode({ FAILED_SIGN_INS_BEFORE_DELAY: "2" });
  try {
    const session = await applicationToken(own);
    const call = () =>
      rest(own, "POST", "/login", { token: session, body: { login: "a", password: "b" } });
    expect((await call()).status).toBe(401);
    await own.app.store.close();
    for (let count = 0; count < 5; count += 1) expect((await call()).status).toBe(503);
  } finally {
    await own.stop();
  }
});
