import { execFile } from "node:child_process";
import { join } from "node:path";
import { newUser } from "../support/client";
import { startNode, type TestNode } from "../support/node";
import { ownerToken } from "../support/owner";

jest.setTimeout(60_000);

const ROOT = join(__dirname, "../..");
const RUN = "require('./src/cli/commands').run(process.argv)";

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node.stop());

/** Runs the command line as a process of its own. */
function signalbox(words: string[], environment: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH,
    SIGNALBOX_URL: node.baseUrl,
    DATA_DIR: node.environment.DATA_DIR,
    ...environment,
  };
  const loader = join(ROOT, "test/support/run-typescript.js");
  const all = ["-r", loader, "-e", RUN, "signalbox", ...words];
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const child = execFile(process.execPath, all, { cwd: ROOT, env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

it("administers applications and users with the owner's file, or with a token", async () => {
  const made = await signalbox(["--json", "app", "create", "--name", "Shop"]);
  const { id } = JSON.parse(made.out);
  const list = await signalbox(["app", "list"]);
  expect(list.out).toMatch(/^id +name +authKey +signUpOpen +webOrigins\n1 +First application/);
  expect(list.out).toContain("Shop");
  const token = await ownerToken(node);
  const changes = ["--sign-up-open", "false", "--web-origins", "https://a.example"];
  const environment = { DATA_DIR: "/nonexistent", SIGNALBOX_TOKEN: token };
  const changed = await signalbox(
    ["--json", "app", "update", "--app", id, ...changes],
    environment,
  );
  expect(JSON.parse(changed.out)).toMatchObject({
    ...{ id, name: "Shop", signUpOpen: false, webOrigins: ["https://a.example"] },
  });
  const user = await newUser(node);
  const of = ["--app", String(node.application.id), "--user", String(user.id)];
  expect(JSON.parse((await signalbox(["--json", "user", "export", ...of])).out)).toMatchObject({
    user: { login: user.login },
  });
  expect((await signalbox(["user", "erase", ...of])).out).toContain(String(user.id));
});

it("says what is wrong in words, and ends with 1", async () => {
  expect(await signalbox(["app", "show", "--app", "99"])).toEqual({
    ...{ code: 1, out: "", err: "There is no such application\n" },
  });
  const nowhere = await signalbox(["--url", "http://127.0.0.1:1", "app", "list"]);
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("No server answers")]);
});
