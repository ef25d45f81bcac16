import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import pino from "pino";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { resetLinkUrl } from "../../../src/domain/password-reset/reset-mail";
import { openMail } from "../../../src/platform/mail/open";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { startSmtp, type TestSmtp, tokenIn, writtenMails } from "../../../tools/smtp";
import { signInRaw } from "../../support/chat/chat";
import { eventually, HOUR, MINUTE, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { applicationToken, newUser, rest, signedParameters } from "../../support/rest-client";
import { ownerToken } from "../../support/sessions/owner";
import { secondApplication } from "../../support/sessions/second-application";

/** Password reset: the recipient and content of the mail, and its one-time link. */

const NEW = "battery staple";
const NO_SESSION = "Required session does not exist";
const INVALID_LINK = { errors: { token: ["is unknown, used or expired"] } };

const clock = new MovingClock();
let smtp: TestSmtp;
let node: TestNode;
let app: string;
let emails = 0;

beforeAll(async () => {
  smtp = await startSmtp();
  node = await startNode(
    { SMTP_URL: smtp.url, MAIL_FROM: "Example <no-reply@example.com>" },
    { clock },
  );
});
afterAll(async () => {
  await node?.stop();
  await smtp?.close();
});
beforeEach(async () => {
  app = await applicationToken(node, clock.now());
});

const newEmail = () => `user${++emails}@example.com`;
const requestLink = (email: string, target = node, token = app) =>
  rest(target, "GET", `/users/password/reset?email=${encodeURIComponent(email)}`, { token });

/** Sets a password with a link through GraphQL. Returns errors in the form of the REST body. */
async function reset(token: string, password = NEW, target = node) {
  const query = "mutation ($i: ResetPasswordInput!) { resetPassword(input: $i) { reset } }";
  const { data, errors } = await graphql(target, query, { i: { token, password } });
  if (!errors) return data;
  const { code, fields } = errors[0].extensions;
  return { code, errors: fields };
}

/** A user who has requested a link, and the link's token. */
async function userWithLink(target = node) {
  const email = newEmail();
  const user = await newUserAt(target, email);
  expect((await requestLink(email, target)).status).toBe(200);
  const [mail] = await smtp.mailsTo(email);
  return { user: { ...user, email }, token: tokenIn(mail!.parsed), mail: mail! };
}

/** Like newUser, but signs with the node's clock, which may be ahead of the machine's. */
async function newUserAt(target: TestNode, email: string) {
  const login = `lost-${emails}`;
  const body = { user: { login, password: "correct horse", email } };
  const created = await rest(target, "POST", "/users", { token: app, body });
  expect(created.status).toBe(201);
  const session = await signInNow(login, "correct horse", target);
  const { token } = session.body.session;
  return { id: created.body.user.id as number, login, password: "correct horse", token };
}

const signInNow = (login: string, password: string, target = node) =>
  rest(target, "POST", "/session", {
    body: { ...signedParameters(target, clock.now()), user: { login, password } },
  });

describe("the response", () => {
  it("is an empty 200, the same for known and unknown e-mails", async () => {
    const known = newEmail();
    await newUserAt(node, known);
    const response = async (email: string) => {
      const { status, text, headers } = await requestLink(email);
      const stable = [...headers].filter(([name]) => !/^(x-request-id|date|svc-token)/.test(name));
      return { status, text, headers: stable };
    };
    const first = await response(known);
    expect([first.status, first.text]).toEqual([200, ""]);
    for (const email of ["nobody@example.com", "no address", "%", "a'; --", "\u{1f511}@x"]) {
      expect(await response(email)).toEqual(first);
    }
    const query =
      "mutation ($i: RequestPasswordResetInput!) { requestPasswordReset(input: $i) { requested } }";
    for (const email of [known, "nobody@example.com"]) {
      const answer = await graphql(node, query, { i: { email } }, app);
      expect(answer).toEqual({ status: 200, data: { requestPasswordReset: { requested: true } } });
    }
  });

  it("rejects missing and overlong e-mails without a look-up", async () => {
    const answers = [
      await rest(node, "GET", "/users/password/reset", { token: app }),
      await requestLink(""),
      await requestLink(`${"x".repeat(250)}@example.com`),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [422, { errors: { email: ["is required"] } }],
      [422, { errors: { email: ["is required"] } }],
      [422, { errors: { email: ["is too long (maximum is 255 characters)"] } }],
    ]);
  });

  it("does not wait for the mail and does not depend on the SMTP server", async () => {
    const own = await startNode({ SMTP_URL: "smtp://127.0.0.1:9" }, { clock });
    try {
      const token = await applicationToken(own, clock.now());
      const answer = await requestLink("user@example.com", own, token);
      expect([answer.status, answer.text]).toEqual([200, ""]);
    } finally {
      await own.stop();
    }
  });
});

