import { Client } from "pg";
import { auth, connectRaw, OPEN } from "../support/chat";
import {
  type Answer,
  applicationToken,
  graphql,
  newUser,
  rest,
  signed,
  signIn,
  type TestUser,
} from "../support/client";
import { hasServices } from "../support/database";
import { startNode, type TestNode } from "../support/node";
import { ownerOf } from "../support/owner";

/**
 * A sign-in takes its time, above all to hash. What becomes of one with the old password when the
 * password changes after it was found right and before the session is made.
 */

const NEW = "another horse";
const WRONG = { errors: { base: ["Unauthorized: the login or the password is wrong"] } };

let node: TestNode;
/** What happens before the next statement of a name is sent to the database, and after its answer. */
const before = new Map<string, () => Promise<unknown>>();
const after = new Map<string, () => Promise<unknown>>();
beforeAll(async () => {
  node = await startNode();
  const { store } = node.app;
  const query = store.query.bind(store);
  store.query = async (statement, values) => {
    const acts = [before, after].map((map) => {
      const act = map.get(statement.name);
      map.delete(statement.name);
      return act;
    });
    await acts[0]?.();
    const rows = await query<never>(statement, values);
    await acts[1]?.();
    return rows;
  };
});
afterAll(() => node.stop());
afterEach(() => expect([before.size, after.size]).toEqual([0, 0]));

const changePassword = async ({ id, token, password }: TestUser) => {
  const body = { user: { password: NEW, old_password: password } };
  expect((await rest(node, "PUT", `/users/${id}`, { token, body })).status).toBe(200);
};

let links = 0;
const resetPassword = async ({ id }: TestUser) => {
  const token = `link-${++links}`;
  await node.sql(
    `INSERT INTO password_resets (user_id, token_hash, expires_at)
      VALUES ($1, sha256(convert_to($2, 'UTF8')), now() + interval '1 hour')`,
    [id, token],
  );
  const query = "mutation ($i: ResetPasswordInput!) { resetPassword(input: $i) { reset } }";
  const { data } = await graphql(node, query, { i: { token, password: NEW } });
  expect(data).toEqual({ resetPassword: { reset: true } });
};

const deleteUser = async ({ id, token }: TestUser) => {
  expect((await rest(node, "DELETE", `/users/${id}`, { token })).status).toBe(200);
};

const sessionsOf = async ({ id }: TestUser) =>
  (await node.sql<{ id: number }>("SELECT id FROM sessions WHERE user_id = $1", [id])).map(
    (row) => row.id,
  );

type Change = (user: TestUser) => Promise<unknown>;
const CHANGES: Array<[what: string, change: Change, left: (user: TestUser) => number[]]> = [
  ["the password is changed", changePassword, ({ sessionId }) => [sessionId]],
  ["the password is reset", resetPassword, () => []],
  ["the user is deleted", deleteUser, () => []],
];

/** Ways to sign in with a password, and the statement that follows the look at the password. */
const WAYS: Array<[way: string, statement: string, ask: (user: TestUser) => Promise<Answer>]> = [
  [
    "POST /session by login",
    "create_user_session",
    ({ login, password }) =>
      rest(node, "POST", "/session", { body: { ...signed(node), user: { login, password } } }),
  ],
  [
    "POST /session by e-mail",
    "create_user_session",
    ({ login, password }) => {
      const user = { email: `${login}@example.com`, password };
      return rest(node, "POST", "/session", { body: { ...signed(node), user } });
    },
  ],
  [
    "POST /login",
    "set_session_user",
    async ({ login, password }) => {
      const token = await applicationToken(node);
      return rest(node, "POST", "/login", { token, body: { login, password } });
    },
  ],
];

const newMailUser = async (): Promise<TestUser> => {
  const user = await newUser(node);
  await node.sql("UPDATE users SET email = $1, email_key = $1 WHERE id = $2", [
    `${user.login}@example.com`,
    user.id,
  ]);
  return user;
};

