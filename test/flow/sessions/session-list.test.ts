import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, signIn } from "../../support/rest-client";
import { sessionListEntry } from "../../support/security/permission-routes";

const clock = new MovingClock();
let node: TestNode;
beforeAll(async () => {
  node = await startNode({}, { clock });
});
afterAll(() => node.stop());

const list = async (token: string) => {
  const answer = await rest(node, "GET", "/session/list", { token });
  expect([answer.status, answer.body]).toEqual([200, expect.any(Array)]);
  return answer.body as Array<{ session_id: number; last_activity: string }>;
};

it("lists the sessions in pages, forward and backward", async () => {
  const PAGE = `query ($first: Int, $after: String, $last: Int, $before: String) {
    sessions(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { databaseId } edges { cursor node { databaseId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const user = await newUser(node);
  const ids = [user.sessionId];
  for (let count = 0; count < 4; count += 1) {
    clock.advance(MINUTE);
    ids.unshift((await signIn(node, user)).sessionId);
  }
  const run = (variables: Record<string, unknown>) => graphql(node, PAGE, variables, user.token);
  const page = async (variables: Record<string, unknown>) => {
    const { data } = await run(variables);
    const { nodes, edges, pageInfo, totalCount } = data.sessions;
    const listed = nodes.map(({ databaseId }: { databaseId: number }) => databaseId);
    expect(edges.map(({ node }: { node: { databaseId: number } }) => node.databaseId)).toEqual(
      listed,
    );
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([
      edges[0].cursor,
      edges.at(-1).cursor,
    ]);
    return { ids: listed, totalCount, ...pageInfo };
  };
  // The caller's own session is used by each request, so it comes first.
  const order = [user.sessionId, ...ids.slice(0, 4)];
  const first = await page({ first: 3 });
  expect(first).toMatchObject({ ids: order.slice(0, 3), totalCount: 5, hasNextPage: true });
  // Neither a session of the page before that ends nor a new one shifts the next page.
  await node.sql("DELETE FROM sessions WHERE id = $1", [order[1]]);
  clock.advance(MINUTE);
  await signIn(node, user);
  const second = await page({ first: 3, after: first.endCursor });
  expect(second).toMatchObject({ ids: order.slice(3), hasNextPage: false, hasPreviousPage: true });
  const back = await page({ last: 1, before: second.startCursor });
  expect(back).toMatchObject({ ids: [order[2]], hasNextPage: true, hasPreviousPage: true });
  for (const [field, variables] of [
    ["after", { after: "x" }],
    ["before", { before: "1-" }],
    ["first", { first: 0 }],
  ] as const) {
    const { errors } = await run(variables);
    expect(errors?.[0].extensions).toMatchObject({
      code: "INVALID",
      fields: { [field]: [expect.any(String)] },
    });
  }
});

it("lists the user's sessions by latest activity, including activity that is not stored yet", async () => {
  const user = await newUser(node);
  const phone = await rest(node, "POST", "/session", {
    body: { ...signedParameters(node), user: { login: user.login, password: user.password } },
    headers: { "User-Agent": "Phone/1.0" },
  });
  await newUser(node);
  clock.advance(MINUTE);
  const { id, token } = phone.body.session;
  expect(await list(token)).toEqual([
    sessionListEntry(id, "Phone/1.0"),
    sessionListEntry(user.sessionId),
  ]);
  clock.advance(MINUTE);
  const [first, second] = await list(user.token);
  expect([first?.session_id, second?.session_id]).toEqual([user.sessionId, id]);
  const between = Date.parse(first!.last_activity) - Date.parse(second!.last_activity);
  expect(between / MINUTE).toBeCloseTo(1, 0);

  const { data } = await graphql(
    node,
    "{ sessions { totalCount nodes { id databaseId ip userAgent current } } }",
    {},
    user.token,
  );
  const entry = (session: number, userAgent: string, current: boolean) => ({
    id: String(session),
    databaseId: session,
    ip: "127.0.0.1",
    userAgent,
    current,
  });
  expect(data.sessions).toEqual({
    totalCount: 2,
    nodes: [entry(user.sessionId, "node", true), entry(id, "Phone/1.0", false)],
  });
  // The used session continues; the idle one has expired.
  clock.advance(HOUR + 30 * MINUTE);
  await list(user.token);
  clock.advance(HOUR);
  expect((await list(user.token)).map(({ session_id }) => session_id)).toEqual([user.sessionId]);
});

it("ends all other sessions and their sockets but not the current one", async () => {
  const user = await newUserNow();
  const others = [await signInNow(user), await signInNow(user)];
  const stranger = await newUserNow();
  const own = await openSocket(node, user.token);
  const foreign = await openSocket(node, stranger.token);
  const sockets = await Promise.all(others.map(({ token }) => openSocket(node, token)));
  const answer = await rest(node, "DELETE", "/session/list", { token: user.token });
  expect([answer.status, answer.text]).toEqual([200, ""]);
  for (const socket of sockets) expect((await socket.closed).code).toBe(4401);
  for (const { token } of others) {
    expect((await rest(node, "GET", "/session", { token })).status).toBe(401);
  }
  for (const socket of [own, foreign]) {
    expect((await socket.run("{ currentSession { id } }")).errors).toBeUndefined();
    await socket.close();
  }
  expect(await list(user.token)).toHaveLength(1);
});

it("is not available to an application session", async () => {
  const { session } = (
    await rest(node, "POST", "/session", { body: signedParameters(node, clock.now()) })
  ).body;
  for (const method of ["GET", "DELETE"]) {
    const answer = await rest(node, method, "/session/list", { token: session.token });
    expect(answer.status).toBe(403);
  }
});

/** Like newUser and signIn, but signs with the node's clock. */
async function newUserNow() {
  const login = `list-${clock.now()}-${Math.random()}`.replace(".", "-");
  const password = "correct horse";
  const { session } = (
    await rest(node, "POST", "/session", { body: signedParameters(node, clock.now()) })
  ).body;
  const body = { user: { login, password } };
  const created = await rest(node, "POST", "/users", { token: session.token, body });
  expect(created.status).toBe(201);
  return { login, password, ...(await signInNow({ login, password })) };
}

async function signInNow({
  login,
  password,
}: Pick<Awaited<ReturnType<typeof signIn>>, "login" | "password">) {
  const body = { ...signedParameters(node, clock.now()), user: { login, password } };
  const answer = await rest(node, "POST", "/session", { body });
  expect(answer.status).toBe(201);
  return { token: answer.body.session.token as string };
}
