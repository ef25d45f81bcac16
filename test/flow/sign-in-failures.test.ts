import { auth, connectRaw, DOMAIN, OPEN } from "../support/chat";
import { applicationToken, rest } from "../support/client";
import { HOUR, MINUTE, MovingClock } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";

/** Guessing at passwords: the waits that failures bring, who they bind, and that they tell nothing. */

const clock = new MovingClock();
let node: TestNode;
let token: string;
beforeAll(async () => {
  clock.hold(true);
  node = await startNode(
    {
      // A lone node counts by the clock that the test moves; Redis has its own.
      ...{ REDIS_URL: "", CHAT_DOMAIN: DOMAIN, TRUST_PROXY: "127.0.0.1" },
      ...{ FAILURES_FREE: "5", FAILURES_FREE_PER_NAME: "12", FAILURES_FREE_PER_IP: "8" },
    },
    { clock },
  );
  token = await applicationToken(node, clock.now());
});
afterAll(() => node.stop());
// Sessions live two hours after their last use, failures one.
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
const nobody = () => ({ login: `nobody-${++names}`, id: 900_000 + names });

const attempt = (ip: string, login: string, password: string) =>
  rest(node, "POST", "/login", {
    token,
    headers: { "X-Forwarded-For": ip },
    body: { login, password },
  });
const wrong = (ip: string, login: string) => attempt(ip, login, "wrong horse");
const right = (ip: string, login: string) => attempt(ip, login, PASSWORD);

/** The statuses of so many wrong passwords, and what the last refusal says to wait. */
async function fail(times: number, ip: string, login: string): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect((await wrong(ip, login)).status).toBe(401);
  }
}

const KINDS: Array<[kind: string, make: () => Promise<{ login: string; id: number }>]> = [
  ["a name that is somebody's", account],
  ["a name that is nobody's", async () => nobody()],
];

describe.each(KINDS)("%s", (_kind, make) => {
  test("has to wait after five failures, twice as long after every further one", async () => {
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
      // Whoever asks too early is not judged, and makes nothing worse.
      clock.advance(seconds * 1000 - 1);
      expect((await right(ip, login)).headers.get("retry-after")).toBe("1");
      clock.advance(1);
      await fail(1, ip, login);
    }
  });

  test("waits a quarter of an hour at most, and starts anew after an hour", async () => {
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

  test("is guessed at five times when fifty guess at once", async () => {
    const { login } = await make();
    const ip = stranger();
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(ip, login)));
    const count = (status: number) => answers.filter((each) => each.status === status).length;
    expect([count(401), count(429)]).toEqual([5, 45]);
  });

  test("has the same waits for chat clients", async () => {
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
    // All at once, since a chat client that fails again is answered later and later.
    const answers = await Promise.all(Array.from({ length: 8 }, chat));
    const count = (text: string) => answers.filter((each) => each.includes(text)).length;
    expect([count("<not-authorized"), count("<temporary-auth-failure")]).toEqual([5, 3]);
  });
});

test("known and unknown names are refused in the same words, each time", async () => {
  const [known, unknown] = [await account(), nobody()];
  const story = async (login: string) => {
    const ip = stranger();
    const answers = [];
    for (let count = 0; count < 7; count += 1) {
      const { status, body, headers } = await wrong(ip, login);
      answers.push([status, body, headers.get("retry-after")]);
    }
    return answers;
  };
  expect(await story(known.login)).toEqual(await story(unknown.login));
});

test("the right password forgets the failures of its name", async () => {
  const { login } = await account();
  const ip = stranger();
  for (let count = 0; count < 2; count += 1) {
    await fail(3, ip, login);
    expect((await right(ip, login)).status).toBe(200);
  }
});

test("the right password does not forget those of its address", async () => {
  const { login } = await account();
  const ip = stranger();
  await fail(4, ip, nobody().login);
  expect((await right(ip, login)).status).toBe(200);
  await fail(4, ip, nobody().login);
  expect((await wrong(ip, nobody().login)).headers.get("retry-after")).toBe("1");
});

test("who keeps failing elsewhere does not lock the owner out", async () => {
  const { login } = await account();
  const home = stranger();
  expect((await right(home, login)).status).toBe(200);
  for (let count = 0; count < 3; count += 1) await fail(4, stranger(), login);
  const refused = await wrong(stranger(), login);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await right(home, login)).status).toBe(200);
});

test("a login in other letters is the same name", async () => {
  const { login } = await account();
  const ip = stranger();
  await fail(3, ip, login);
  await fail(2, ip, login.toUpperCase());
  expect((await wrong(ip, login)).status).toBe(429);
});

test("wrong old passwords count like failed sign-ins", async () => {
  const { login, id } = await account();
  const own = await applicationToken(node, clock.now());
  const headers = { "X-Forwarded-For": stranger() };
  await rest(node, "POST", "/login", { token: own, headers, body: { login, password: PASSWORD } });
  const change = () =>
    rest(node, "PUT", `/users/${id}`, {
      ...{ token: own, headers },
      body: { user: { password: "another horse", old_password: "wrong horse" } },
    });
  for (let count = 0; count < 5; count += 1) expect((await change()).status).toBe(422);
  const refused = await change();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
});

test("what could not be judged is no failure", async () => {
  const own = await startNode({ FAILURES_FREE: "2" });
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
