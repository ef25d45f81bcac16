import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { eventually, HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, rest, type TestUser } from "../../support/rest-client";
import { ownerCredentials, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

const SIGN_IN = `mutation ($input: SignInMemberInput!) {
  signInMember(input: $input) { token expiresAt account { id name } member { id email role } }
}`;
const ACCOUNT =
  "{ account { name accountKey apiEndpoint chatEndpoint turnserverEndpoint applications { name } } }";
const UPDATE = `mutation ($input: UpdateAccountInput!) {
  updateAccount(input: $input) { account { name apiEndpoint chatEndpoint } }
}`;
const UPDATE_MEMBER = `mutation ($input: UpdateCurrentMemberInput!) {
  updateCurrentMember(input: $input) { member { id email role } }
}`;
const OWNER_REFUSED =
  "An account owner's token may not do that: a session of the application is needed";

const clock = new MovingClock();
let node: TestNode;
let user: TestUser;
beforeAll(async () => {
  node = await startNode({}, { clock });
  user = await newUser(node);
});
afterAll(() => node.stop());

const signIn = (input: { email: string; password: string }) => graphql(node, SIGN_IN, { input });
const codeOf = (answer: { errors?: Array<{ message: string; extensions: { code: string } }> }) =>
  answer.errors?.map(({ message, extensions }) => [extensions.code, message]);

describe("the first start", () => {
  it("writes the owner's credentials to a private file", () => {
    const path = join(node.environment.DATA_DIR ?? "", "owner.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      email: "owner@localhost",
      password: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
});

describe("a start on a database without owners", () => {
  const restart = async (first: TestNode, prepare: string) => {
    await first.sql(prepare);
    await first.app.close();
    return startNode({}, {}, first);
  };
  const fileOf = (of: TestNode) => join(of.environment.DATA_DIR ?? "", "owner.json");

  it("creates an owner for the first account once, and changes nothing else", async () => {
    const first = await startNode();
    const { password: old } = ownerCredentials(first);
    const before = await first.sql("SELECT * FROM applications");
    rmSync(fileOf(first));
    const second = await restart(first, "DELETE FROM account_members");
    expect(second.app.created).toBeNull();
    const owner = ownerCredentials(second);
    expect([owner.email, owner.password === old]).toEqual(["owner@localhost", false]);
    expect(statSync(fileOf(second)).mode & 0o777).toBe(0o600);
    const answer = await graphql(second, SIGN_IN, { input: owner });
    expect(answer.data.signInMember.account).toMatchObject({ name: "First account" });
    expect(await second.sql("SELECT * FROM applications")).toEqual(before);

    const third = await restart(second, "UPDATE account_members SET email = 'me@example.com'");
    expect(ownerCredentials(third)).toEqual(owner);
    expect(await third.sql("SELECT email, role::text FROM account_members")).toEqual([
      { email: "me@example.com", role: "owner" },
    ]);
    await third.app.close();
    await first.stop();
  });

  it("does not create a second member with the same e-mail", async () => {
    const first = await startNode();
    const written = ownerCredentials(first);
    const second = await restart(
      first,
      `WITH a AS (INSERT INTO accounts (name, account_key, updated_at)
          VALUES ('Another', 'key of another', now()) RETURNING id)
        UPDATE account_members SET account_id = a.id FROM a`,
    );
    expect(
      await second.sql(
        "SELECT m.email FROM accounts a LEFT JOIN account_members m ON m.account_id = a.id ORDER BY a.id",
      ),
    ).toEqual([{ email: null }, { email: "owner@localhost" }]);
    expect(ownerCredentials(second)).toEqual(written);
    await second.app.close();
    await first.stop();
  });
});

describe("signInMember", () => {
  it("returns a token, of which only the hash is stored", async () => {
    const { data } = await signIn(ownerCredentials(node));
    expect(data.signInMember).toEqual({
      token: expect.stringMatching(/^acct_[\w-]{43}$/),
      expiresAt: expect.stringMatching(/Z$/),
      account: { id: expect.any(String), name: "First account" },
      member: { id: expect.any(String), email: "owner@localhost", role: "OWNER" },
    });
    const rows = await node.sql("SELECT * FROM account_sessions");
    expect(JSON.stringify(rows)).not.toContain(data.signInMember.token);
    expect((await graphql(node, ACCOUNT, {}, data.signInMember.token)).data.account).toEqual({
      name: "First account",
      accountKey: node.application.accountKey,
      apiEndpoint: null,
      chatEndpoint: null,
      turnserverEndpoint: null,
      applications: [{ name: "First application" }],
    });
  });

  it("accepts the e-mail in any case", async () => {
    const { email, password } = ownerCredentials(node);
    expect((await signIn({ email: email.toUpperCase(), password })).errors).toBeUndefined();
  });

  it.each([
    ["an unknown e-mail", { email: "nobody@localhost" }],
    ["a wrong password", { password: "wrong horse" }],
    ["an e-mail that cannot be", { email: "no address at all" }],
  ])("refuses %s with the same text", async (_what, wrong) => {
    expect(codeOf(await signIn({ ...ownerCredentials(node), ...wrong }))).toEqual([
      ["UNAUTHENTICATED", "Unauthorized: the e-mail or the password is wrong"],
    ]);
  });
});

describe("an owner's token", () => {
  it("is extended by twelve hours with each use, and then expires", async () => {
    const { data } = await signIn(ownerCredentials(node));
    const { token } = data.signInMember;
    for (const hours of [11, 11]) {
      clock.advance(hours * HOUR);
      expect((await graphql(node, ACCOUNT, {}, token)).errors).toBeUndefined();
    }
    clock.advance(12 * HOUR);
    expect(codeOf(await graphql(node, ACCOUNT, {}, token))).toEqual([
      ["UNAUTHENTICATED", expect.stringContaining("Required session does not exist")],
    ]);
  });

  it("is invalid after sign-out", async () => {
    const token = (await signIn(ownerCredentials(node))).data.signInMember.token;
    const { data } = await graphql(node, "mutation { signOutMember { signedOut } }", {}, token);
    expect(data).toEqual({ signOutMember: { signedOut: true } });
    expect(codeOf(await graphql(node, ACCOUNT, {}, token))?.[0]?.[0]).toBe("UNAUTHENTICATED");
  });

  it("cannot replace a session, and vice versa", async () => {
    const token = (await signIn(ownerCredentials(node))).data.signInMember.token;
    const answer = await rest(node, "GET", "/session", { token });
    expect([answer.status, answer.body]).toEqual([403, { errors: { base: [OWNER_REFUSED] } }]);
    clock.advance(-34 * HOUR);
    expect(codeOf(await graphql(node, ACCOUNT, {}, user.token))).toEqual([
      ["FORBIDDEN", "A session may not do that: an account owner's token is needed"],
    ]);
    const unknown = `acct_${"x".repeat(43)}`;
    expect((await rest(node, "GET", "/session", { token: unknown })).status).toBe(401);
  });
});

describe("a socket of an owner", () => {
  const UNAUTHENTICATED = [
    ["UNAUTHENTICATED", expect.stringContaining("Required session does not exist")],
  ];
  const ENDS: Array<[what: string, end: (token: string) => Promise<unknown>]> = [
    [
      "is signed out elsewhere",
      (token) => graphql(node, "mutation { signOutMember { signedOut } }", {}, token),
    ],
    [
      "expires",
      () => node.sql("UPDATE account_sessions SET expires_at = $1", [new Date(clock.now())]),
    ],
    [
      "is of an account that is deleted",
      () => node.sql("DELETE FROM accounts WHERE name = 'Gone'"),
    ],
  ];

  it.each(ENDS)("can do nothing after its token %s", async (what, end) => {
    await node.sql(
      `INSERT INTO accounts (name, account_key, updated_at) VALUES ('Gone', 'gone', now())
        ON CONFLICT DO NOTHING`,
    );
    const [account] = await node.sql<{ id: number }>("SELECT id FROM accounts WHERE name = 'Gone'");
    const [made] = await node.sql<{ id: number }>(
      `INSERT INTO applications (account_id, name, auth_key, auth_secret, web_origins, updated_at)
        VALUES ($1, 'x', 'x', 'x', '{}', now()) RETURNING id`,
      [account?.id],
    );
    const application = { ...node.application, id: made?.id ?? 0 };
    const token = await ownerTokenNow({ ...node, application });
    const socket = await openSocket(node, token);
    expect((await socket.run("{ account { name } }")).data).toEqual({ account: { name: "Gone" } });
    await end(token);
    if (what === "is signed out elsewhere") {
      expect((await socket.closed).code).toBe(4401);
    } else {
      // The periodic check of sessions may close the socket before the answer.
      const refused = socket
        .run("{ account { name } }")
        .then(({ data, errors }) => [data ?? null, codeOf({ errors })]);
      const closed = socket.closed.then(({ code }) => [null, code === 4401 && UNAUTHENTICATED]);
      expect(await Promise.any([refused, closed])).toEqual([null, UNAUTHENTICATED]);
      await socket.close();
    }
    await expect(openSocket(node, token)).rejects.toThrow("4401");
  });
});

describe("updateAccount", () => {
  it("changes given fields, shows them in /account_settings, and resets null fields", async () => {
    const token = (await signIn(ownerCredentials(node))).data.signInMember.token;
    const change = async (input: object) =>
      (await graphql(node, UPDATE, { input }, token)).data.updateAccount.account;
    const input = {
      name: "Mine",
      apiEndpoint: "https://api.example",
      chatEndpoint: "chat.example",
    };
    expect(await change(input)).toEqual(input);
    const headers = { "Svc-Account-Key": node.application.accountKey };
    expect((await rest(node, "GET", "/account_settings", { headers })).body).toMatchObject({
      api_endpoint: "https://api.example",
      chat_endpoint: "chat.example",
    });
    expect(await change({ apiEndpoint: null, chatEndpoint: null })).toEqual({
      name: "Mine",
      apiEndpoint: null,
      chatEndpoint: null,
    });
  });

  it.each([
    ["name", { name: " " }],
    ["apiEndpoint", { apiEndpoint: "ftp://api.example" }],
    ["chatEndpoint", { chatEndpoint: "https://chat.example" }],
  ])("refuses an invalid %s: %j", async (field, input) => {
    const { errors } = await graphql(node, UPDATE, { input }, await ownerTokenNow());
    expect(errors?.[0].extensions).toMatchObject({ code: "INVALID" });
    expect(Object.keys(errors?.[0].extensions.fields ?? {})).toEqual([field]);
  });
});

describe("an invitation without a mail server", () => {
  const INVITE = `mutation ($input: InviteMemberInput!) {
    inviteMember(input: $input) { link mail }
  }`;
  const ACCEPT = `mutation ($input: AcceptInvitationInput!) {
    acceptInvitation(input: $input) { member { email } }
  }`;

  it("is passed on as the link that its maker sees once; a mail in a file has it on one line", async () => {
    const own = await startNode({ SMTP_URL: "" });
    try {
      const input = { email: "carol@example.com", role: "SUPPORT" };
      const { data } = await graphql(own, INVITE, { input }, await ownerToken(own));
      const { link, mail } = data.inviteMember;
      const start = `${own.baseUrl}/dashboard/#/invitation/`;
      expect(link.startsWith(start)).toBe(true);
      const secret = link.slice(start.length);
      expect(secret).toMatch(/^[\w-]{43}$/);
      if (hasServices) expect(mail).toBe("NOT_SENT");
      else {
        expect(mail).toBe("WRITTEN_TO_FILE");
        const folder = join(own.environment.DATA_DIR ?? "", "mail");
        const text = await eventually(
          () =>
            (existsSync(folder)
              ? readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
              : []
            ).join(""),
          (found) => found.includes("acceptInvitation"),
        );
        expect(text).toContain(`\r\n${link}\r\n`);
        expect(text).toContain("Content-Transfer-Encoding: 8bit");
      }
      const rows = await own.sql("SELECT * FROM account_invitations");
      const jobs = await own.sql("SELECT data::text FROM pgboss.job");
      expect(JSON.stringify([rows, jobs])).not.toContain(secret);
      const accepted = await graphql(own, ACCEPT, { input: { secret, password: "correct horse" } });
      expect(accepted.data.acceptInvitation).toEqual({ member: { email: "carol@example.com" } });
    } finally {
      await own.stop();
    }
  });
});

describe("updateCurrentMember", () => {
  test.each([
    "support",
    "developer",
    "owner",
  ] as const)("changes the address of a member with role %s, who is found by it alone then", async (role) => {
    const { password } = ownerCredentials(node);
    const [email, next] = [`${role}@first.example`, `${role}@second.example`];
    await node.sql(
      `INSERT INTO account_members (account_id, email, password_hash, role)
          SELECT account_id, $1, password_hash, $2::account_role FROM account_members
          WHERE email = 'owner@localhost'`,
      [email, role],
    );
    const { token, member } = (await signIn({ email, password })).data.signInMember;
    expect(member).toMatchObject({ email, role: role.toUpperCase() });
    const input = { email: next.toUpperCase(), oldPassword: password };
    const { data } = await graphql(node, UPDATE_MEMBER, { input }, token);
    const changed = { ...member, email: next };
    expect(data.updateCurrentMember).toEqual({ member: changed });
    const current = await graphql(node, "{ currentMember { id email role } }", {}, token);
    expect(current.data.currentMember).toEqual(changed);
    expect((await signIn({ email, password })).errors).toBeDefined();
    expect((await signIn({ email: next, password })).errors).toBeUndefined();
  });

  it.each([
    ["email", { email: "nobody" }],
    ["email", { email: "taken@localhost", oldPassword: true }],
    ["oldPassword", { email: "mine@localhost" }],
    ["oldPassword", { email: "mine@localhost", oldPassword: "wrong horse" }],
    ["password", { password: "short", oldPassword: "x" }],
    ["oldPassword", { password: "correct horse" }],
    ["oldPassword", { password: "correct horse", oldPassword: "wrong horse" }],
  ])("refuses an invalid %s: %j", async (field, given) => {
    const other = await secondApplication(node);
    await node.sql(
      `INSERT INTO account_members (account_id, email, password_hash, role)
        SELECT account_id, 'taken@localhost', 'no hash', 'support' FROM applications WHERE id = $1
        ON CONFLICT DO NOTHING`,
      [other.application.id],
    );
    const { oldPassword } = given as { oldPassword?: unknown };
    const right = oldPassword === true ? { oldPassword: ownerCredentials(node).password } : {};
    const token = await ownerTokenNow();
    const { errors } = await graphql(node, UPDATE_MEMBER, { input: { ...given, ...right } }, token);
    expect(errors?.[0].extensions).toMatchObject({ code: "INVALID" });
    expect(Object.keys(errors?.[0].extensions.fields ?? {})).toEqual([field]);
  });

  it("ends the other sessions with a new password, and then refuses the old one", async () => {
    const old = ownerCredentials(node);
    const [here, there] = [await ownerTokenNow(), await ownerTokenNow()];
    const input = { password: "correct horse", oldPassword: old.password };
    expect((await graphql(node, UPDATE_MEMBER, { input }, here)).errors).toBeUndefined();
    expect((await graphql(node, ACCOUNT, {}, here)).errors).toBeUndefined();
    expect(codeOf(await graphql(node, ACCOUNT, {}, there))?.[0]?.[0]).toBe("UNAUTHENTICATED");
    expect((await signIn(old)).errors).toBeDefined();
    expect((await signIn({ ...old, password: "correct horse" })).errors).toBeUndefined();
  });
});

it("shows each owner only their own account", async () => {
  const other = await secondApplication(node);
  const { data } = await graphql(node, ACCOUNT, {}, await ownerTokenNow(other));
  expect(data.account).toMatchObject({
    name: "Second account",
    applications: [{ name: "Second application" }],
  });
});

it("shows each owner only the users of their own applications", async () => {
  const other = await secondApplication(node);
  const own = await newUser(other);
  const token = await ownerTokenNow(other);
  const USER =
    "query ($app: ID!, $id: ID!) { user(by: { id: $id }, applicationId: $app) { login } }";
  const find = ({ id }: TestUser) =>
    graphql(node, USER, { app: String(other.application.id), id: String(id) }, token);
  expect((await find(own)).data.user).toEqual({ login: own.login });
  expect((await find(user)).data).toEqual({ user: null });
});

/** A token that expires by this file's clock. */
async function ownerTokenNow(of = node): Promise<string> {
  const token = await ownerToken(of);
  const until = new Date(clock.now() + HOUR);
  await node.sql("UPDATE account_sessions SET expires_at = $1 WHERE expires_at < $1", [until]);
  return token;
}
