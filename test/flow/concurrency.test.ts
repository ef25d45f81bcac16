import { applicationToken, graphql, newUser, rest, signed, signIn } from "../support/client";
import { MovingClock } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";

// No wait ends while fifty attempts are under way, however slow the machine: Redis has its own clock,
// and a lone node counts by the one that stands still.
jest.mock("../../src/bus/limiter", () => ({
  ...jest.requireActual("../../src/bus/limiter"),
  FIRST_WAIT_MS: 3_600_000,
}));

/** What many ask for at once and only one may have. A test fails also where something goes unhandled. */

const MANY = 50;

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

const atOnce = <T>(ask: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: MANY }, (_, index) => ask(index)));

/** How many answers have which status. */
function statuses(answers: Array<{ status: number }>): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("one login is one user's", async () => {
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

test("one signed request is one session", async () => {
  for (const path of ["/session", "/session/web"]) {
    const body = signed(node);
    const answers = await atOnce(() => rest(node, "POST", path, { body }));
    expect([path, statuses(answers)]).toEqual([path, { 201: 1, 422: MANY - 1 }]);
  }
});

test("one web session is one user's", async () => {
  const users = [await newUser(node), await newUser(node)] as const;
  const web = await rest(node, "POST", "/session/web", { body: signed(node) });
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

test("one link sets one password, and of two links of a user one does", async () => {
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
    const body = { ...signed(node), user: { login: user.login, password } };
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
    guarded = await startNode({ FAILURES_FREE: "5" }, { clock });
  });
  afterAll(() => guarded.stop());

  test.each([
    ["of a name that is somebody's", async () => (await newUser(guarded)).login],
    ["of a name that is nobody's", async () => "nobody"],
  ])("lets five be judged, however many come: %s", async (_whose, make) => {
    const login = await make();
    const token = await applicationToken(guarded);
    const body = { login, password: "wrong horse" };
    const answers = await atOnce(() => rest(guarded, "POST", "/login", { token, body }));
    expect(statuses(answers)).toEqual({ 401: 5, 429: MANY - 5 });
  });
});

test("no request that begins after a session ended succeeds", async () => {
  const user = await newUser(node);
  const { token } = await signIn(node, user);
  let ended = false;
  const ask = async () => {
    const late = ended;
    const { status } = await rest(node, "GET", "/session", { token });
    return { late, status };
  };
  const flood = atOnce(async () => [await ask(), await ask(), await ask(), await ask()]);
  expect((await rest(node, "DELETE", "/session", { token })).status).toBe(200);
  ended = true;
  const answers = [...(await flood).flat(), ...(await atOnce(ask))];
  expect(statuses(answers.filter(({ late }) => late))).toEqual({ 401: expect.any(Number) });
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
  // All of one request.
  expect(new Set(tags.map((tag) => tag.split("-")[1])).size).toBe(1);
});