describe.each(CHANGES)("while %s", (_what, change, left) => {
  test.each(WAYS)("%s makes no session", async (_way, statement, ask) => {
    const user = await newMailUser();
    before.set(statement, () => change(user));
    const answer = await ask(user);
    expect([answer.status, answer.body]).toEqual([401, WRONG]);
    expect(await sessionsOf(user)).toEqual(left(user));
  });

  // Before the stream is watched, so that the end is told to nobody; and when it is.
  test.each([
    ["sign_in_by_id", after],
    ["password_still", before],
  ])("a chat client is not let in: %s", async (statement, moment) => {
    const user = await newUser(node);
    moment.set(statement, () => change(user));
    expect(await chatAnswer(user, user.password)).toContain("<not-authorized");
  });
});

/** What a chat client is told that signs in. */
async function chatAnswer(user: TestUser, secret: string): Promise<string> {
  const client = await connectRaw(node.chatUrl);
  for (const frame of [OPEN, auth(`${user.id}-${node.application.id}`, secret)]) client.send(frame);
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return answer;
}

test("a chat client is not let in by a token whose session ends before it is watched", async () => {
  const user = await newUser(node);
  const { token } = await signIn(node, user);
  after.set("find_session", async () => {
    expect((await rest(node, "DELETE", "/session", { token })).status).toBe(200);
  });
  expect(await chatAnswer(user, token)).toContain("<not-authorized");
  // What a client is told by whose sign-in nothing comes in between.
  expect(await chatAnswer(user, user.token)).toContain("<success");
});

test("an owner's sign-in makes no session either", async () => {
  const own = ownerOf(node);
  const signInOwner = (password: string) =>
    graphql(node, "mutation ($i: SignInOwnerInput!) { signInOwner(input: $i) { token } }", {
      i: { email: own.email, password },
    });
  const update = (token: string, input: object) =>
    graphql(
      node,
      "mutation ($i: UpdateAccountInput!) { updateAccount(input: $i) { account { id } } }",
      { i: input },
      token,
    );
  const { token } = (await signInOwner(own.password)).data.signInOwner;
  before.set("create_account_session", async () => {
    const input = { password: NEW, oldPassword: own.password };
    expect((await update(token, input)).errors).toBeUndefined();
  });
  const { data, errors } = await signInOwner(own.password);
  expect([data, errors?.[0].extensions.code]).toEqual([null, "UNAUTHENTICATED"]);
  expect(await node.sql("SELECT id FROM account_sessions")).toHaveLength(1);
  expect((await signInOwner(NEW)).errors).toBeUndefined();
});

describe("a password that changes while the old one is checked for a change", () => {
  test("stays the one that was set first: two changes, and a change and a link", async () => {
    for (const other of [changePassword, resetPassword]) {
      const user = await newUser(node);
      const { db } = node.app.store;
      const real = db.$transaction.bind(db);
      const held = jest.spyOn(db, "$transaction").mockImplementationOnce((async (
        ...args: Parameters<typeof real>
      ) => {
        await other(user);
        return real(...args);
      }) as typeof real);
      const body = { user: { password: "a thief's horse", old_password: user.password } };
      const { token, login } = user;
      const answer = await rest(node, "PUT", `/users/${user.id}`, { token, body });
      held.mockRestore();
      expect([answer.status, answer.body]).toEqual([
        422,
        { errors: { old_password: ["is wrong"] } },
      ]);
      const tries = [NEW, "a thief's horse"].map((password) =>
        rest(node, "POST", "/session", { body: { ...signed(node), user: { login, password } } }),
      );
      expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([201, 401]);
    }
  });

  test("stays, for an owner's account too", async () => {
    const { email } = ownerOf(node);
    const query =
      "mutation ($i: UpdateAccountInput!) { updateAccount(input: $i) { account { id } } }";
    const answer = await graphql(
      node,
      "mutation ($i: SignInOwnerInput!) { signInOwner(input: $i) { token } }",
      { i: { email, password: NEW } },
    );
    const { token } = answer.data.signInOwner;
    const update = (password: string) =>
      graphql(node, query, { i: { password, oldPassword: NEW } }, token);
    const { db } = node.app.store;
    const real = db.$transaction.bind(db);
    const held = jest.spyOn(db, "$transaction").mockImplementationOnce((async (
      ...args: Parameters<typeof real>
    ) => {
      expect((await update("first horse")).errors).toBeUndefined();
      return real(...args);
    }) as typeof real);
    const { errors } = await update("second horse");
    held.mockRestore();
    expect(errors?.[0].extensions).toMatchObject({
      code: "INVALID",
      fields: { oldPassword: ["is wrong"] },
    });
  });
});

