import { RESET_JOB } from "../../../src/domain/password-reset/password-reset";
import { graphql } from "../../../tools/graphql/graphql-http";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { auth, connectRaw, OPEN } from "../../support/chat/chat";
import { startNode, type TestNode } from "../../support/node";
import { interceptOperations } from "../../support/operations/prisma-operations";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import { ownerCredentials } from "../../support/sessions/owner";

/** Clients without a password cannot find out which names exist. */

/** Records the hashes that passwords are compared with. */
const verify = jest.spyOn(
  jest.requireActual<typeof import("@node-rs/argon2")>("@node-rs/argon2"),
  "verify",
);
afterAll(() => verify.mockRestore());

let smtp: TestSmtp;
let node: TestNode;
let user: TestUser;
let guest: string;
const ids = { guest: 0, noPassword: 0 };
beforeAll(async () => {
  smtp = await startSmtp();
  node = await startNode({ SMTP_URL: smtp.url }, { passwordCost: undefined });
  user = await newUser(node, { email: "known@example.com" });
  guest = "guest-of-old";
  await node.sql(
    `INSERT INTO users (application_id, login, login_key, is_guest, password_hash, updated_at)
      SELECT application_id, $2, $2, true, password_hash, now() FROM users WHERE id = $1`,
    [user.id, guest],
  );
  await node.sql(
    `INSERT INTO users (application_id, login, login_key, updated_at)
      SELECT application_id, 'no-password', 'no-password', now() FROM users WHERE id = $1`,
    [user.id],
  );
});
beforeAll(async () => {
  const idOf = async (login: string) =>
    (await node.sql<{ id: number }>("SELECT id FROM users WHERE login = $1", [login]))[0]?.id ?? 0;
  ids.guest = await idOf(guest);
  ids.noPassword = await idOf("no-password");
});
let release: () => void = () => undefined;
afterAll(async () => {
  release();
  await node.stop();
  await smtp.close();
});

const ATTEMPTS: Array<
  [what: string, name: () => { login: string } | { email: string }, password: string]
> = [
  ["a wrong password", () => ({ login: user.login }), "wrong horse"],
  ["an unknown login", () => ({ login: "nobody-of-that-name" }), "wrong horse"],
  ["the wrong password of an e-mail", () => ({ email: "known@example.com" }), "wrong horse"],
  ["an unknown e-mail", () => ({ email: "nobody@example.com" }), "wrong horse"],
  ["a guest with the right password", () => ({ login: guest }), "correct horse"],
  ["a user without a password", () => ({ login: "no-password" }), "correct horse"],
  ["a password beyond the longest", () => ({ login: user.login }), "x".repeat(5_000)],
  ["a password of NUL", () => ({ login: user.login }), "\u0001"],
  [
    "a login in other letters and a wrong password",
    () => ({ login: user.login.toUpperCase() }),
    "wrong horse",
  ],
  ["a login of a prototype", () => ({ login: "__proto__" }), "wrong horse"],
  ["a login of a wildcard", () => ({ login: "%" }), "correct horse"],
];
const REFUSED = { errors: { base: ["Unauthorized: the login or the password is wrong"] } };

describe.each(ATTEMPTS)("%s", (_what, name, password) => {
  test("gets the same answer from POST /session", async () => {
    const body = { ...signedParameters(node), user: { ...name(), password } };
    const answer = await rest(node, "POST", "/session", { body });
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    expect(answer.headers.get("svc-token-expirationdate")).toBeNull();
  });

  test("gets the same answer from POST /login", async () => {
    const token = await applicationToken(node);
    const answer = await rest(node, "POST", "/login", { token, body: { ...name(), password } });
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    const { body } = await rest(node, "GET", "/session", { token });
    expect(body.session.user_id).toBeNull();
  });

  test("gets the same answer from GraphQL", async () => {
    const token = await applicationToken(node);
    const query = "mutation ($i: LoginInput!) { login(input: $i) { user { id } } }";
    const { data, errors } = await graphql(node, query, { i: { ...name(), password } }, token);
    expect(data).toBeNull();
    expect(errors?.map(({ message, path, extensions }) => ({ message, path, extensions }))).toEqual(
      [
        {
          message: REFUSED.errors.base[0],
          path: ["login"],
          extensions: { code: "UNAUTHENTICATED" },
        },
      ],
    );
  });
});

