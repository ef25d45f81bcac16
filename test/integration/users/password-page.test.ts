import { createHash } from "node:crypto";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";

/** The page that a reset link opens: plain HTML, never cached and never framed. */

const NEW = "battery staple";
const NAME = `Acme & <b>Söhne</b> "GmbH"`;
const NAME_SHOWN = "Acme &amp; &lt;b&gt;Söhne&lt;/b&gt; &quot;GmbH&quot;";

const clock = new MovingClock();
let node: TestNode;
let links = 0;
beforeAll(async () => {
  node = await startNode({}, { clock });
  await node.sql("UPDATE applications SET name = $1", [NAME]);
});
afterAll(() => node.stop());
/** Undo what a test changed. */
const restore: Array<() => void> = [];
afterEach(() => {
  for (const step of restore.splice(0)) step();
});

/** A user with a valid link; password-reset.test.ts covers the mail. */
async function userWithLink(): Promise<{ user: TestUser; email: string; token: string }> {
  const email = `o'hara+${++links}@example.com`;
  const user = await newUser(node, { email });
  const token = `${links}`.padStart(43, "t");
  await node.sql(
    "INSERT INTO password_resets (user_id, token_hash, expires_at) VALUES ($1, $2, $3)",
    [user.id, createHash("sha256").update(token).digest(), new Date(clock.now() + HOUR)],
  );
  return { user, email, token };
}

const open = (token: string, method = "GET") =>
  rest(node, method, `/password/reset?token=${encodeURIComponent(token)}`);
const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  rest(node, "POST", "/password/reset", { body: new URLSearchParams(fields), headers });
const signInStatus = async (login: string, password: string) => {
  const body = { ...signedParameters(node), user: { login, password } };
  return (await rest(node, "POST", "/session", { body })).status;
};
const heading = (html: string) => /<h1>([^<]*)<\/h1>/.exec(html)?.[1];

describe("the form", () => {
  it("shows the account and the application, escaped, and does not use up the link", async () => {
    const { token } = await userWithLink();
    for (let count = 0; count < 3; count += 1) {
      const page = await open(token);
      expect([page.status, heading(page.text)]).toEqual([200, "Choose a new password"]);
      expect(page.text).toContain(`<strong>${NAME_SHOWN}</strong>`);
      expect(page.text).toContain(`<strong>o&#39;hara+${links}@example.com</strong>`);
      expect(page.text).not.toContain("<b>");
    }
    expect((await open(token, "HEAD")).status).toBe(200);
    expect((await send({ token, password: NEW, repeat: NEW })).status).toBe(200);
  });

  it("is accessible, supports password managers, and needs no script", async () => {
    const { text } = await open((await userWithLink()).token);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).not.toMatch(/<script|javascript:|\son\w+=|https?:/i);
    for (const name of ["password", "repeat"]) {
      expect(text).toContain(`<label for="${name}">`);
      expect(text).toMatch(new RegExp(`<input id="${name}" [^>]*autocomplete="new-password"`));
    }
    expect(text).toMatch(/name="username" [^>]*autocomplete="username"/);
  });

  it("is not cached or framed, and does not leak its URL", async () => {
    const { token } = await userWithLink();
    const answers = [
      await open(token),
      await open("unknown"),
      await send({ token, password: "short", repeat: "short" }),
      await send({ token }, { "Sec-Fetch-Site": "cross-site" }),
      await rest(node, "POST", "/password/reset", { body: { token } }),
    ];
    for (const { headers, text } of answers) {
      const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? "";
      const hash = createHash("sha256").update(style).digest("base64");
      expect(headers.get("content-security-policy")).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      );
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 410, 422, 403, 415]);
  });
});

describe("a link that no longer works", () => {
  it("shows a clear page with 410, whatever the reason", async () => {
    const used = await userWithLink();
    await send({ token: used.token, password: NEW, repeat: NEW });
    const expired = await userWithLink();
    clock.advance(HOUR);
    restore.push(() => clock.advance(-HOUR));
    const tokens = [used.token, expired.token, "", "x".repeat(43), "../../etc/passwd", "\u0000"];
    const pages = [];
    for (const token of tokens) {
      pages.push(await open(token), await send({ token, password: NEW, repeat: NEW }));
    }
    pages.push(await rest(node, "GET", "/password/reset"));
    pages.push(await rest(node, "GET", "/password/reset?token=a&token=b"));
    pages.push(await send({}));
    const [first] = pages;
    expect(heading(first!.text)).toBe("This link no longer works");
    for (const { status, text } of pages) expect([status, text]).toEqual([410, first!.text]);
  });
});

describe("a submitted form", () => {
  it("sets the password", async () => {
    const { user, token } = await userWithLink();
    const page = await send({ token, password: NEW, repeat: NEW });
    expect([page.status, heading(page.text)]).toEqual([200, "Your password is set"]);
    expect(await signInStatus(user.login, NEW)).toBe(201);
    expect((await rest(node, "GET", "/session", { token: user.token })).status).toBe(401);
  });

  it("is shown again with its errors but without the passwords, and the link stays valid", async () => {
    const { user, token } = await userWithLink();
    const markup = '"><script>alert(1)</script>';
    const cases: Array<[password: string, repeat: string, problem: string]> = [
      [markup, "something else", "The two passwords are not the same."],
      ["short", "short", "The password is too short (minimum is 8 characters)."],
      ["", "", "The password is too short (minimum is 8 characters)."],
      ["x".repeat(256), "x".repeat(256), "The password is too long (maximum is 255 characters)."],
    ];
    for (const [password, repeat, problem] of cases) {
      const page = await send({ token, password, repeat });
      expect(page.status).toBe(422);
      expect(page.text).toMatch(/<title>Error: /);
      expect(page.text).toContain(`role="alert">${problem}</p>`);
      expect(page.text).toMatch(/aria-invalid="true"/);
      for (const typed of [password, repeat]) {
        if (typed) expect(page.text).not.toContain(`"${typed}"`);
      }
      expect(page.text).not.toContain("<script");
    }
    expect((await send({ token, password: NEW, repeat: NEW })).status).toBe(200);
    expect(await signInStatus(user.login, NEW)).toBe(201);
  });

  it("is rejected if it is cross-site, too long, or not a form", async () => {
    const { user, token } = await userWithLink();
    const fields = { token, password: NEW, repeat: NEW };
    const cross = await send(fields, { "Sec-Fetch-Site": "cross-site" });
    const long = await send({ ...fields, more: "x".repeat(20_000) });
    const json = await rest(node, "POST", "/password/reset", { body: fields });
    expect([cross, long, json].map(({ status }) => status)).toEqual([403, 413, 415]);
    expect(await signInStatus(user.login, NEW)).toBe(401);
    const same = await send(fields, { "Sec-Fetch-Site": "same-origin" });
    expect(same.status).toBe(200);
  });
});
