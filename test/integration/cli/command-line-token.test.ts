import { PassThrough } from "node:stream";
import { promptHidden, readStdin } from "../../../src/core/terminal";
import { ownersEnvironment, runCommand } from "../../support/cli/command-line";
import { startNode, type TestNode } from "../../support/node";
import { newUser, rest, type TestUser } from "../../support/rest-client";

let node: TestNode;
let user: TestUser;
let app: string[];
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node, { email: "token@example.com" });
  app = ["--app", String(node.application.id)];
});
afterAll(() => node.stop());

const token = (args: string[], input?: string) =>
  runCommand(["token", ...args], ownersEnvironment(node), input);

/** Expects one line with a valid token; returns the session's user. */
async function userOfToken({ code, out, err }: { code: number; out: string; err: string }) {
  expect([code, err, out]).toEqual([0, "", expect.stringMatching(/^[\w-]{40,}\n$/)]);
  const { status, body } = await rest(node, "GET", "/session", { token: out.trim() });
  expect(status).toBe(200);
  return body.session.user_id;
}

describe("signalbox token", () => {
  it("prints an application session's token", async () => {
    expect(await userOfToken(await token(app))).toBeNull();
    const { out } = await token([...app, "--json"]);
    expect(JSON.parse(out)).toEqual({
      token: expect.stringMatching(/^[\w-]{40,}$/),
      userId: null,
      expiresAt: expect.stringMatching(/Z$/),
    });
  });

  it("prints a user session's token, with the password as option or on standard input", async () => {
    const { login, password } = user;
    expect(await userOfToken(await token([...app, "--login", login, "--password", password]))).toBe(
      user.id,
    );
    const byEmail = [...app, "--email", "token@example.com", "--password-stdin"];
    expect(await userOfToken(await token(byEmail, `${password}\n`))).toBe(user.id);
  });

  it.each([
    [/^Unauthorized: the login or the password is wrong\n$/, ["--password", "wrong horse"]],
    [/^The password is missing: pass it with --password-stdin\.\n$/, []],
    [/are mutually exclusive/, ["--password", "x", "--password-stdin"]],
    [/are mutually exclusive/, ["--email", "token@example.com", "--password", "x"]],
  ])("fails with %s for --login with %j", async (message, more) => {
    const { code, out, err } = await token([...app, "--login", user.login, ...more]);
    expect([code, out, err]).toEqual([1, "", expect.stringMatching(message)]);
  });

  it("rejects an unknown application, and a password without a user", async () => {
    expect(await token(["--app", "999"])).toEqual({
      code: 1,
      out: "",
      err: "There is no such application\n",
    });
    expect((await token([...app, "--password", "x"])).err).toMatch(/^A password requires/);
    expect((await token([])).err).toMatch(/'--app <id>' not specified/);
  });
});

describe("a secret at a terminal", () => {
  /** Types keys into a prompt; returns the text entered and the text shown. */
  async function typed(keys: string) {
    const input = new PassThrough();
    const output = new PassThrough();
    const answer = promptHidden("Password: ", input, output);
    input.write(keys);
    const text = await answer;
    return { text, shown: String(output.read()) };
  }

  it("is not echoed", async () => {
    expect(await typed("correct horsf\u007fe\r")).toEqual({
      text: "correct horse",
      shown: "Password: \n",
    });
  });

  it.each(["half\u0003", "\u0004"])("is null when the prompt is cancelled: %j", async (keys) => {
    expect(await typed(keys)).toEqual({ text: null, shown: "Password: \n" });
  });

  it("is read from a pipe without the final line end, up to a limit", async () => {
    const piped = (text: string) => readStdin(new PassThrough().end(text));
    expect(await piped("two\nlines\r\n")).toBe("two\nlines");
    expect(await piped("")).toBe("");
    await expect(piped("x".repeat(65_537))).rejects.toThrow("too long");
  });
});
