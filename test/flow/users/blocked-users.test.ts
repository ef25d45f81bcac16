import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { auth, connectRaw, OPEN } from "../../support/chat/chat";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  newGuest,
  newUser,
  rest,
  signedParameters,
  signIn,
  type TestUser,
} from "../../support/rest-client";
import { blockUser, unblockUser } from "../../support/sessions/blocks";
import { ownerToken } from "../../support/sessions/owner";

/** A blocked user signs in nowhere, and only someone with the credentials learns of the block. */

const BLOCKED = { errors: { base: ["This user is blocked"] } };
const WRONG = { errors: { base: ["Unauthorized: the login or the password is wrong"] } };
const NO_SESSION = { errors: { base: ["Required session does not exist"] } };

let smtp: TestSmtp;
let node: TestNode;
let owner: string;
beforeAll(async () => {
  smtp = await startSmtp();
  node = await startNode({ SMTP_URL: smtp.url, MAIL_FROM: "Example <no-reply@example.com>" });
  owner = await ownerToken(node);
});
afterAll(async () => {
  await node?.stop();
  await smtp?.close();
});

const createSession = (user: object) =>
  rest(node, "POST", "/session", { body: { ...signedParameters(node), user } });

/** The response to the sign-in of a chat client. */
async function chatAnswer({ id }: TestUser, secret: string): Promise<string> {
  const client = await connectRaw(node.chatUrl);
  for (const frame of [OPEN, auth(`${id}-${node.application.id}`, secret)]) client.send(frame);
  for (let count = 0; count < 2; count += 1) await client.next();
  const answer = await client.next();
  client.socket.terminate();
  return answer;
}

let emails = 0;
const newMailUser = async (): Promise<TestUser & { email: string }> => {
  const email = `blocked${++emails}@example.com`;
  return { ...(await newUser(node, { email })), email };
};

describe("blockUser", () => {
  it("sets the time and the reason; blocking again changes the reason alone", async () => {
    const user = await newUser(node);
    expect(await blockUser(node, user, "Spam")).toEqual({
      id: String(user.id),
      blockedAt: expect.stringMatching(/^\d{4}-/),
      blockReason: "Spam",
    });
    const blockedAt = "2026-01-02T03:04:05.000Z";
    await node.sql("UPDATE users SET blocked_at = $2 WHERE id = $1", [user.id, blockedAt]);
    const again = await blockUser(node, user, "Threats");
    expect([new Date(again.blockedAt ?? 0), again.blockReason]).toEqual([
      new Date(blockedAt),
      "Threats",
    ]);
    expect((await blockUser(node, user)).blockReason).toBeNull();
  });

  it.each([
    ["reason", { reason: "x".repeat(256) }, "INVALID"],
    ["userId", { userId: "9007199254740991" }, "NOT_FOUND"],
    ["userId", { userId: "x" }, "NOT_FOUND"],
  ])("refuses a wrong %s", async (_field, wrong, code) => {
    const { id, token } = await newUser(node);
    const input = { applicationId: String(node.application.id), userId: String(id), ...wrong };
    const document =
      "mutation ($input: BlockUserInput!) { blockUser(input: $input) { user { id } } }";
    const { errors } = await graphql(node, document, { input }, owner);
    expect(errors?.[0].extensions.code).toBe(code);
    expect((await rest(node, "GET", "/session", { token })).status).toBe(200);
  });
});

