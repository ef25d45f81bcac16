import { PassThrough } from "node:stream";
import { askUnseen, readInput } from "../../src/core/terminal";
import { newUser, rest, type TestUser } from "../support/client";
import { ownersEnvironment, runCommand } from "../support/command-line";
import { startNode, type TestNode } from "../support/node";

let node: TestNode;
let user: TestUser;
let app: string[];
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node, { email: "token@example.com" });
  app = ["--app", String(node.application.id)];
});
afterAll(() => node.stop());

const token = (words: string[], input?: string) =>
  runCommand(["token", ...words], ownersEnvironment(node), input);

/** Who the one line on standard output opens a session of. */
async function opened({ code, out, err }: { code: number; out: string; err: string }) {
  expect([code, err, out]).toEqual([0, "", expect.stringMatching(/^[\w-]{40,}\n$/)]);
  const { status, body } = await rest(node, "GET", "/session", { token: out.trim() });
  expect(status).toBe(200);
  return body.session.user_id;
}

describe("signalbox token", () => {
  it("prints an application session's token", async () => {
    expect(await opened(await token(app))).toBeNull();
    const { out } = await token([...app, "--json"]);
    expect(JSON.parse(out)).toEqual({
      token: expect.stringMatching(/^[\w-]{40,}$/),
      ...{ userId: null, expiresAt: expect.stringMatching(/Z$/) },
    });
  });

  it("prints a user session's token, the password given or read from standard input", async () => {
    const { login, password } = user;
    expect(await opened(await token([...app, "--login", login, "--password", password]))).toBe(
      user.id,
    );
    const byEmail = [...app, "--email", "token@example.com", "--password-stdin"];
    expect(await opened(await token(byEmail, `${password}\n`))).toBe(user.id);
  });

  it.each([
    [/^Unauthorized: the login or the password is wrong\n$/, ["--password", "wrong horse"]],
    [/^The password is missing: give it with --password-stdin\.\n$/, []],
    [/cannot both be given/, ["--password", "x", "--password-stdin"]],
    [/cannot both be given/, ["--email", "token@example.com", "--password", "x"]],
  ])("says %s for --login with %j", async (words, more) => {
    const { code, out, err } = await token([...app, "--login", user.login, ...more]);
    expect([code, out, err]).toEqual([1, "", expect.stringMatching(words)]);
  });

  it("says what is wrong with the application, or with a password that is nobody's", async () => {
    expect(await token(["--app", "999"])).toEqual({
      ...{ code: 1, out: "", err: "There is no such application\n" },
    });
    expect((await token([...app, "--password", "x"])).err).toMatch(/^A password is somebody's/);
    expect((await token([])).err).toMatch(/'--app <id>' not specified/);
  });
});

describe("a secret at a terminal", () => {
  /** A terminal at which these keys are pressed; answers what it was told and has shown. */
  async function typed(keys: string) {
    const input = new PassThrough();
    const output = new PassThrough();
    const answer = askUnseen("Password: ", input, output);
    input.write(keys);
    const text = await answer;
    return { text, shown: String(output.read()) };
  }

  it("is not shown while it is typed", async () => {
    expect(await typed("correct horsf\u007fe\r")).toEqual({
      ...{ text: "correct horse", shown: "Password: \n" },
    });
  });

  it.each(["half\u0003", "\u0004"])("is none when it is broken off: %j", async (keys) => {
    expect(await typed(keys)).toEqual({ text: null, shown: "Password: \n" });
  });

  it("is read whole from a pipe, without the line end, and is bounded", async () => {
    const piped = (text: string) => readInput(new PassThrough().end(text));
    expect(await piped("two\nlines\r\n")).toBe("two\nlines");
    expect(await piped("")).toBe("");
    await expect(piped("x".repeat(65_537))).rejects.toThrow("too long");
  });
});