describe("the mail", () => {
  it("goes only to the stored address, with the link in its text and its HTML", async () => {
    const { mail, token, user } = await userWithLink();
    const { parsed, recipients, sender } = mail;
    expect([recipients, sender]).toEqual([[user.email], "no-reply@example.com"]);
    expect(parsed.from).toEqual({ address: "no-reply@example.com", name: "Example" });
    expect(parsed.to).toEqual([{ address: user.email, name: "" }]);
    expect(parsed.subject).toMatch(/^Your new password for \S/);
    const link = `${node.baseUrl}/password/reset?token=${token}`;
    expect(parsed.text).toContain(`\n${link}\n`);
    expect(parsed.html).toContain(`href="${link}"`);
    expect(mail.raw).not.toMatch(/<(script|img|link)/i);
  });

  it("finds the user case-insensitively and only in the same application", async () => {
    const email = newEmail();
    await newUserAt(node, email);
    const elsewhere = await secondApplication(node);
    await requestLink(email, elsewhere, await applicationToken(elsewhere, clock.now()));
    await requestLink(email.toUpperCase());
    // Mails are sent in order, so a mail of an earlier request has arrived by now.
    const { mail } = await userWithLink();
    expect(mail).toBeDefined();
    expect(await smtp.mailsTo(email)).toHaveLength(1);
  });

  it("is not sent to guests and unknown e-mails", async () => {
    const guest = newEmail();
    await node.sql(
      `INSERT INTO users (application_id, login, login_key, email, email_key, is_guest, updated_at)
        VALUES ($1, 'a-guest', 'a-guest', $2, $2, true, now())`,
      [node.application.id, guest],
    );
    const before = smtp.mails.length;
    for (const email of [guest, "unknown@example.com", "a\r\nBcc: x@example.com", "%", "_"]) {
      await requestLink(email);
    }
    await userWithLink();
    expect(smtp.mails.slice(before)).toHaveLength(1);
  });

  it("comes from a job that holds the user's id and no address, and is not sent to an erased user", async () => {
    const {
      user: { id, email },
    } = await userWithLink();
    await requestLink("nobody-has-this@example.com");
    const jobs = await node.sql<{ data: { userId: number | null } }>(
      "SELECT data FROM pgboss.job WHERE name = 'password-reset'",
    );
    const users = jobs.map(({ data }) => data.userId);
    expect(users).toEqual(expect.arrayContaining([id, null]));
    expect(JSON.stringify(jobs)).not.toContain("@");
    const erase = "mutation ($i: DeleteUserInput!) { deleteUser(input: $i) { deletedUserId } }";
    const erased = await graphql(node, erase, { i: { id: String(id) } }, await ownerToken(node));
    expect(erased.errors).toBeUndefined();
    // As one that has waited for the mail server.
    await node.sql("INSERT INTO pgboss.job (name, data) VALUES ('password-reset', $1::jsonb)", [
      JSON.stringify({ applicationId: node.application.id, userId: id }),
    ]);
    await userWithLink();
    expect(await smtp.mailsTo(email)).toHaveLength(1);
  });

  it("is retried after a temporary SMTP failure and given up after a permanent one", async () => {
    const email = newEmail();
    await newUserAt(node, email);
    smtp.refuse(550, 1);
    await requestLink(email);
    // The 550 applied to the previous mail only, so this one arrives.
    await userWithLink();
    expect(smtp.mails.filter(({ recipients }) => recipients.includes(email))).toEqual([]);
    smtp.refuse(451, 1);
    await requestLink(email);
    const [mail] = await smtp.mailsTo(email);
    expect(await reset(tokenIn(mail!.parsed))).toEqual({ resetPassword: { reset: true } });
  });

  it("does not take headers or markup from an application's name", async () => {
    const name = 'Evil\r\nBcc: all@example.com\r\n\r\n<img src=x onerror=alert(1)>"\u202e../../x';
    const rename = (text: string) =>
      node.sql("UPDATE applications SET name = $1 WHERE id = $2", [text, node.application.id]);
    const [old] = await node.sql<{ name: string }>("SELECT name FROM applications WHERE id = $1", [
      node.application.id,
    ]);
    await rename(name);
    try {
      const { mail, user } = await userWithLink();
      expect(mail.recipients).toEqual([user.email]);
      expect(mail.parsed.bcc).toBeUndefined();
      expect(mail.parsed.headers.map(({ key }) => key).sort()).toEqual(
        ["content-type", "date", "from", "message-id", "mime-version", "subject", "to"].sort(),
      );
      expect(mail.parsed.subject).toBe(
        'Your new password for Evil Bcc: all@example.com <img src=x onerror=alert(1)>" ../../x',
      );
      expect(mail.parsed.html).toContain("&lt;img src=x onerror=alert(1)&gt;&quot; ../../x");
      expect(mail.parsed.html).not.toContain("<img");
    } finally {
      await rename(old!.name);
    }
  });

  it("has one recipient even for a malformed e-mail", async () => {
    const before = smtp.mails.length;
    for (const email of ["victim,other@example.com", "a<b@example.com", "../../x@example.com"]) {
      // Sign-up rejects such addresses now, but older rows may contain them.
      const { id } = await newUserAt(node, newEmail());
      await node.sql("UPDATE users SET email = $2, email_key = $2 WHERE id = $1", [id, email]);
      await requestLink(email);
    }
    await userWithLink();
    const recipientLists = smtp.mails.slice(before, -1).map(({ recipients }) => recipients);
    // One quoted local part (RFC 5321 section 4.1.2); the server rejects the others as invalid addresses.
    expect(recipientLists).toEqual([['"victim,other"@example.com']]);
  });
});

