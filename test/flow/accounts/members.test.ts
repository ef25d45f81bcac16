import { PasswordHasher } from "../../../src/domain/passwords/password";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startSmtp, type TestSmtp } from "../../../tools/smtp";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { describeServices } from "../../support/operations/database";
import { memberToken, ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Members of an account: invitations, roles, removal, and what ends with them. */

const MEMBER = "id email role isCurrent createdAt lastActivityAt";
const INVITATION = "id email role invitedBy createdAt expiresAt";
const ACCOUNT = `{ account { members { ${MEMBER} } invitations { ${INVITATION} } } }`;
const INVITE = `mutation ($input: InviteMemberInput!) {
  inviteMember(input: $input) { invitation { ${INVITATION} } link mail } }`;
const ACCEPT = `mutation ($input: AcceptInvitationInput!) {
  acceptInvitation(input: $input) { token expiresAt account { name } member { ${MEMBER} } } }`;
const REVOKE = `mutation ($input: RevokeInvitationInput!) {
  revokeInvitation(input: $input) { revokedInvitationId } }`;
const UPDATE = `mutation ($input: UpdateMemberInput!) {
  updateMember(input: $input) { member { ${MEMBER} } } }`;
const REMOVE = `mutation ($input: RemoveMemberInput!) {
  removeMember(input: $input) { removedMemberId } }`;
const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
const CURRENT = `{ currentMember { ${MEMBER} } }`;
const PASSWORD = "correct horse";
const DEAD = { code: "INVALID", fields: { secret: ["is unknown, used or expired"] } };
const NO_SESSION = "Required session does not exist";

const clock = new MovingClock();
let smtp: TestSmtp;
let node: TestNode;
let owner: string;
let addresses = 0;

beforeAll(async () => {
  smtp = await startSmtp();
  node = await startNode(
    {
      SMTP_URL: smtp.url,
      MAIL_FROM: "Example <no-reply@example.com>",
    },
    { clock },
  );
});
afterAll(async () => {
  await node?.stop();
  await smtp?.close();
});
beforeEach(async () => {
  await node.sql("DELETE FROM account_members WHERE email <> 'owner@localhost'");
  await node.sql("DELETE FROM account_invitations");
  owner = await tokenNow(ownerToken(node));
});

const newEmail = () => `member-${++addresses}@example.com`;
const run = (query: string, input: object, token?: string, at = node) =>
  graphql(at, query, { input }, token);
const failure = ({ errors }: Awaited<ReturnType<typeof run>>) => errors?.[0].extensions;

/** A token that expires by this file's clock. */
async function tokenNow(made: Promise<string>): Promise<string> {
  const token = await made;
  const until = new Date(clock.now() + HOUR);
  await node.sql("UPDATE account_sessions SET expires_at = $1 WHERE expires_at < $1", [until]);
  return token;
}

/** Invites an address. @returns the secret of the mail, which is that of the answer */
async function invited(email: string, role = "SUPPORT", mails = 1, by = owner): Promise<string> {
  const answer = await run(INVITE, { email, role }, by);
  expect(answer.errors).toBeUndefined();
  const received = await smtp.mailsTo(email.toLowerCase(), mails);
  const text = received.at(-1)?.parsed.text ?? "";
  const secret = /\/dashboard\/#\/invitation\/([\w-]{43})\s/.exec(text)?.[1];
  expect(text).toContain(`
${node.baseUrl}/dashboard/#/invitation/${secret}
`);
  if (secret === undefined) throw new Error(`no link in ${text}`);
  expect(answer.data.inviteMember).toMatchObject({
    link: `${node.baseUrl}/dashboard/#/invitation/${secret}`,
    mail: "QUEUED",
  });
  return secret;
}
const accept = (secret: string, password = PASSWORD) => run(ACCEPT, { secret, password });

/**
 * Runs the job of an invitation again.
 * @param name of its queue
 * @param data its data, as an expression of the former one's
 */
const repeatJob = (invitationId: string, name: string, data: string) =>
  node.sql(
    `INSERT INTO pgboss.job (name, data) SELECT $2, ${data} FROM pgboss.job
      WHERE name = 'account-invitation-link' AND data->>'invitationId' = $1`,
    [invitationId, name],
  );

/** A member who accepted an invitation. */
async function joined(role: string): Promise<{ id: string; email: string; token: string }> {
  const email = newEmail();
  const { data } = await accept(await invited(email, role));
  const { member, token } = data.acceptInvitation;
  return { id: member.id, email, token };
}
const members = async () => (await graphql(node, ACCOUNT, {}, owner)).data.account.members;

describe("an invitation", () => {
  test("is listed without its secret, and mailed as a link with a fragment and as text", async () => {
    const email = newEmail();
    const secret = await invited(email.toUpperCase(), "DEVELOPER");
    const [mail] = await smtp.mailsTo(email);
    expect(mail?.parsed.subject).toBe("Invitation to First account");
    expect(mail?.parsed.text?.split(secret)).toHaveLength(3);
    const listed = await graphql(node, ACCOUNT, {}, await tokenNow(memberToken(node, "support")));
    expect(listed.data.account.invitations).toEqual([
      {
        id: expect.any(String),
        email,
        role: "DEVELOPER",
        invitedBy: "owner@localhost",
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    expect(JSON.stringify(listed)).not.toContain(secret);
    const stored = await node.sql("SELECT * FROM account_invitations");
    const queued = await node.sql(
      "SELECT data::text FROM pgboss.job WHERE name = 'account-invitation-link'",
    );
    expect(queued).not.toEqual([]);
    expect(JSON.stringify([stored, queued])).not.toContain(secret);
  });

  test("has the same link when its mail is sent again after a failure", async () => {
    const email = newEmail();
    const { data } = await run(INVITE, { email, role: "SUPPORT" }, owner);
    await smtp.mailsTo(email);
    await repeatJob(data.inviteMember.invitation.id, "account-invitation-link", "data");
    const [first, second] = await smtp.mailsTo(email, 2);
    for (const mail of [first, second]) {
      expect(mail?.parsed.text).toContain(`\n${data.inviteMember.link}\n`);
    }
  });

  test("is mailed by no node of an earlier version, which would replace the link that was shown", async () => {
    const { data } = await run(INVITE, { email: newEmail(), role: "SUPPORT" }, owner);
    const { id } = data.inviteMember.invitation;
    // Earlier versions take the jobs of the queue account-invitation.
    const jobs = await node.sql(
      "SELECT name FROM pgboss.job WHERE name LIKE 'account-invitation%' AND data->>'invitationId' = $1",
      [id],
    );
    expect(jobs).toEqual([{ name: "account-invitation-link" }]);
  });

  test("of an earlier version, whose job has no secret, is mailed with one", async () => {
    const email = newEmail();
    const { data } = await run(INVITE, { email, role: "SUPPORT" }, owner);
    const [mail] = await smtp.mailsTo(email);
    expect(mail?.parsed.text).toContain(data.inviteMember.link);
    const { id } = data.inviteMember.invitation;
    await repeatJob(id, "account-invitation", "data - 'sealedSecret'");
    const [, again] = await smtp.mailsTo(email, 2);
    const secret = /invitation\/([\w-]{43})\s/.exec(again?.parsed.text ?? "")?.[1] ?? "";
    expect(data.inviteMember.link).not.toContain(secret);
    expect((await accept(secret)).errors).toBeUndefined();
  });

  test("makes its receiver a member with a password, who is signed in", async () => {
    const email = newEmail();
    const { data } = await accept(await invited(email, "DEVELOPER"));
    const { token, expiresAt, account, member } = data.acceptInvitation;
    expect(account).toEqual({ name: "First account" });
    expect(Date.parse(expiresAt)).toBeGreaterThan(clock.now() + 11 * HOUR);
    expect(member).toMatchObject({ email, role: "DEVELOPER", isCurrent: true });
    const current = await graphql(node, CURRENT, {}, token);
    expect(current.data.currentMember).toEqual(member);
    expect(
      await node.sql(
        `SELECT email, role::text, action, outcome::text FROM audit_entries
          WHERE member_id = $1 ORDER BY id`,
        [Number(member.id)],
      ),
    ).toEqual([{ email, role: "developer", action: "acceptInvitation", outcome: "succeeded" }]);
    expect((await run(SIGN_IN, { email, password: PASSWORD })).errors).toBeUndefined();
    const { members: all, invitations } = (await graphql(node, ACCOUNT, {}, owner)).data.account;
    expect(invitations).toEqual([]);
    expect(
      all.map((each: { email: string; role: string; isCurrent: boolean }) => [
        each.email,
        each.role,
        each.isCurrent,
      ]),
    ).toEqual([
      ["owner@localhost", "OWNER", true],
      [email, "DEVELOPER", false],
    ]);
  });

  test("that is unknown, used, revoked, replaced or expired is refused with the same error", async () => {
    expect(failure(await accept("x".repeat(43)))).toEqual(DEAD);
    const used = await invited(newEmail());
    expect((await accept(used)).errors).toBeUndefined();
    expect(failure(await accept(used))).toEqual(DEAD);

    const revoked = await invited(newEmail());
    const [{ id }] = (await graphql(node, ACCOUNT, {}, owner)).data.account.invitations;
    const { data } = await run(REVOKE, { id }, owner);
    expect(data.revokeInvitation).toEqual({ revokedInvitationId: id });
    expect(failure(await accept(revoked))).toEqual(DEAD);
    expect(failure(await run(REVOKE, { id }, owner))?.code).toBe("NOT_FOUND");

    const email = newEmail();
    const first = await invited(email, "OWNER");
    const second = await invited(email, "SUPPORT", 2);
    expect(failure(await accept(first))).toEqual(DEAD);
    expect((await accept(second)).data.acceptInvitation.member.role).toBe("SUPPORT");

    const expired = await invited(newEmail());
    clock.advance(24 * HOUR);
    expect(failure(await accept(expired))).toEqual(DEAD);
  });

  test("stays open after a password that breaks the rules", async () => {
    const secret = await invited(newEmail());
    expect(failure(await accept(secret, "short"))?.fields).toHaveProperty("password");
    expect((await accept(secret)).errors).toBeUndefined();
  });

  test("makes nobody a member without an audit entry, and stays open", async () => {
    const secret = await invited(newEmail());
    await node.sql(
      "ALTER TABLE audit_entries ADD CONSTRAINT test_stop CHECK (action <> 'acceptInvitation') NOT VALID",
    );
    const answer = await accept(secret);
    await node.sql("ALTER TABLE audit_entries DROP CONSTRAINT test_stop");
    expect(failure(answer)?.code).toBe("UNAVAILABLE");
    expect(await members()).toHaveLength(1);
    expect((await accept(secret)).errors).toBeUndefined();
  });

  test("admits one of ten concurrent uses", async () => {
    const secret = await invited(newEmail());
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(secret)));
    const failures = answers.map(failure).filter((each) => each !== undefined);
    expect(failures).toEqual(Array(9).fill(DEAD));
    expect(await members()).toHaveLength(2);
  });

  test("that is revoked while it is accepted makes nobody a member", async () => {
    const secret = await invited(newEmail());
    const [{ id }] = (await graphql(node, ACCOUNT, {}, owner)).data.account.invitations;
    const { hash } = PasswordHasher.prototype;
    const held = jest.spyOn(PasswordHasher.prototype, "hash");
    held.mockImplementationOnce(async function (this: PasswordHasher, ...args) {
      const hashed = await hash.apply(this, args);
      expect((await run(REVOKE, { id }, owner)).errors).toBeUndefined();
      return hashed;
    });
    const answer = await accept(secret);
    held.mockRestore();
    expect(failure(answer)).toEqual(DEAD);
    expect(await members()).toHaveLength(1);
  });

  test("of a member is refused; of another account's member it is mailed, and refused when it is accepted", async () => {
    const input = { email: "OWNER@localhost", role: "SUPPORT" };
    expect(failure(await run(INVITE, input, owner))?.fields).toEqual({
      email: ["belongs to a member of the account"],
    });
    const other = await secondApplication(node);
    const email = newEmail();
    await node.sql(
      `INSERT INTO account_members (account_id, email, password_hash, role)
        SELECT account_id, $2, 'no hash', 'owner' FROM applications WHERE id = $1`,
      [other.application.id, email],
    );
    const secret = await invited(email);
    expect(failure(await accept(secret))).toEqual({
      code: "INVALID",
      fields: { base: ["The e-mail address belongs to a member of another account"] },
    });
    expect(await members()).toHaveLength(1);
  });

  test("by an owner is deleted when that owner is removed or gets a lesser role", async () => {
    const email = newEmail();
    const open = await invited(email);
    for (const [change, more] of [
      [REMOVE, {}],
      [UPDATE, { role: "DEVELOPER" }],
    ] as const) {
      const inviter = await joined("OWNER");
      const secret = await invited(newEmail(), "OWNER", 1, inviter.token);
      expect((await run(change, { id: inviter.id, ...more }, owner)).errors).toBeUndefined();
      expect(failure(await accept(secret))).toEqual(DEAD);
    }
    const { invitations } = (await graphql(node, ACCOUNT, {}, owner)).data.account;
    expect(invitations).toMatchObject([{ email, invitedBy: "owner@localhost" }]);
    expect((await accept(open)).errors).toBeUndefined();
  });

  test("is neither made nor revoked by an owner who is demoted while the request runs", async () => {
    const email = newEmail();
    await invited(email);
    const [{ id }] = (await graphql(node, ACCOUNT, {}, owner)).data.account.invitations;
    const { token } = await joined("OWNER");
    // The entry is written after the role was checked, and before the change begins.
    await node.sql(`CREATE FUNCTION test_demote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE account_members SET role = 'developer' WHERE id = NEW.member_id; RETURN NEW; END $$`);
    await node.sql(`CREATE TRIGGER test_demote BEFORE INSERT ON audit_entries
      FOR EACH ROW EXECUTE FUNCTION test_demote()`);
    const answers = [];
    for (const [document, input] of [
      [INVITE, { email: newEmail(), role: "OWNER" }],
      [REVOKE, { id }],
    ] as const) {
      await node.sql("UPDATE account_members SET role = 'owner'");
      answers.push(failure(await run(document, input, token))?.code);
    }
    await node.sql("DROP TRIGGER test_demote ON audit_entries");
    await node.sql("DROP FUNCTION test_demote");
    expect(answers).toEqual(["FORBIDDEN", "FORBIDDEN"]);
    expect(await node.sql("SELECT email FROM account_invitations")).toEqual([{ email }]);
  });

  test("needs a free place: an account has at most 20 open invitations and 100 members", async () => {
    const add = (from: number, to: number) =>
      node.sql(
        `INSERT INTO account_invitations (account_id, email, role, expires_at)
          SELECT account_id, 'open-' || n || '@example.com', 'support', $3
          FROM account_members, generate_series($1::int, $2::int) n`,
        [from, to, new Date(clock.now() + HOUR)],
      );
    await add(1, 19);
    const secret = await invited(newEmail());
    const input = { email: newEmail(), role: "SUPPORT" };
    const TOO_MANY = { base: ["An account has at most 20 open invitations"] };
    expect(failure(await run(INVITE, input, owner))?.fields).toEqual(TOO_MANY);
    // One that is replaced leaves its place.
    const again = { email: "open-1@example.com", role: "SUPPORT" };
    expect((await run(INVITE, again, owner)).errors).toBeUndefined();
    await node.sql("UPDATE account_invitations SET expires_at = $1 WHERE email LIKE 'open-%'", [
      new Date(clock.now()),
    ]);
    expect((await run(INVITE, input, owner)).errors).toBeUndefined();

    await node.sql(
      `INSERT INTO account_members (account_id, email, password_hash, role)
        SELECT account_id, 'full-' || n || '@example.com', 'no hash', 'support'
        FROM account_members, generate_series(1, 99) n`,
    );
    const FULL = { base: ["An account has at most 100 members"] };
    expect(failure(await accept(secret))?.fields).toEqual(FULL);
    expect(failure(await run(INVITE, input, owner))?.fields).toEqual(FULL);
    await node.sql("DELETE FROM account_members WHERE email = 'full-1@example.com'");
    expect((await accept(secret)).errors).toBeUndefined();
  });

  test.each([
    "",
    "nobody",
    `${"x".repeat(250)}@example.com`,
    "a@b\nBcc: c@d.example",
  ])("refuses the address %j", async (email) => {
    const answer = await run(INVITE, { email, role: "SUPPORT" }, owner);
    expect(failure(answer)).toMatchObject({ code: "INVALID" });
    expect(await node.sql("SELECT * FROM account_invitations")).toEqual([]);
  });
});

describe("an account keeps an owner", () => {
  const LAST = { base: ["An account keeps at least one owner"] };

  test("when the last one leaves or takes a lesser role", async () => {
    const [{ id }] = await members();
    expect(failure(await run(REMOVE, { id }, owner))?.fields).toEqual(LAST);
    expect(failure(await run(UPDATE, { id, role: "DEVELOPER" }, owner))?.fields).toEqual(LAST);
    expect((await run(UPDATE, { id, role: "OWNER" }, owner)).errors).toBeUndefined();
  });

  test("when its owners remove or demote each other at the same time", async () => {
    for (const change of [REMOVE, UPDATE]) {
      const others = await Promise.all(Array.from({ length: 4 }, () => joined("OWNER")));
      const [{ id: first }] = await members();
      const all = [{ id: first, token: owner }, ...others];
      const answers = await Promise.all(
        all.map(({ token }, index) => {
          const { id } = all[(index + 1) % all.length] ?? { id: "" };
          return run(change, change === REMOVE ? { id } : { id, role: "SUPPORT" }, token);
        }),
      );
      expect(answers.filter(({ errors }) => errors === undefined).length).toBeGreaterThan(0);
      const left = await node.sql("SELECT id FROM account_members WHERE role = 'owner'");
      expect(left.length).toBeGreaterThan(0);
      await node.sql("DELETE FROM account_members WHERE email <> 'owner@localhost'");
      await node.sql(
        `INSERT INTO account_members (account_id, email, password_hash, role)
          SELECT min(account_id), 'owner@localhost', 'no hash', 'owner' FROM applications
          ON CONFLICT (email) DO UPDATE SET role = 'owner'`,
      );
      owner = await tokenNow(ownerToken(node));
    }
  });
});

describe("the sockets of a member", () => {
  const CLOSED = { code: 4401, reason: NO_SESSION };

  test("close when the member is removed, whose sessions end", async () => {
    const { id, token } = await joined("DEVELOPER");
    const socket = await openSocket(node, token);
    expect((await run(REMOVE, { id }, owner)).data.removeMember).toEqual({ removedMemberId: id });
    expect(await socket.closed).toEqual(CLOSED);
    expect(failure(await graphql(node, CURRENT, {}, token))?.code).toBe("UNAUTHENTICATED");
  });

  test("close with a lesser role, and stay open with a greater one; requests have the new role at once", async () => {
    const { id, token } = await joined("DEVELOPER");
    const create = `mutation { createApplication(input: { name: "x" }) { application { id } } }`;
    expect((await graphql(node, create, {}, token)).errors).toBeUndefined();
    const socket = await openSocket(node, token);
    expect(
      (await run(UPDATE, { id, role: "OWNER" }, owner)).data.updateMember.member,
    ).toMatchObject({ id, role: "OWNER" });
    expect((await socket.run(CURRENT)).data.currentMember.role).toBe("OWNER");
    expect((await run(UPDATE, { id, role: "SUPPORT" }, owner)).errors).toBeUndefined();
    expect(await socket.closed).toEqual(CLOSED);
    expect(failure(await graphql(node, create, {}, token))?.code).toBe("FORBIDDEN");
    const again = await openSocket(node, token);
    expect((await again.run(CURRENT)).data.currentMember.role).toBe("SUPPORT");
    await again.close();
  });

  test("close after the answer when the member signs out on them, here or everywhere", async () => {
    for (const [field, closesOther] of [
      ["signOutMember", false],
      ["signOutMemberEverywhere", true],
    ] as const) {
      const { email, token } = await joined("SUPPORT");
      const answer = await run(SIGN_IN, { email, password: PASSWORD });
      const other = await openSocket(node, answer.data.signInMember.token);
      const socket = await openSocket(node, token);
      const { data } = await socket.run(`mutation { ${field} { signedOut } }`);
      expect(data).toEqual({ [field]: { signedOut: true } });
      expect(await socket.closed).toEqual(CLOSED);
      if (closesOther) expect(await other.closed).toEqual(CLOSED);
      else expect((await other.run(CURRENT)).data.currentMember.email).toBe(email);
      await other.close();
    }
  });

  test("of other sessions close with a new password", async () => {
    const { email, token } = await joined("SUPPORT");
    const answer = await run(SIGN_IN, { email, password: PASSWORD });
    const other = await openSocket(node, answer.data.signInMember.token);
    const own = await openSocket(node, token);
    const query = `mutation ($input: UpdateCurrentMemberInput!) {
      updateCurrentMember(input: $input) { member { email } } }`;
    const input = { password: "another horse", oldPassword: PASSWORD };
    expect((await run(query, input, token)).errors).toBeUndefined();
    expect(await other.closed).toEqual(CLOSED);
    expect((await own.run(CURRENT)).data.currentMember.email).toBe(email);
    await own.close();
  });
});

test("the old address of a member is notified of a new one", async () => {
  const { email, token } = await joined("SUPPORT");
  const query = `mutation ($input: UpdateCurrentMemberInput!) {
    updateCurrentMember(input: $input) { member { email } } }`;
  const next = newEmail();
  const same = { email: email.toUpperCase(), oldPassword: PASSWORD };
  expect((await run(query, same, token)).errors).toBeUndefined();
  expect((await run(query, { ...same, email: next }, token)).errors).toBeUndefined();
  const [, notice, ...more] = await smtp.mailsTo(email, 2);
  expect(notice?.parsed.subject).toBe("Your e-mail address for First account was changed");
  expect(notice?.parsed.text).not.toContain(next);
  expect(more).toEqual([]);
});

test("a new address is not changed without the job of its notice, which a crash could lose otherwise", async () => {
  const { email, token } = await joined("SUPPORT");
  const query = `mutation ($input: UpdateCurrentMemberInput!) {
    updateCurrentMember(input: $input) { member { email } } }`;
  await node.sql(`CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.name = 'account-email-change' THEN RAISE EXCEPTION 'no job'; END IF; RETURN NEW; END $$`);
  await node.sql(`CREATE TRIGGER test_refuse BEFORE INSERT ON pgboss.job
    FOR EACH ROW EXECUTE FUNCTION test_refuse()`);
  const answer = await run(query, { email: newEmail(), oldPassword: PASSWORD }, token);
  await node.sql("DROP TRIGGER test_refuse ON pgboss.job");
  await node.sql("DROP FUNCTION test_refuse");
  expect(failure(answer)?.code).toBe("INTERNAL");
  expect(await members()).toContainEqual(expect.objectContaining({ email }));
});

describe("the mutations of a document after one by which its member", () => {
  test.each([
    ["signs out", () => "signOutMember { signedOut }", "UNAUTHENTICATED"],
    [
      "is removed",
      (id: string) => `removeMember(input: { id: ${id} }) { removedMemberId }`,
      "UNAUTHENTICATED",
    ],
    [
      "gets a lesser role",
      (id: string) => `updateMember(input: { id: ${id}, role: SUPPORT }) { member { role } }`,
      "FORBIDDEN",
    ],
  ])("%s are refused", async (_what, field, code) => {
    const { id, token } = await joined("OWNER");
    const document = `mutation { first: ${field(id)}
      second: createApplication(input: { name: "Too late" }) { application { id authSecret } } }`;
    const { errors } = await graphql(node, document, {}, token);
    expect(errors).toMatchObject([{ path: ["second"], extensions: { code } }]);
    expect(await node.sql("SELECT 1 FROM applications WHERE name = 'Too late'")).toEqual([]);
    const entries = await node.sql<{ role: string; outcome: string; code: string | null }>(
      `SELECT role::text, outcome::text, error_code AS code FROM audit_entries
        WHERE member_id = $1 AND action <> 'acceptInvitation' ORDER BY id`,
      [Number(id)],
    );
    // Without a valid token nobody acts, so that nothing is recorded.
    const refused = code === "FORBIDDEN" ? [{ role: "support", outcome: "failed", code }] : [];
    expect(entries).toEqual([{ role: "owner", outcome: "succeeded", code: null }, ...refused]);
  });
});

test("activity is stored for each member", async () => {
  const { token, id } = await joined("SUPPORT");
  const before = (await members()).find((each: { id: string }) => each.id === id);
  clock.advance(HOUR);
  await graphql(node, CURRENT, {}, token);
  const after = (await members()).find((each: { id: string }) => each.id === id);
  expect(
    Date.parse(after.lastActivityAt) - Date.parse(before.lastActivityAt),
  ).toBeGreaterThanOrEqual(HOUR);
});

describeServices("a server without mail", () => {
  test("invites by a link alone, which the answer has", async () => {
    const silent = await startNode({ SMTP_URL: "" });
    try {
      const input = { email: newEmail(), role: "SUPPORT" };
      const answer = await run(INVITE, input, await ownerToken(silent), silent);
      const { link, mail } = answer.data.inviteMember;
      expect([mail, link]).toEqual([
        "NOT_SENT",
        expect.stringMatching(/#\/invitation\/[\w-]{43}$/),
      ]);
    } finally {
      await silent.stop();
    }
  });
});
