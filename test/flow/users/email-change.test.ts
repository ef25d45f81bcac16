import { graphql } from "../../../tools/graphql/graphql-http";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { startNode, type TestNode } from "../../support/node";
import {
  applicationToken,
  newUser,
  rest,
  signedParameters,
  type TestUser,
} from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";

/** E-mails are credentials: who may change one, who is notified, and which spellings are equal. */

const NFC = "j\u00f6rg";
const NFD = "jo\u0308rg";

let smtp: TestSmtp;
let node: TestNode;
let emails = 0;
beforeAll(async () => {
  smtp = await startSmtp();
  node = await startNode({ SMTP_URL: smtp.url, MAIL_FROM: "Example <no-reply@example.com>" });
});
afterAll(async () => {
  await node?.stop();
  await smtp?.close();
});

const newEmail = () => `person${++emails}@example.com`;
const signIn = (email: string, password = "correct horse") =>
  rest(node, "POST", "/session", {
    body: { ...signedParameters(node), user: { email, password } },
  });
const change = ({ id, token }: TestUser, user: object) =>
  rest(node, "PUT", `/users/${id}`, { token, body: { user } });
const signUp = async (email: string) => {
  const body = { user: { login: `name-${++emails}`, password: "correct horse", email } };
  return rest(node, "POST", "/users", { token: await applicationToken(node), body });
};

/** Sets emailNeedsPassword as the owner of the application. */
async function setNeedsPassword(emailNeedsPassword: boolean): Promise<void> {
  const query = `mutation ($input: UpdateApplicationInput!) {
    updateApplication(input: $input) { application { emailNeedsPassword } } }`;
  const input = { applicationId: String(node.application.id), emailNeedsPassword };
  const { data } = await graphql(node, query, { input }, await ownerToken(node));
  expect(data.updateApplication.application).toEqual({ emailNeedsPassword });
}

describe("the setting emailNeedsPassword", () => {
  afterEach(() => setNeedsPassword(false));

  test("is off by default: the e-mail changes without the password, as legacy clients expect", async () => {
    const user = await newUser(node, { email: newEmail() });
    const email = newEmail();
    const { status, body } = await change(user, { email });
    expect([status, body.user.email]).toEqual([200, email]);
  });

  test("requires old_password only for a change of the e-mail", async () => {
    await setNeedsPassword(true);
    const email = newEmail();
    const user = await newUser(node, { email });
    const fresh = newEmail();
    const missing = ["is required for a new e-mail address"];
    for (const [fields, errors] of [
      [{ email: fresh }, missing],
      [{ email: null }, missing],
      [{ email: fresh, old_password: "wrong horse" }, ["is wrong"]],
    ] as const) {
      const { status, body } = await change(user, fields);
      expect([status, body]).toEqual([422, { errors: { old_password: errors } }]);
    }
    expect((await change(user, { email, full_name: "Al" })).status).toBe(200);
    const { status, body } = await change(user, { email: fresh, old_password: "correct horse" });
    expect([status, body.user.email]).toEqual([200, fresh]);
    expect((await signIn(fresh)).status).toBe(201);
  });

  test("applies through GraphQL, also to an e-mail and a password at once", async () => {
    await setNeedsPassword(true);
    const user = await newUser(node, { email: newEmail() });
    const query = "mutation ($i: UpdateUserInput!) { updateUser(input: $i) { user { email } } }";
    const update = (input: object) =>
      graphql(node, query, { i: { id: String(user.id), ...input } }, user.token);
    const email = newEmail();
    const refused = await update({ email });
    expect(Object.keys(refused.errors?.[0].extensions.fields)).toEqual(["oldPassword"]);
    const both = { email, password: "battery staple", oldPassword: "correct horse" };
    expect((await update(both)).data).toEqual({ updateUser: { user: { email } } });
    expect((await signIn(email, "battery staple")).status).toBe(201);
  });

  test("does not apply to a user without a password", async () => {
    await setNeedsPassword(true);
    const user = await newUser(node, { email: newEmail() });
    await node.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [user.id]);
    expect((await change(user, { email: newEmail() })).status).toBe(200);
  });
});