describe("the link", () => {
  it("sets the password once", async () => {
    const { user, token } = await userWithLink();
    expect(await reset(token)).toEqual({ resetPassword: { reset: true } });
    expect((await signInNow(user.login, NEW)).status).toBe(201);
    expect((await signInNow(user.login, user.password)).status).toBe(401);
    expect(await reset(token, "another staple")).toEqual({ code: "INVALID", ...INVALID_LINK });
    expect((await signInNow(user.login, NEW)).status).toBe(201);
  });

  it("is not consumed by an invalid password", async () => {
    const { token } = await userWithLink();
    expect(await reset(token, "short")).toEqual({
      code: "INVALID",
      errors: { password: ["is too short (minimum is 8 characters)"] },
    });
    expect(await reset(token)).toEqual({ resetPassword: { reset: true } });
  });

  it("works for one hour", async () => {
    const expired = await userWithLink();
    clock.advance(HOUR - MINUTE);
    const inTime = await userWithLink();
    expect(await reset(inTime.token)).toEqual({ resetPassword: { reset: true } });
    clock.advance(MINUTE + 1);
    expect(await reset(expired.token)).toEqual({ code: "INVALID", ...INVALID_LINK });
  });

  it("is stored as a hash, and a user has at most three live ones", async () => {
    const { user, token } = await userWithLink();
    for (let count = 2; count <= 4; count += 1) {
      await requestLink(user.email);
      await smtp.mailsTo(user.email, count);
    }
    const rows = await node.sql<{ hash: Uint8Array }>(
      "SELECT token_hash AS hash FROM password_resets WHERE user_id = $1",
      [user.id],
    );
    const tokens = (await smtp.mailsTo(user.email)).map(({ parsed }) => tokenIn(parsed));
    expect([rows.length, new Set(tokens).size]).toEqual([3, 4]);
    for (const { hash } of rows) expect(hash).toHaveLength(32);
    expect(await reset(token)).toEqual({ code: "INVALID", ...INVALID_LINK });
    expect(await reset(tokens[2]!)).toEqual({ resetPassword: { reset: true } });
    expect(await reset(tokens[3]!)).toEqual({ code: "INVALID", ...INVALID_LINK });
  });

  it("becomes invalid when the password or the e-mail changes", async () => {
    for (const change of [
      { password: "changed horse", old_password: "correct horse" },
      { email: newEmail() },
    ]) {
      const { user, token } = await userWithLink();
      const path = `/users/${user.id}`;
      const answer = await rest(node, "PUT", path, { token: user.token, body: { user: change } });
      expect(answer.status).toBe(200);
      expect(await reset(token)).toEqual({ code: "INVALID", ...INVALID_LINK });
    }
  });

  it("is rejected when its token is malformed or of another kind", async () => {
    const { user } = await userWithLink();
    const tokens = ["", "x", "x".repeat(43), user.token, "\u00e9", "' OR 1=1", "../../etc/passwd"];
    for (const token of tokens)
      expect(await reset(token)).toEqual({ code: "INVALID", ...INVALID_LINK });
  });

  it("works for one of fifty concurrent requests with two links of a user", async () => {
    const { user, token } = await userWithLink();
    await requestLink(user.email);
    const mails = await smtp.mailsTo(user.email, 2);
    const other = tokenIn(mails[1]!.parsed);
    const passwords = Array.from({ length: 50 }, (_, index) => `battery staple ${index}`);
    const answers = await Promise.all(
      passwords.map((password, index) => reset(index % 2 ? other : token, password)),
    );
    const won = passwords.filter((_, index) => answers[index].resetPassword?.reset);
    expect(won).toHaveLength(1);
    const lost = answers.filter((answer) => !answer.resetPassword);
    expect(lost).toEqual(lost.map(() => ({ code: "INVALID", ...INVALID_LINK })));
    expect((await signInNow(user.login, won[0]!)).status).toBe(201);
  });

  it("ends all sessions and connections of the user and of no other user", async () => {
    const { user, token } = await userWithLink();
    const bystander = await userWithLink();
    const second = await signInNow(user.login, user.password);
    const name = `${user.id}-${node.application.id}`;
    const sockets = [
      await openSocket(node, user.token),
      await openSocket(node, second.body.session.token),
    ];
    const streams = [
      await signInRaw(node.chatUrl, name, "token", user.token),
      await signInRaw(node.chatUrl, name, "password", user.password),
    ];
    const other = await openSocket(node, bystander.user.token);
    expect(await reset(token)).toEqual({ resetPassword: { reset: true } });
    for (const socket of sockets) {
      expect(await socket.closed).toEqual({ code: 4401, reason: NO_SESSION });
    }
    for (const stream of streams) {
      expect((await stream.rest()).frames.join("")).toContain("The session has ended");
    }
    for (const own of [user.token, second.body.session.token]) {
      const answer = await rest(node, "GET", "/session", { token: own });
      expect([answer.status, answer.body]).toEqual([401, { errors: { base: [NO_SESSION] } }]);
    }
    expect((await rest(node, "GET", "/session", { token: bystander.user.token })).status).toBe(200);
    await other.listen("still here", bystander.user.id);
    await other.close();
  });
});