test("a password may contain NUL, and is wrong for known and unknown logins alike", async () => {
  for (const login of [user.login, "nobody-of-that-name"]) {
    const body = { ...signedParameters(node), user: { login, password: "a\u0000b" } };
    const answer = await rest(node, "POST", "/session", { body });
    expect([answer.status, answer.body]).toEqual([401, REFUSED]);
  }
});

/** Signs in over chat. @returns the answer */
async function chat(name: string, secret: string): Promise<string> {
  const client = await connectRaw(node.chatUrl);
  for (const frame of [OPEN, auth(name, secret)]) client.send(frame);
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return answer;
}

describe("a chat client", () => {
  const NOT_AUTHORIZED =
    '<failure xmlns="urn:ietf:params:xml:ns:xmpp-sasl"><not-authorized/></failure>';
  const CASES: Array<[what: string, name: () => string, secret: string]> = [
    ["a wrong password", () => `${user.id}-${node.application.id}`, "wrong horse"],
    ["an unknown user", () => `999999-${node.application.id}`, "wrong horse"],
    ["an unknown application", () => `${user.id}-999999`, "correct horse"],
    ["what looks like a token", () => `${user.id}-${node.application.id}`, "x".repeat(43)],
    ["an unknown user with what looks like a token", () => "999999-999999", "x".repeat(43)],
    ["a name that is no address", () => "alice", "correct horse"],
    ["a name beyond all numbers", () => `${"9".repeat(30)}-1`, "correct horse"],
  ];
  test.each(CASES)("gets the same refusal for %s", async (_what, name, secret) => {
    expect(await chat(name(), secret)).toBe(NOT_AUTHORIZED);
  });

  test("may not use the token of another user", async () => {
    const other = await newUser(node);
    expect(await chat(`${user.id}-${node.application.id}`, other.token)).toBe(NOT_AUTHORIZED);
    expect(await chat(`${other.id}-${node.application.id}`, other.token)).toContain("<success");
  });
});