describe("the old address", () => {
  test("is notified of the change, without the new address", async () => {
    const old = newEmail();
    const email = newEmail();
    const user = await newUser(node, { email: old });
    expect((await change(user, { full_name: "Al", email: old })).status).toBe(200);
    expect((await change(user, { email })).status).toBe(200);
    const [mail] = await smtp.mailsTo(old);
    expect(mail?.parsed.subject).toBe("Your e-mail address for First application was changed");
    expect(mail?.parsed.text).toContain("no longer belongs to the account");
    expect(`${mail?.parsed.text} ${mail?.parsed.html}`).not.toContain(email);
    expect(smtp.mails.filter(({ recipients }) => recipients.includes(old))).toHaveLength(1);
    expect(smtp.mails.filter(({ recipients }) => recipients.includes(email))).toEqual([]);
  });

  test("is notified when the e-mail is cleared", async () => {
    const old = newEmail();
    const user = await newUser(node, { email: old });
    expect((await change(user, { email: null })).status).toBe(200);
    expect(await smtp.mailsTo(old)).toHaveLength(1);
  });
});

describe("one address", () => {
  test("is one account in all spellings", async () => {
    const host = `b\u00fccher${++emails}.example`;
    const email = `${NFC}@${host}`;
    expect((await signUp(email)).status).toBe(201);
    const others = [
      `${NFD}@${host}`,
      `J\u00d6RG@${host.toUpperCase()}`,
      `${NFC}@${new URL(`http://${host}`).hostname}`,
      `\uff4a\u00f6rg@${host}`,
    ];
    for (const other of others) {
      const { status, body } = await signUp(other);
      expect([other, status, body.errors]).toEqual([
        other,
        422,
        { email: ["has already been taken"] },
      ]);
      expect([other, (await signIn(other)).status]).toEqual([other, 201]);
    }
    const user = await newUser(node);
    const { status, body } = await change(user, { email: others[0] });
    expect([status, body.errors]).toEqual([422, { email: ["has already been taken"] }]);
    for (const other of others) {
      const sent = encodeURIComponent(other);
      const { body: found } = await rest(node, "GET", `/users/v2?email=${sent}`, {
        token: user.token,
      });
      expect(found.items.map(({ email: shown }: { email: string }) => shown)).toEqual([email]);
      const one = await rest(node, "GET", `/users/by_email?email=${sent}`, { token: user.token });
      expect(one.status === 404 || one.body.user.email === email).toBe(true);
    }
  });

  test.each([
    "a@b,c@d",
    "a b@c",
    "<a@b>",
    "a\u200b@b",
    "a\u0001@b",
    "a\u202e@b",
  ])("%j is INVALID", async (email) => {
    const { status, body } = await signUp(email);
    expect([status, body.errors]).toEqual([422, { email: ["must be an e-mail address"] }]);
  });
});

describe("a row from before the introduction of normalization", () => {
  /** A user whose key is the lower-case address, as older versions stored it. */
  async function olderUser(email: string): Promise<TestUser> {
    const user = await newUser(node);
    await node.sql("UPDATE users SET email = $2, email_key = lower($2) WHERE id = $1", [
      user.id,
      email,
    ]);
    return user;
  }

  test("keeps its address: sign-in, look-up and reset find it, and no other user can take it", async () => {
    const email = `${NFD}@b\u00fccher${++emails}.example`;
    const user = await olderUser(email);
    for (const spelling of [email, email.normalize("NFC")]) {
      expect([spelling, (await signIn(spelling)).body.session?.user_id]).toEqual([
        spelling,
        user.id,
      ]);
      expect((await signUp(spelling)).body.errors).toEqual({ email: ["has already been taken"] });
    }
    expect((await change(user, { email: email.normalize("NFC") })).status).toBe(200);
    expect((await signIn(email)).status).toBe(201);
  });

  test("remains separate from another spelling", async () => {
    const host = `old${++emails}.example`;
    const one = await olderUser(`${NFD}@${host}`);
    const other = await olderUser(`${NFC}@${host}`);
    expect((await signIn(`${NFD}@${host}`)).body.session.user_id).toBe(one.id);
    expect((await signIn(`${NFC}@${host}`)).body.session.user_id).toBe(other.id);
  });

  test("whose address is no longer valid can still sign in and stay unchanged", async () => {
    const email = `a,b${++emails}@example.com`;
    const user = await olderUser(email);
    expect((await signIn(email)).status).toBe(201);
    expect((await change(user, { full_name: "Al" })).status).toBe(200);
    expect((await change(user, { full_name: "Bo", email })).body.errors).toEqual({
      email: ["must be an e-mail address"],
    });
  });
});
