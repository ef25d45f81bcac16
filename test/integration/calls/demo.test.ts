import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDemo, type DemoRun, runDemo, runDemoCutAfter } from "../../support/cli/demo";
import { startNode, type TestNode } from "../../support/node";
import { emptyFolder, type FreshDatabase } from "../../support/operations/database";
import { newUser, rest } from "../../support/rest-client";

/** Name and path of every step, in order. */
const STEPS = [
  ["Sign POST /session", "HMAC-SHA1"],
  ["Sign up Alice and Bob", "POST /users"],
  ["Sign both in", "POST /session"],
  ["Connect Alice", "@xmpp/client"],
  ["Connect Bob", "graphql-ws"],
  ["call", "Alice → Bob    XMPP → GraphQL"],
  ["accept", "Bob → Alice    GraphQL → XMPP"],
  ["iceCandidates", "Alice → Bob    XMPP → GraphQL"],
  ["iceCandidates", "Bob → Alice    GraphQL → XMPP"],
  ["update", "Alice → Bob    XMPP → GraphQL"],
  ["hangUp", "Bob → Alice    GraphQL → XMPP"],
  ["call", "Bob → Alice    GraphQL → XMPP"],
  ["reject", "Alice → Bob    REST → GraphQL"],
  ["Delete Alice and Bob", "DELETE /users/{id}"],
];

let empty: FreshDatabase;
let node: TestNode;

beforeAll(async () => {
  buildDemo();
  empty = await emptyFolder();
  node = await startNode();
});
afterAll(async () => {
  await node?.stop();
  await empty?.remove();
});

/** Name and path of each step that passed. */
function passed({ output }: DemoRun): string[][] {
  const lines = output.matchAll(/^ {2}✓ (.+?) {2,}(.+?) +[\d.]+ m?s$/gm);
  return [...lines].map(([, name = "", path = ""]) => [name, path]);
}

/** Number of the demo's users that are left on the running server. */
async function demoUsers(): Promise<number> {
  const { token } = await newUser(node, { full_name: "Who counts" });
  const answer = await rest(node, "GET", "/users/v2?login[start_with]=demo-", { token });
  expect(answer.status).toBe(200);
  return answer.body.total_entries;
}

/** A credentials file with some values replaced. */
async function credentialsWith(change: Record<string, unknown>): Promise<string> {
  const { DATA_DIR = "" } = node.environment;
  const right = JSON.parse(await readFile(join(DATA_DIR, "credentials.json"), "utf8"));
  const path = join(empty.environment.DATA_DIR ?? "", "changed.json");
  await writeFile(path, JSON.stringify({ ...right, ...change }));
  return path;
}

