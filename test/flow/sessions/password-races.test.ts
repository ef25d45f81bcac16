import { Client } from "pg";
import { PasswordHasher } from "../../../src/domain/passwords/password";
import { graphql } from "../../../tools/graphql/graphql-http";
import { auth, connectRaw, OPEN } from "../../support/chat/chat";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import {
  applicationToken,
  newUser,
  type RestResponse,
  rest,
  signedParameters,
  signIn,
  type TestUser,
} from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";
import { ownerCredentials } from "../../support/sessions/owner";

/**
 * A sign-in takes time, mostly for the hash. These tests change the password after the old one was verified
 * and before the session is created.
 */

const NEW = "another horse";
const WRONG = { errors: { base: ["Unauthorized: the login or the password is wrong"] } };

let node: TestNode;
/** Hooks that run once, before or after the next statement with the given name. */
const before = new Map<string, () => Promise<unknown>>();
const after = new Map<string, () => Promise<unknown>>();
beforeAll(async () => {
  node = await startNode();
  const { store } = node.app;
  const query = store.query.bind(store);
  store.query = async (statement, values) => {
    const hooks = [before, after].map((map) => {
      const hook = map.get(statement.name);
      map.delete(statement.name);
      return hook;
    });
    await hooks[0]?.();
    const rows = await query<never>(statement, values);
    await hooks[1]?.();
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
const CHANGES: Array<[what: string, change: Change, remaining: (user: TestUser) => number[]]> = [
  ["the password changes", changePassword, ({ sessionId }) => [sessionId]],
  ["the password is reset", resetPassword, () => []],
  ["the user is deleted", deleteUser, () => []],
];

/** The requests that sign in with a password, and the statement that follows the password check. */
const SIGN_INS: Array<
  [what: string, statement: string, send: (user: TestUser) => Promise<RestResponse>]
> = [
  [
    "POST /session by login",
    "create_user_session",
    ({ login, password }) =>
      rest(node, "POST", "/session", {
        body: { ...signedParameters(node), user: { login, password } },
      }),
  ],
  [
    "POST /session by e-mail",
    "create_user_session",
    ({ login, password }) => {
      const user = { email: `${login}@example.com`, password };
      return rest(node, "POST", "/session", { body: { ...signedParameters(node), user } });
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

describe.each(CHANGES)("while %s", (_change, change, remaining) => {
  test.each(SIGN_INS)("%s creates no session", async (_what, statement, send) => {
    const user = await newMailUser();
    before.set(statement, () => change(user));
    const answer = await send(user);
    expect([answer.status, answer.body]).toEqual([401, WRONG]);
    expect(await sessionsOf(user)).toEqual(remaining(user));
  });

  // Before the stream is watched, when no event reaches it, and afterwards.
  test.each([
    ["sign_in_by_id", after],
    ["password_still", before],
  ])("a chat client is rejected: %s", async (statement, hooks) => {
    const user = await newUser(node);
    hooks.set(statement, () => change(user));
    expect(await chatAnswer(user, user.password)).toContain("<not-authorized");
  });
});

describe("while the user is blocked", () => {
  test.each(SIGN_INS)("%s creates no session", async (_what, statement, send) => {
    const user = await newMailUser();
    before.set(statement, () => blockUser(node, user));
    const answer = await send(user);
    expect([answer.status, answer.body]).toEqual([
      403,
      { errors: { base: ["This user is blocked"] } },
    ]);
    expect(await sessionsOf(user)).toEqual([]);
  });

  test.each(SIGN_INS)("%s creates a session that ends at once", async (_what, statement, send) => {
    const user = await newMailUser();
    after.set(statement, () => blockUser(node, user));
    expect([200, 201]).toContain((await send(user)).status);
    expect(await sessionsOf(user)).toEqual([]);
  });

  test.each([
    ["sign_in_by_id", after],
    ["password_still", before],
  ])("a chat client is rejected: %s", async (statement, hooks) => {
    const user = await newUser(node);
    hooks.set(statement, () => blockUser(node, user));
    expect(await chatAnswer(user, user.password)).toContain("<not-authorized");
  });

  test("no web session is bound", async () => {
    const user = await newUser(node);
    const web = await rest(node, "POST", "/session/web", { body: signedParameters(node) });
    before.set("bind_session", () => blockUser(node, user));
    const body = { web_token: web.body.session.token };
    const answer = await rest(node, "PATCH", "/session/web", { token: user.token, body });
    expect(answer.status).toBe(404);
    expect(await sessionsOf(user)).toEqual([]);
  });
});

if (hasServices) {
  test("of a sign-in and a block that run at the same time, the block wins", async () => {
    const user = await newUser(node);
    const { login, password } = user;
    // PostgreSQL orders the two by the lock of the user; either order is possible, and both are right.
    for (let round = 0; round < 20; round += 1) {
      const [answer] = await Promise.all([
        rest(node, "POST", "/session", {
          body: { ...signedParameters(node), user: { login, password } },
        }),
        blockUser(node, user),
      ]);
      expect([201, 403]).toContain(answer.status);
      expect(await sessionsOf(user)).toEqual([]);
      await unblockUser(node, user);
    }
  });
}

/** The response to the sign-in of a chat client. */
async function chatAnswer(user: TestUser, secret: string): Promise<string> {
  const client = await connectRaw(node.chatUrl);
  for (const frame of [OPEN, auth(`${user.id}-${node.application.id}`, secret)]) client.send(frame);
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return answer;
}

test("a chat client is rejected when the session of its token ends before the stream is watched", async () => {
  const user = await newUser(node);
  const { token } = await signIn(node, user);
  after.set("find_session", async () => {
    expect((await rest(node, "DELETE", "/session", { token })).status).toBe(200);
  });
  expect(await chatAnswer(user, token)).toContain("<not-authorized");
  // Control: a sign-in without an interfering change.
  expect(await chatAnswer(user, user.token)).toContain("<success");
});

test("an owner's sign-in creates no session either", async () => {
  const own = ownerCredentials(node);
  const signInMember = (password: string) =>
    graphql(node, "mutation ($i: SignInMemberInput!) { signInMember(input: $i) { token } }", {
      i: { email: own.email, password },
    });
  const update = (token: string, input: object) =>
    graphql(
      node,
      "mutation ($i: UpdateCurrentMemberInput!) { updateCurrentMember(input: $i) { member { id } } }",
      { i: input },
      token,
    );
  const { token } = (await signInMember(own.password)).data.signInMember;
  before.set("create_account_session", async () => {
    const input = { password: NEW, oldPassword: own.password };
    expect((await update(token, input)).errors).toBeUndefined();
  });
  const { data, errors } = await signInMember(own.password);
  expect([data, errors?.[0].extensions.code]).toEqual([null, "UNAUTHENTICATED"]);
  expect(await node.sql("SELECT id FROM account_sessions")).toHaveLength(1);
  expect((await signInMember(NEW)).errors).toBeUndefined();
});

/** Calls `act` once a change has checked the old password and hashed the new one, before it is written. */
function afterNextHash(act: () => Promise<void>): jest.SpyInstance {
  const { hash } = PasswordHasher.prototype;
  const held = jest.spyOn(PasswordHasher.prototype, "hash");
  return held.mockImplementationOnce(async function (this: PasswordHasher, ...args) {
    const hashed = await hash.apply(this, args);
    await act();
    return hashed;
  });
}

describe("a password that changes while another change checks the old one", () => {
  test("stays the one that was set first: by two changes, and by a change and a link", async () => {
    for (const other of [changePassword, resetPassword]) {
      const user = await newUser(node);
      const held = afterNextHash(async () => {
        await other(user);
      });
      const body = { user: { password: "a thief's horse", old_password: user.password } };
      const { token, login } = user;
      const answer = await rest(node, "PUT", `/users/${user.id}`, { token, body });
      held.mockRestore();
      expect([answer.status, answer.body]).toEqual([
        422,
        { errors: { old_password: ["is wrong"] } },
      ]);
      const tries = [NEW, "a thief's horse"].map((password) =>
        rest(node, "POST", "/session", {
          body: { ...signedParameters(node), user: { login, password } },
        }),
      );
      expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([201, 401]);
    }
  });

  test("stays the one that was set first, for an owner's account too", async () => {
    const { email } = ownerCredentials(node);
    const query =
      "mutation ($i: UpdateCurrentMemberInput!) { updateCurrentMember(input: $i) { member { id } } }";
    const answer = await graphql(
      node,
      "mutation ($i: SignInMemberInput!) { signInMember(input: $i) { token } }",
      { i: { email, password: NEW } },
    );
    const { token } = answer.data.signInMember;
    const update = (password: string) =>
      graphql(node, query, { i: { password, oldPassword: NEW } }, token);
    const held = afterNextHash(async () => {
      expect((await update("first horse")).errors).toBeUndefined();
    });
    const { errors } = await update("second horse");
    held.mockRestore();
    expect(errors?.[0].extensions).toMatchObject({
      code: "INVALID",
      fields: { oldPassword: ["is wrong"] },
    });
  });
});

test("a web session is not bound by a session that ends during the binding", async () => {
  const user = await newUser(node);
  const mobile = await signIn(node, user);
  const web = (await rest(node, "POST", "/session/web", { body: signedParameters(node) })).body
    .session;
  before.set("bind_session", () => changePassword(user));
  const body = { web_token: web.token };
  const answer = await rest(node, "PATCH", "/session/web", { token: mobile.token, body });
  expect(answer.status).toBe(404);
  expect(await sessionsOf(user)).toEqual([user.sessionId]);
});

test("a link is not mailed to an address that the user changes at the same time", async () => {
  const user = await newMailUser();
  const email = `${user.login}@example.com`;
  const token = await applicationToken(node);
  const attempted = new Promise<void>((resolve) => {
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
  await Promise.all([changed, attempted]);
  expect(await node.sql("SELECT id FROM password_resets WHERE user_id = $1", [user.id])).toEqual(
    [],
  );
});

// The embedded database runs one statement at a time.
if (hasServices) describe("on PostgreSQL, during an open transaction", onPostgres);

function onPostgres() {
  const url = () => node.environment.DATABASE_URL;

  /** A password change in an open transaction, not yet committed. */
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

  /** Resolves once a statement waits for a lock. The periodic update of users' activity does not count. */
  async function blocked(): Promise<void> {
    for (;;) {
      const rows = await node.sql(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock' AND query NOT LIKE 'UPDATE users u SET last_request_at%'`,
      );
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test.each(
    SIGN_INS,
  )("%s waits for the change and creates no session", async (_what, _statement, send) => {
    const user = await newMailUser();
    const change = await openChange(user);
    const answer = send(user);
    await blocked();
    await change.commit();
    expect((await answer).status).toBe(401);
    expect(await sessionsOf(user)).toEqual([]);
  });

  test("a change waits for an earlier sign-in and ends its session", async () => {
    const user = await newUser(node);
    const client = new Client({ connectionString: url() });
    await client.connect();
    await client.query("BEGIN");
    // The same lock as the statement that inserts a session takes.
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

  test("fifty sign-ins during a change leave no session of the old password", async () => {
    const user = await newUser(node);
    const attempts = Array.from({ length: 50 }, () => SIGN_INS[0]![2](user));
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