describe("a blocked user", () => {
  it("has no session left: tokens are as if destroyed, by every protocol", async () => {
    const user = await newUser(node);
    const other = await signIn(node, user);
    await blockUser(node, user);
    for (const token of [user.token, other.token]) {
      const answer = await rest(node, "GET", "/session", { token });
      expect([answer.status, answer.body]).toEqual([401, NO_SESSION]);
      const { errors } = await graphql(node, "{ currentSession { id } }", {}, token);
      expect(errors?.[0].extensions.code).toBe("UNAUTHENTICATED");
      await expect(openSocket(node, token)).rejects.toThrow("4401");
      expect(await chatAnswer(user, token)).toContain("<not-authorized");
    }
    expect(await node.sql("SELECT id FROM sessions WHERE user_id = $1", [user.id])).toEqual([]);
  });

  it("is refused with FORBIDDEN by the right credentials, and as anybody by wrong ones", async () => {
    const user = await newMailUser();
    await blockUser(node, user, "Spam");
    const { login, email, password } = user;
    for (const name of [{ login }, { email }]) {
      const right = await createSession({ ...name, password });
      expect([right.status, right.body]).toEqual([403, BLOCKED]);
      const wrong = await createSession({ ...name, password: "wrong horse" });
      expect([wrong.status, wrong.body]).toEqual([401, WRONG]);
    }
    const token = await applicationToken(node);
    const byLogin = await rest(node, "POST", "/login", { token, body: { login, password } });
    expect([byLogin.status, byLogin.body]).toEqual([403, BLOCKED]);
    const wrong = { login, password: "wrong horse" };
    expect((await rest(node, "POST", "/login", { token, body: wrong })).status).toBe(401);
    // The application session stays as it was.
    expect((await rest(node, "GET", "/session", { token })).body.session.user_id).toBeNull();
    const document = "mutation ($i: LoginInput!) { login(input: $i) { user { id } } }";
    const { data, errors } = await graphql(node, document, { i: { login, password } }, token);
    expect([data, errors?.[0].extensions.code, errors?.[0].message]).toEqual([
      null,
      "FORBIDDEN",
      "This user is blocked",
    ]);
    expect(await chatAnswer(user, password)).toContain("<not-authorized");
    expect(await chatAnswer(user, password)).not.toContain("policy-violation");
    expect(await node.sql("SELECT id FROM sessions WHERE user_id = $1", [user.id])).toEqual([]);
  });

  it("cannot move a session of another user to itself", async () => {
    const user = await newUser(node);
    const { token } = await newUser(node);
    await blockUser(node, user);
    const { login, password } = user;
    expect((await rest(node, "POST", "/login", { token, body: { login, password } })).status).toBe(
      403,
    );
    expect((await rest(node, "GET", "/session", { token })).status).toBe(200);
  });

  it("cannot be signed up again under its name", async () => {
    const user = await newUser(node);
    await blockUser(node, user);
    const token = await applicationToken(node);
    const body = { user: { login: user.login.toUpperCase(), password: "another horse" } };
    const answer = await rest(node, "POST", "/users", { token, body });
    expect([answer.status, answer.body]).toEqual([
      422,
      { errors: { login: ["has already been taken"] } },
    ]);
  });

  it("binds no web session", async () => {
    const user = await newUser(node);
    const web = await rest(node, "POST", "/session/web", {
      body: signedParameters(node),
    });
    await blockUser(node, user);
    const body = { web_token: web.body.session.token };
    const answer = await rest(node, "PATCH", "/session/web", { token: user.token, body });
    expect([answer.status, answer.body]).toEqual([401, NO_SESSION]);
  });

  it("may be a guest", async () => {
    const guest = await newGuest(node);
    await blockUser(node, guest);
    expect((await rest(node, "GET", "/session", { token: guest.token })).status).toBe(401);
  });

  it("stays in the lists of other users, who do not see the block", async () => {
    const user = await newUser(node);
    const { token } = await newUser(node);
    const show = async () => {
      const { status, body } = await rest(node, "GET", `/users/${user.id}`, { token });
      // The sign-in is written some seconds later.
      return [status, { ...body.user, last_request_at: null }];
    };
    const before = await show();
    await blockUser(node, user, "Spam");
    expect([before[0], await show()]).toEqual([200, before]);
    const list = await rest(node, "GET", `/users/v2?login[eq]=${user.login}`, { token });
    expect(list.body.total_entries).toBe(1);
    expect(list.text).not.toMatch(/block|Spam/);
  });

  it("signs in again once it is unblocked, without its earlier sessions", async () => {
    const user = await newUser(node);
    await blockUser(node, user, "Spam");
    expect(await unblockUser(node, user)).toEqual({
      id: String(user.id),
      blockedAt: null,
      blockReason: null,
    });
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
    const { login, password } = user;
    expect((await createSession({ login, password })).status).toBe(201);
    expect(await chatAnswer(user, password)).toContain("<success");
    // Without effect on a user who is not blocked.
    const again = await signIn(node, user);
    await unblockUser(node, user);
    expect((await rest(node, "GET", "/session", { token: again.token })).status).toBe(200);
  });
});

describe("the password of a blocked user", () => {
  const request = async (email: string) => {
    const token = await applicationToken(node);
    return rest(node, "GET", `/users/password/reset?email=${email}`, { token });
  };
  const reset = (token: string) =>
    graphql(node, "mutation ($i: ResetPasswordInput!) { resetPassword(input: $i) { reset } }", {
      i: { token, password: "another horse" },
    });
  const links = ({ id }: TestUser) =>
    node.sql("SELECT id FROM password_resets WHERE user_id = $1", [id]);
  const addLink = ({ id }: TestUser, token: string) =>
    node.sql(
      `INSERT INTO password_resets (user_id, token_hash, expires_at)
        VALUES ($1, sha256(convert_to($2, 'UTF8')), now() + interval '1 hour')`,
      [id, token],
    );

  it("cannot be reset: links that were sent are dead", async () => {
    const user = await newMailUser();
    await addLink(user, `link-${user.id}`);
    await blockUser(node, user);
    expect(await links(user)).toEqual([]);
    const { errors } = await reset(`link-${user.id}`);
    expect(errors?.[0].extensions.fields).toEqual({ token: ["is unknown, used or expired"] });
  });

  it("cannot be reset: no link is sent, with the same answer as for anybody", async () => {
    const [blocked, control] = [await newMailUser(), await newMailUser()];
    await blockUser(node, blocked);
    for (const { email } of [blocked, control]) expect((await request(email)).status).toBe(200);
    // Mails are sent in order, so one to the blocked user would have arrived by now.
    expect(await smtp.mailsTo(control.email)).toHaveLength(1);
    expect(smtp.mails.flatMap(({ recipients }) => recipients)).not.toContain(blocked.email);
    expect(await links(blocked)).toEqual([]);
  });

  it("can be set by the owner, which does not unblock", async () => {
    const user = await newUser(node);
    await blockUser(node, user);
    const document = `mutation ($input: UpdateUserInput!) {
      updateUser(input: $input) { user { blockedAt } } }`;
    const input = { id: String(user.id), password: "another horse" };
    const { data } = await graphql(node, document, { input }, owner);
    expect(data.updateUser.user.blockedAt).not.toBeNull();
    const { login, password } = user;
    expect((await createSession({ login, password: "another horse" })).body).toEqual(BLOCKED);
    expect((await createSession({ login, password })).body).toEqual(WRONG);
  });
});