it("passes every step on its own server if none is running", async () => {
  const run = await runDemo({ DATA_DIR: empty.environment.DATA_DIR ?? "" });
  expect(run.output).toContain("No server is running for ");
  expect({ steps: passed(run), code: run.code }).toEqual({ steps: STEPS, code: 0 });
  expect(run.output).toContain("All 14 steps passed in ");
  // Stacked, because the terminal's width is unknown.
  expect(run.output).toMatch(/^ {6}XMPP stanza that Alice sends\n {6}<message to="/m);
  expect(run.output).toMatch(/^ {6}GraphQL payload that Bob gets\n {6}\{/m);
});

it("uses a running server, prints no secret, and leaves no user behind", async () => {
  const { DATA_DIR = "" } = node.environment;
  const run = await runDemo({ DATA_DIR, COLUMNS: "140" });
  expect({ steps: passed(run), code: run.code }).toEqual({ steps: STEPS, code: 0 });
  expect(run.output).toContain(`Server     ${node.baseUrl}  running`);
  expect(run.output).toContain(`GraphiQL   ${node.graphqlUrl}`);
  expect(run.output).toMatch(/XMPP stanza that Alice sends +│ GraphQL payload that Bob gets/);
  expect(run.output).toMatch(/GraphQL input that Bob sends +│ XMPP stanza that Alice gets/);
  // No line is wider than the terminal.
  expect(run.output.split("\n").filter((line) => line.length > 140)).toEqual([]);

  const { authKey, authSecret, accountKey } = node.application;
  for (const secret of [authKey, authSecret, accountKey]) expect(run.output).not.toContain(secret);
  // Tokens are 43 base64url characters. ICE candidates of that length are truncated or contain spaces.
  expect(run.output).not.toMatch(/(?<![\w-])[\w-]{43}(?![\w-])/);
  expect(run.output).not.toContain("\u001b");

  expect(await demoUsers()).toBe(0);
});

it("prints the expected and the actual result of a failed step", async () => {
  const path = await credentialsWith({ auth_secret: "not the secret" });
  const run = await runDemo({ SIGNALBOX_CREDENTIALS: path });
  expect(run.code).toBe(1);
  expect(passed(run)).toEqual([]);
  expect(run.output).toContain("✗ Sign POST /session");
  expect(run.output).toMatch(/expected {2}status 201\n +actual {4}status 422 .*"signature"/);
  expect(run.output).not.toContain("not the secret");
});

it("deletes its users even if a later step fails", async () => {
  const path = await credentialsWith({ chat_url: "ws://127.0.0.1:1" });
  const run = await runDemo({ SIGNALBOX_CREDENTIALS: path });
  expect(run.code).toBe(1);
  expect(passed(run)).toEqual(STEPS.slice(0, 3));
  expect(run.output).toContain("✗ Connect Alice");
  expect(await demoUsers()).toBe(0);
});

describe("a demo that is stopped", () => {
  it("by Ctrl+C, which the terminal and npm both send, deletes its users", async () => {
    const { DATA_DIR = "" } = node.environment;
    let sent = false;
    const run = await runDemo({ DATA_DIR }, (output, child) => {
      if (sent || !output.includes("✓ Sign up Alice and Bob")) return;
      sent = true;
      child.kill("SIGINT");
      child.kill("SIGINT");
    });
    expect(run.code).toBe(130);
    expect(run.output).not.toContain("All 14 steps passed");
    expect(await demoUsers()).toBe(0);
  });

  it("because its output is cut off, deletes its users", async () => {
    const { DATA_DIR = "" } = node.environment;
    const run = await runDemoCutAfter("Sign up Alice", { DATA_DIR });
    expect(run.output).toMatch(/^ {2}✓ Sign up Alice and Bob .*\n$/);
    expect(await demoUsers()).toBe(0);
  });

  it("because its output is cut off, stops its own server and removes its data", async () => {
    const folder = await mkdtemp(join(tmpdir(), "signalbox-demo-cut-"));
    const environment = { DATA_DIR: join(folder, "none"), TMPDIR: folder };
    const run = await runDemoCutAfter("Server", environment);
    const [, url] = /Server +(http\S+) +started by the demo\n$/.exec(run.output) ?? [];
    expect(url).toMatch(/^http/);
    // The shell ends when the demo has ended.
    expect(await readdir(folder)).toEqual([]);
    await expect(fetch(`${url}/readyz`)).rejects.toThrow("fetch failed");
    await rm(folder, { recursive: true });
  });
});

it.each([
  [
    "a missing file",
    async () => join(empty.environment.DATA_DIR ?? "", "none.json"),
    /no such file/,
  ],
  [
    "a server that does not answer",
    () => credentialsWith({ base_url: "http://127.0.0.1:1" }),
    /does not answer/,
  ],
  ["an invalid file", () => credentialsWith({ auth_key: 12 }), /no auth_key in it/],
])("reports %s, and does not start its own server", async (_, makePath, message) => {
  const run = await runDemo({ SIGNALBOX_CREDENTIALS: await makePath() });
  expect(run.code).toBe(1);
  expect(run.output).toMatch(message);
  expect(run.output).not.toContain("starting one");
});