describe("the work", () => {
  const statements: string[] = [];
  beforeAll(async () => {
    const { store } = node.app;
    interceptOperations(store, (name, run) => {
      statements.push(name);
      return run();
    });
    const [query, execute] = [store.query.bind(store), store.execute.bind(store)];
    store.query = (statement, values) => {
      statements.push(statement.name);
      return query(statement, values);
    };
    // Jobs wait until `release`, so that their statements do not count as work of the request.
    const answered = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.execute = async (text, values) => {
      if (/SET\s+state = 'active'/.test(text)) await answered;
      // Ignores pg-boss's own statements for its schema and its schedules.
      else if (/INSERT INTO pgboss/.test(text) && values?.includes(RESET_JOB))
        statements.push(text);
      return execute(text, values);
    };
  });

  /** The parameters of the compared hashes, and the statements, of a request. */
  async function workOf(ask: () => Promise<unknown>) {
    verify.mockClear();
    statements.length = 0;
    await ask();
    return {
      compared: verify.mock.calls.map(([hash]) => String(hash).split("$").slice(0, 4).join("$")),
      // Some statements run periodically, independently of the request: those that write activity, statistics and the
      // nodes' reports, and the one that finds queues with due jobs.
      statements: statements.filter(
        (name) =>
          !/^(touch|live|purge|report|renew)_|_application_(statistics|sockets)$|^due_job_queues$/.test(
            name,
          ),
      ),
    };
  }
  const ARGON = "$argon2id$v=19$m=19456,t=2,p=1";

  test.each(
    ATTEMPTS.filter(([what]) => !what.startsWith("a password ")),
  )("of a sign-in is the same for %s", async (_what, name, password) => {
    const token = await applicationToken(node);
    const { statements: asked, ...work } = await workOf(() =>
      rest(node, "POST", "/login", { token, body: { ...name(), password } }),
    );
    expect(work).toEqual({ compared: [ARGON] });
    const look = "login" in name() ? "sign_in_by_login" : "sign_in_by_email";
    expect(asked.slice(-2)).toEqual(["find_application", look]);
  });

  const TOKEN_FORM = "x".repeat(43);
  const CHAT: Array<[what: string, id: () => number, form: boolean | null, hashes: number]> = [
    ["a user whose password has another form", () => user.id, false, 0],
    ["an unknown user", () => 999_999, null, 0],
    ["a guest", () => ids.guest, null, 0],
    ["a user without a password", () => ids.noPassword, null, 0],
    ["a user whose password has the form", () => user.id, true, 1],
    ["a user whose password has an unknown form", () => user.id, null, 1],
  ];
  test.each(
    CHAT,
  )("over chat, what has the form of a token is hashed only if the password may have it: %s", async (_what, id, form, hashes) => {
    await node.sql("UPDATE users SET password_has_token_form = $2 WHERE id = $1", [id(), form]);
    const name = `${id()}-${node.application.id}`;
    const { statements: asked, ...work } = await workOf(() => chat(name, TOKEN_FORM));
    expect(work).toEqual({ compared: Array(hashes).fill(ARGON) });
    expect(asked).toEqual(["find_session", "sign_in_by_id"]);
    // Any other secret costs one hash, whoever the user is.
    expect(await workOf(() => chat(name, "wrong horse"))).toEqual({
      compared: [ARGON],
      statements: ["sign_in_by_id"],
    });
  });

  test("of an owner's sign-in is the same for known and unknown e-mails", async () => {
    const { email } = ownerCredentials(node);
    await node.sql(
      `INSERT INTO account_members (account_id, email, password_hash, role)
        SELECT account_id, 'support@example.com', password_hash, 'support' FROM account_members`,
    );
    const query = "mutation ($i: SignInMemberInput!) { signInMember(input: $i) { token } }";
    const answers: Array<Awaited<ReturnType<typeof graphql>>> = [];
    for (const each of [email, "support@example.com", "nobody@example.com", "%"]) {
      const i = { email: each, password: "wrong horse" };
      expect(await workOf(async () => answers.push(await graphql(node, query, { i })))).toEqual({
        compared: [ARGON],
        statements: ["accountMember.findUnique", "insert_failed_sign_in"],
      });
    }
    expect(answers.map(({ status, errors }) => [status, errors?.[0].message])).toEqual(
      Array(4).fill([200, "Unauthorized: the e-mail or the password is wrong"]),
    );
  });

  test.each([
    [
      "REST",
      async (email: string, token: string) => {
        const path = `/users/password/reset?email=${encodeURIComponent(email)}`;
        const { status, text } = await rest(node, "GET", path, { token });
        return { status, text };
      },
      { status: 200, text: "" },
    ],
    [
      "GraphQL",
      (email: string, token: string) => {
        const query =
          "mutation ($i: RequestPasswordResetInput!) { requestPasswordReset(input: $i) { requested } }";
        return graphql(node, query, { i: { email } }, token);
      },
      { status: 200, data: { requestPasswordReset: { requested: true } } },
    ],
  ])("of a password reset is the same for known and unknown e-mails: %s", async (_protocol, ask, answer) => {
    const token = await applicationToken(node);
    // The first request of a node creates the pg-boss schema.
    await ask("first@example.com", token);
    const works = [];
    for (const email of ["known@example.com", "KNOWN@example.com", "nobody@example.com", "%"]) {
      works.push(await workOf(async () => expect(await ask(email, token)).toEqual(answer)));
    }
    const [work] = works;
    expect(works).toEqual(Array(4).fill(work));
    expect(work?.compared).toEqual([]);
    expect(work?.statements.at(-1)).toMatch(/INSERT INTO pgboss\.job/);
  });

  test("after the answer continues, and mails only to known addresses", async () => {
    release();
    const mails = await smtp.mailsTo("known@example.com", 4);
    expect(smtp.mails).toHaveLength(mails.length);
  });
});

test("every wrong account key gets the same answer", async () => {
  const { accountKey } = node.application;
  const nearly = `${accountKey.slice(0, -1)}${accountKey.endsWith("A") ? "B" : "A"}`;
  for (const key of [nearly, "x", accountKey.toLowerCase(), `${accountKey}x`, "'", "%"]) {
    const headers = { "Svc-Account-Key": key };
    const answer = await rest(node, "GET", "/account_settings", { headers });
    expect([answer.status, answer.body]).toEqual([
      401,
      { errors: { base: ["The account key is not valid"] } },
    ]);
  }
});

test("a signed request is refused again after a restart on the same data", async () => {
  const first = await startNode();
  const body = signedParameters(first);
  const before = await rest(first, "POST", "/session", { body });
  expect(before.status).toBe(201);
  await first.app.close();
  const second = await startNode({}, {}, first);
  const again = await rest(second, "POST", "/session", { body });
  expect([again.status, again.body]).toEqual([
    422,
    { errors: { nonce: ["has been used with this timestamp before; send a new one"] } },
  ]);
  const { token } = before.body.session;
  expect((await rest(second, "GET", "/session", { token })).status).toBe(200);
  expect((await rest(second, "POST", "/session", { body: signedParameters(second) })).status).toBe(
    201,
  );
  await second.stop();
  await first.stop();
});