test("a web client is not signed in by a session that ends meanwhile", async () => {
  const user = await newUser(node);
  const mobile = await signIn(node, user);
  const web = (await rest(node, "POST", "/session/web", { body: signed(node) })).body.session;
  before.set("bind_session", () => changePassword(user));
  const body = { web_token: web.token };
  const answer = await rest(node, "PATCH", "/session/web", { token: mobile.token, body });
  expect(answer.status).toBe(404);
  expect(await sessionsOf(user)).toEqual([user.sessionId]);
});

test("a link is not mailed to an address that the user gives up meanwhile", async () => {
  const user = await newMailUser();
  const email = `${user.login}@example.com`;
  const token = await applicationToken(node);
  const offered = new Promise<void>((resolve) => {
    after.set("reset_link", async () => resolve());
  });
  const changed = new Promise<void>((resolve, reject) => {
    before.set("reset_link", async () => {
      const fields = { user: { email: `new-${email}` } };
      const options = { token: user.token, body: fields };
      const { status } = await rest(node, "PUT", `/users/${user.id}`, options);
      if (status === 200) resolve();
      else reject(new Error(String(status)));
    });
  });
  await rest(node, "GET", `/users/password/reset?email=${encodeURIComponent(email)}`, { token });
  await Promise.all([changed, offered]);
  expect(await node.sql("SELECT id FROM password_resets WHERE user_id = $1", [user.id])).toEqual(
    [],
  );
});

// On the embedded database no two statements run at once.
if (hasServices) describe("on PostgreSQL, in the middle of a transaction", onPostgres);

function onPostgres() {
  const url = () => node.environment.DATABASE_URL;

  /** A change of the password whose transaction is open: done, and not yet committed. */
  async function openChange(user: TestUser) {
    const client = new Client({ connectionString: url() });
    await client.connect();
    await client.query("BEGIN");
    await client.query("UPDATE users SET password_hash = 'changed' WHERE id = $1", [user.id]);
    return {
      async commit() {
        await client.query("DELETE FROM sessions WHERE user_id = $1", [user.id]);
        await client.query("COMMIT");
        await client.end();
      },
    };
  }

  /** Resolves once some statement waits for a lock. */
  async function blocked(): Promise<void> {
    for (;;) {
      const rows = await node.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock'`,
      );
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test.each(
    WAYS,
  )("%s waits for the change, and makes no session", async (_way, _statement, ask) => {
    const user = await newMailUser();
    const change = await openChange(user);
    const answer = ask(user);
    await blocked();
    await change.commit();
    expect((await answer).status).toBe(401);
    expect(await sessionsOf(user)).toEqual([]);
  });

  test("a change waits for a sign-in that came first, and ends its session", async () => {
    const user = await newUser(node);
    const client = new Client({ connectionString: url() });
    await client.connect();
    await client.query("BEGIN");
    // As the statement that makes a session holds the user.
    await client.query("SELECT id FROM users WHERE id = $1 FOR SHARE", [user.id]);
    await client.query(
      `INSERT INTO sessions (application_id, user_id, token_hash, nonce, ts, expires_at,
          last_activity_at, updated_at)
        SELECT application_id, id, sha256('slow'), 1, 1, now() + interval '1 hour', now(), now()
        FROM users WHERE id = $1`,
      [user.id],
    );
    const change = changePassword(user);
    await blocked();
    await client.query("COMMIT");
    await client.end();
    await change;
    expect(await sessionsOf(user)).toEqual([user.sessionId]);
  });

  test("fifty sign-ins around a change leave no session of the old password", async () => {
    const user = await newUser(node);
    const attempts = Array.from({ length: 50 }, () => WAYS[0]![2](user));
    await changePassword(user);
    const answers = await Promise.all(attempts);
    const tokens = answers.flatMap(({ status, body }) =>
      status === 201 ? [body.session.token as string] : [],
    );
    expect(answers.filter(({ status }) => status !== 201 && status !== 401)).toEqual([]);
    for (const token of tokens) {
      expect((await rest(node, "GET", "/session", { token })).status).toBe(401);
    }
    expect(await sessionsOf(user)).toEqual([user.sessionId]);
  });
}
