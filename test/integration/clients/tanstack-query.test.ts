import { join } from "node:path";
import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { AsyncQueue } from "../../../tools/async-queue";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startNode, type TestNode } from "../../support/node";
import { createFrontend, type Frontend } from "../../support/published-clients/frontend";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";

/**
 * A front end on TanStack Query with its default settings, and on types and documents that graphql-codegen generates
 * from /schema.graphql of the running service: app/tanstack.ts.
 */

/** A user as the list shows it. */
interface ListedUser {
  id: string;
  databaseId: number;
  fullName: string | null;
  createdAt: string;
}

/** A received signal. */
interface Signal {
  __typename: string;
  callId: string;
  userInfo: object;
}

/** What app/tanstack.ts exports. It compiles only with the generated types, so its own types are not available here. */
interface Application {
  signIn(
    url: string,
    input: object,
  ): Promise<{ token: string; userId: string; userDatabaseId: number; expiresAt: string }>;
  describe(signal: Signal): string;
  FrontEnd: new (service: {
    url: string;
    token: string;
  }) => {
    userList(
      filter: object,
      pageSize: number,
    ): {
      users(): ListedUser[];
      hasMore(): boolean;
      load(): Promise<void>;
      loadMore(): Promise<void>;
    };
    user(by: object): Promise<ListedUser | null>;
    send(input: object): Promise<{ id?: string; problem?: string }>;
    listen(
      socket: ReturnType<typeof createClient>,
      onSignal: (signal: Signal) => void,
      onEnd: (reason: string) => void,
    ): void;
  };
}

let node: TestNode;
let frontend: Frontend;
let app: Application;
beforeAll(async () => {
  node = await startNode();
  const schema = await fetch(`${node.baseUrl}/schema.graphql`);
  frontend = await createFrontend(join(__dirname, "app"), await schema.text());
  app = await import(join(frontend.folder, "src/tanstack.ts"));
});
afterAll(async () => {
  frontend.remove();
  await node.stop();
});

/** A front end that has signed a user in. */
async function signIn({ login, password }: TestUser) {
  const { application_id, auth_key, ...signed } = signedParameters(node);
  const session = await app.signIn(node.graphqlUrl, {
    applicationId: application_id,
    authKey: auth_key,
    ...signed,
    user: { login, password },
  });
  const { token } = session;
  return { session, token, client: new app.FrontEnd({ url: node.graphqlUrl, token }) };
}

const CALL = {
  callId: "c1",
  callType: "VIDEO",
  sdp: "v=0\r\n",
  userInfo: { name: "Ann", tries: 1 },
};

test("compiles with the generated types", () => {
  expect(frontend.check(["tanstack.ts"])).toEqual([]);
});

test("introspection describes all of /schema.graphql, if it asks for all", async () => {
  const all = {
    oneOf: true,
    inputValueDeprecation: true,
    specifiedByUrl: true,
    schemaDescription: true,
  };
  const { data } = await graphql(node, getIntrospectionQuery(all));
  const schema = await fetch(`${node.baseUrl}/schema.graphql`);
  expect(printSchema(lexicographicSortSchema(buildClientSchema(data)))).toBe(
    (await schema.text()).trimEnd(),
  );
});

test("signs in", async () => {
  const user = await newUser(node);
  const { session } = await signIn(user);
  expect(session).toEqual({
    token: expect.any(String),
    userId: String(user.id),
    userDatabaseId: user.id,
    expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });
});

test("pages through users while one is deleted, without skipping or repeating any", async () => {
  const full_name = "Ann of five";
  const users: TestUser[] = [];
  while (users.length < 5) users.push(await newUser(node, { full_name }));
  const [, second] = users;
  const ids = users.map(({ id }) => id);
  const { client } = await signIn(users[0]!);
  const list = client.userList({ fullName: { eq: full_name } }, 2);
  const listed = () => list.users().map(({ databaseId }) => databaseId);
  await list.load();
  expect(listed()).toEqual(ids.slice(0, 2));

  // The next page begins after the cursor of this user.
  const { status } = await rest(node, "DELETE", `/users/${second!.id}`, { token: second!.token });
  expect(status).toBe(200);
  await list.loadMore();
  expect(listed()).toEqual(ids.slice(0, 4));
  expect(list.hasMore()).toBe(true);
  await list.loadMore();
  expect(listed()).toEqual(ids);
  expect(list.hasMore()).toBe(false);

  await list.load();
  expect(listed()).toEqual(ids.filter((id) => id !== second!.id));
});

test("finds a user by its id as a text and as a number", async () => {
  const { id, ...user } = await newUser(node);
  const { client } = await signIn({ id, ...user });
  const expected = { id: String(id), databaseId: id, createdAt: expect.any(String) };
  expect(await client.user({ id })).toEqual(expected);
  expect(await client.user({ id: String(id) })).toEqual(expected);
  expect(await client.user({ login: user.login })).toEqual(expected);
  expect(await client.user({ externalId: "nobody" })).toBeNull();
});

test("sends times as texts and as numbers", async () => {
  const user = await newUser(node);
  const { client } = await signIn(user);
  const seconds = Date.now() / 1000;
  const found = async (createdAt: object) => {
    const list = client.userList({ login: { eq: user.login }, createdAt }, 1);
    await list.load();
    return list.users().length;
  };
  for (const [past, future] of [
    [seconds - 3600, seconds + 3600],
    [Math.floor(seconds) - 3600, Math.floor(seconds) + 3600],
    [new Date(0).toISOString(), "2099-12-31T23:59:59Z"],
  ]) {
    expect(await found({ gt: past, lt: future })).toBe(1);
    expect(await found({ gt: future })).toBe(0);
  }
});

test("sends a signal, and another user receives it", async () => {
  const [ann, ben] = [await newUser(node), await newUser(node)];
  const [caller, callee] = [await signIn(ann), await signIn(ben)];
  const signals = new AsyncQueue<Signal>();
  const socket = createClient({
    url: node.graphqlUrl.replace(/^http/, "ws"),
    connectionParams: { token: callee.token },
    webSocketImpl: WebSocket,
  });
  callee.client.listen(
    socket,
    (signal) => signals.push(signal),
    (reason) => signals.end(reason),
  );
  // A call is delivered also if the subscription begins after it.
  const sent = await caller.client.send({ to: { userId: ben.id }, signal: { call: CALL } });
  expect(sent).toEqual({ id: expect.any(String) });
  const signal = await signals.next();
  expect(signal).toMatchObject({
    __typename: "CallSignal",
    callId: CALL.callId,
    userInfo: CALL.userInfo,
    from: { userId: String(ann.id) },
  });
  expect(app.describe(signal)).toBe(`${ann.id} calls (VIDEO): ${CALL.sdp.length} characters`);
  await socket.dispose();
});

test("tells errors apart by their code", async () => {
  const user = await newUser(node);
  const { client } = await signIn(user);
  const signal = { call: CALL };
  expect(await client.send({ to: { userId: 999_999_999 }, signal })).toEqual({
    problem: "this user does not exist",
  });
  const empty = { call: { ...CALL, callId: "" } };
  expect(await client.send({ to: { userId: user.id }, signal: empty })).toEqual({
    problem: "wrong: signal.call.callId",
  });
  const stranger = new app.FrontEnd({ url: node.graphqlUrl, token: "unknown" });
  await expect(stranger.user({ id: user.id })).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});