it("the link starts with the deployment's public URL, including its path", () => {
  for (const base of ["https://example.com/box", "https://example.com/box/"]) {
    expect(resetLinkUrl(base, "t_-")).toBe("https://example.com/box/password/reset?token=t_-");
  }
});

describe("without an SMTP server", () => {
  it("the embedded mode writes the mail to a private file and logs the file's name", async () => {
    const lines: string[] = [];
    const write = (chunk: Buffer, _encoding: string, done: () => void) => {
      lines.push(String(chunk));
      done();
    };
    const folder = await mkdtemp(join(tmpdir(), "signalbox-mail-"));
    const own = await startNode(
      {
        DATABASE_URL: "",
        REDIS_URL: "",
        SMTP_URL: "",
        ...(hasServices ? { DATA_DIR: folder } : {}),
      },
      { log: pino({ level: "debug" }, new Writable({ write })) },
    );
    try {
      const email = "../../Folder.User@example.com";
      await newUser(own, { email });
      const token = await applicationToken(own);
      await requestLink("unknown@example.com", own, token);
      expect((await requestLink(email, own, token)).text).toBe("");
      const dataDir = own.environment.DATA_DIR ?? "";
      const [mail] = await eventually(
        () => writtenMails(dataDir),
        (mails) => mails.length > 0,
      );
      expect(mail!.mode).toBe(0o600);
      expect((await stat(join(dataDir, "mail"))).mode & 0o777).toBe(0o700);
      const quoted = '"../../Folder.User"@example.com';
      expect(mail!.parsed.to).toEqual([{ address: quoted, name: "" }]);
      const link = tokenIn(mail!.parsed);
      const output = await eventually(
        () => lines.join(""),
        (text) => text.includes(".eml"),
      );
      expect(output).toContain(mail!.file);
      expect(output).not.toContain(link);
      expect(output.toLowerCase()).not.toContain(email.toLowerCase());
      expect(await reset(link, NEW, own)).toEqual({ resetPassword: { reset: true } });
    } finally {
      await own.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("any other mode has no mailer", async () => {
    const config = readConfig({ DATABASE_URL: "postgresql://db/x", SECRET_KEY: "0".repeat(64) });
    expect(await openMail({ config, clock, log: openLog("silent") })).toBeNull();
  });

  if (hasServices) {
    it("any other mode answers every request with 503", async () => {
      const own = await startNode({ SMTP_URL: "" });
      try {
        await newUser(own, { email: "known@example.com" });
        const token = await applicationToken(own);
        for (const email of ["known@example.com", "unknown@example.com", ""]) {
          const answer = await requestLink(email, own, token);
          expect([answer.status, answer.body]).toEqual([
            503,
            { errors: { base: ["This server has no way to send mail"] } },
          ]);
        }
      } finally {
        await own.stop();
      }
    });
  }
});
