import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { NO_RATES, startNode, type TestNode } from "../../support/node";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";

/** Attempts at owners' passwords are limited like those at users' passwords. */

const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
const UPDATE =
  "mutation ($input: UpdateCurrentMemberInput!) { updateCurrentMember(input: $input) { member { id } } }";

const clock = new MovingClock();
let node: TestNode;
let password: string;
beforeAll(async () => {
  clock.hold(true);
  node = await startNode(
    {
      // A single node counts by the test's clock; Redis uses its own.
      REDIS_URL: "",
      TRUST_PROXY: "127.0.0.1",
      FAILED_SIGN_INS_BEFORE_DELAY: "5",
      FAILED_SIGN_INS_BEFORE_DELAY_PER_NAME: "12",
      FAILED_SIGN_INS_BEFORE_DELAY_PER_IP: "8",
    },
    { clock },
  );
  ({ password } = ownerCredentials(node));
});
afterAll(() => node.stop());
// Failures are forgotten after an hour.
beforeEach(() => clock.advance(HOUR + MINUTE));

let hosts = 0;
const newAddress = () => `198.51.100.${++hosts}`;
let names = 0;

/** The e-mail of a new owner, with the password of the first one. */
async function account(): Promise<string> {
  const email = `owner-${++names}@example.com`;
  await node.sql(
    `WITH a AS (INSERT INTO accounts (name, account_key, updated_at) VALUES ($1, $1, now())
        RETURNING id)
      INSERT INTO account_members (account_id, email, password_hash, role)
      SELECT a.id, $1, m.password_hash, 'owner' FROM a,
        (SELECT password_hash FROM account_members ORDER BY id LIMIT 1) m`,
    [email],
  );
  return email;
}
const unknownEmail = async () => `nobody-${++names}@example.com`;

async function ask(ip: string, query: string, input: object, token?: string, at = node) {
  const response = await fetch(at.graphqlUrl, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Forwarded-For": ip,
      ...(token ? { "Svc-Token": token } : {}),
    },
    body: JSON.stringify({ query, variables: { input } }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
  const { errors } = (await response.json()) as { errors?: any[] };
  const { status, headers } = response;
  const { code, retryAfter } = errors?.[0].extensions ?? { code: "OK" };
  const message: string | undefined = errors?.[0].message;
  return { status, code, retryAfter, message, header: headers.get("retry-after") };
}
const attempt = (ip: string, email: string, given: string) =>
  ask(ip, SIGN_IN, { email, password: given });
const wrong = (ip: string, email: string) => attempt(ip, email, "wrong horse");
const right = (ip: string, email: string) => attempt(ip, email, password);

async function fail(times: number, ip: string, email: string): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect((await wrong(ip, email)).code).toBe("UNAUTHENTICATED");
  }
}

describe.each([
  ["the e-mail of an owner", account],
  ["an unknown e-mail", unknownEmail],
])("%s", (_kind, make) => {
  test("must wait after five failures, and twice as long after each further one", async () => {
    const email = await make();
    const ip = newAddress();
    await fail(5, ip, email);
    for (const seconds of [1, 2, 4]) {
      expect(await wrong(ip, email)).toEqual({
        status: 429,
        code: "LIMITED",
        retryAfter: seconds,
        header: String(seconds),
        message: `Too many failed attempts; try again in ${seconds} s`,
      });
      // An early attempt is not verified, and does not extend the wait.
      clock.advance(seconds * 1000 - 1);
      expect((await right(ip, email)).code).toBe("LIMITED");
      clock.advance(1);
      await fail(1, ip, email);
    }
  });

  test("allows five of fifty concurrent attempts", async () => {
    const email = await make();
    const ip = newAddress();
    const answers = await Promise.all(Array.from({ length: 50 }, () => wrong(ip, email)));
    const count = (code: string) => answers.filter((each) => each.code === code).length;
    expect([count("UNAUTHENTICATED"), count("LIMITED")]).toEqual([5, 45]);
  });

  test("is limited by name also if every attempt comes from another address", async () => {
    const email = await make();
    for (let count = 0; count < 12; count += 1) await fail(1, newAddress(), email);
    expect((await wrong(newAddress(), email)).retryAfter).toBe(1);
  });
});

test("known and unknown e-mails always get the same refusals", async () => {
  const answersOf = async (email: string) => {
    const ip = newAddress();
    const answers = [];
    for (let count = 0; count < 7; count += 1) answers.push(await wrong(ip, email));
    return answers;
  };
  expect(await answersOf(await account())).toEqual(await answersOf(await unknownEmail()));
});

test("an e-mail is case-insensitive, and the right password resets its failures", async () => {
  const email = await account();
  const ip = newAddress();
  await fail(3, ip, email);
  expect((await right(ip, email.toUpperCase())).code).toBe("OK");
  await fail(2, ip, email);
  await fail(2, ip, email.toUpperCase());
  expect((await wrong(ip, email)).code).toBe("UNAUTHENTICATED");
  expect((await wrong(ip, email)).code).toBe("LIMITED");
});

test("failures from other addresses do not lock the owner out", async () => {
  const email = await account();
  const home = newAddress();
  expect((await right(home, email)).code).toBe("OK");
  for (let count = 0; count < 3; count += 1) await fail(4, newAddress(), email);
  expect((await wrong(newAddress(), email)).code).toBe("LIMITED");
  expect((await right(home, email)).code).toBe("OK");
});

test("wrong old passwords count together with failed sign-ins", async () => {
  const { email } = ownerCredentials(node);
  const ip = newAddress();
  const token = await ownerToken(node);
  await node.sql("UPDATE account_sessions SET expires_at = $1", [new Date(clock.now() + HOUR)]);
  const change = () =>
    ask(ip, UPDATE, { password: "another horse", oldPassword: "wrong horse" }, token);
  await fail(2, ip, email);
  for (let count = 0; count < 3; count += 1) expect((await change()).code).toBe("INVALID");
  expect(await change()).toMatchObject({ status: 429, code: "LIMITED", retryAfter: 1 });
  expect((await right(ip, email)).code).toBe("LIMITED");
});

test("sign-ins of owners count by address like those of users", async () => {
  const own = await startNode({ ...NO_RATES, RATE_SIGN_INS_PER_IP: "3" });
  try {
    const input = { email: "nobody@example.com", password: "wrong horse" };
    const codes = [];
    for (let count = 0; count < 4; count += 1) {
      codes.push((await ask("127.0.0.1", SIGN_IN, input, undefined, own)).code);
    }
    expect(codes).toEqual([...Array(3).fill("UNAUTHENTICATED"), "LIMITED"]);
  } finally {
    await own.stop();
  }
});
