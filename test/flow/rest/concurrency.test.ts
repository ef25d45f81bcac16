import { graphql } from "../../../tools/graphql/graphql-http";
import { MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  signIn,
} from "../../support/rest-client";

/** Races of many requests of which one may succeed. An unhandled rejection also fails a test. */

const MANY = 50;

let node: TestNode;
beforeAll(async () => {
  // Each attempt has a connection to the database: on a slow machine, waiting for one may take too long.
  node = await startNode({ DATABASE_POOL: String(MANY + 5) });
});
afterAll(() => node.stop());

const atOnce = <T>(ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: MANY }, (_, index) => ask(index)));

/** Number of answers by status. */
function statuses(answers: Array<{ status: number }>): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("only one user gets a login", async () => {
  const token = await applicationToken(node);
  const answers = await atOnce((index) => {
    const login = index % 2 ? "wanted" : "WANTED";
    return rest(node, "POST", "/users", {
      token,
      body: { user: { login, password: "correct horse" } },
    });
  });
  expect(statuses(answers)).toEqual({ 201: 1, 422: MANY - 1 });
  for (const { status, body } of answers) {
    if (status === 422) expect(body).toEqual({ errors: { login: ["has already been taken"] } });
  }
});

test("a signed request creates one session", async () => {
  for (const path of ["/session", "/session/web"]) {
    const body = signedParameters(node);
    const answers = await atOnce(() => rest(node, "POST", path, { body }));
    expect([path, statuses(answers)]).toEqual([path, { 201: 1, 422: MANY - 1 }]);
  }
});

test("only one user can bind a web session", async () => {
  const users = [await newUser(node), await newUser(node)] as const;
  const web = await rest(node, "POST", "/session/web", { body: signedParameters(node) });
  const { token: webToken } = web.body.session;
  const answers = await atOnce(async (index) => {
    const { id, token } = users[index % 2 ? 1 : 0];
    const body = { web_token: webToken };
    return { id, ...(await rest(node, "PATCH", "/session/web", { token, body })) };
  });
  expect(statuses(answers)).toEqual({ 200: 1, 404: MANY - 1 });
  const winner = answers.find(({ status }) => status === 200);
  const { session } = (await rest(node, "GET", "/session", { token: webToken })).body;
  expect(session.user_id).toBe(winner?.id);
});

test("of two reset links of a user only one can be used, and only once", async () => {
  const user = await newUser(node);
  const links = ["first", "second"].map((name) => `${name} link of ${user.id}`);
  for (const link of links) {
    await node.sql(
      `INSERT INTO password_resets (user_id, token_hash, expires_at)
        VALUES ($1, sha256(convert_to($2, 'UTF8')), now() + interval '1 hour')`,
      [user.id, link],
    );
  }
  const query = "mutation ($i: ResetPasswordInput!) { resetPassword(input: $i) { reset } }";
  const answers = await atOnce(async (index) => {
    const password = `battery staple ${index}`;
    const { data, errors } = await graphql(node, query, {
      i: { token: links[index % 2], password },
    });
    return { password, reset: data?.resetPassword.reset, fields: errors?.[0].extensions.fields };
  });
  const [won, ...others] = answers.filter(({ reset }) => reset);
  expect(others).toEqual([]);
  const lost = answers.filter(({ reset }) => !reset);
  expect(lost.map(({ fields }) => fields)).toEqual(
    Array(MANY - 1).fill({ token: ["is unknown, used or expired"] }),
  );
  const signsIn = async (password: string) => {
    const body = { ...signedParameters(node), user: { login: user.login, password } };
    return (await rest(node, "POST", "/session", { body })).status;
  };
  expect(await signsIn(won?.password ?? "")).toBe(201);
  expect(await signsIn(lost[0]?.password ?? "")).toBe(401);
  expect(await node.sql("SELECT 1 FROM password_resets WHERE user_id = $1", [user.id])).toEqual([]);
});

describe("a lock after five wrong passwords", () => {
  let guarded: TestNode;
  beforeAll(async () => {
    const clock = new MovingClock();
    clock.hold(true);
    // No delay may expire while fifty attempts are in flight, however slow the machine: Redis has its own clock,
    // and a single node uses the clock that the test stops.
    const parts = { clock, firstWaitMs: 3_600_000 };
    guarded = await startNode({ FAILED_SIGN_INS_BEFORE_DELAY: "5" }, parts);
  });
  afterAll(() => guarded.stop());

  test.each([
    ["of an existing name", async () => (await newUser(guarded)).login],
    ["of an unknown name", async () => "nobody"],
  ])("only checks five passwords, however many arrive at once: %s", async (_whose, make) => {
    const login = await make();
    const token = await applicationToken(guarded);
    const body = { login, password: "wrong horse" };
    const answers = await atOnce(() => rest(guarded, "POST", "/login", { token, body }));
    expect(statuses(answers)).toEqual({ 401: 5, 429: MANY - 5 });
  });
});

test("no request that starts after the end of a session succeeds", async () => {
  const user = await newUser(node);
  const { token } = await signIn(node, user);
  let ended = false;
  const ask = async () => {
    const afterEnd = ended;
    const { status } = await rest(node, "GET", "/session", { token });
    return { afterEnd, status };
  };
  const flood = atOnce(async () => [await ask(), await ask(), await ask(), await ask()]);
  expect((await rest(node, "DELETE", "/session", { token })).status).toBe(200);
  ended = true;
  const answers = [...(await flood).flat(), ...(await atOnce(ask))];
  expect(statuses(answers.filter(({ afterEnd }) => afterEnd))).toEqual({ 401: expect.any(Number) });
  expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
});

test("a user never has more than five tags", async () => {
  const { id, token } = await newUser(node);
  const answers = await atOnce((index) => {
    const tag_list = Array.from({ length: (index % 6) + 1 }, (_, tag) => `tag-${index}-${tag}`);
    return rest(node, "PUT", `/users/${id}`, { token, body: { user: { tag_list } } });
  });
  const refused = answers.filter((_, index) => index % 6 === 5);
  expect(statuses(refused)).toEqual({ 422: refused.length });
  expect(Object.keys(statuses(answers)).filter((status) => Number(status) >= 500)).toEqual([]);
  const { body } = await rest(node, "GET", `/users/${id}`, { token });
  const tags: string[] = body.user.user_tags.split(",");
  expect(tags.length).toBeLessThanOrEqual(5);
  // All tags are from one request.
  expect(new Set(tags.map((tag) => tag.split("-")[1])).size).toBe(1);
});
