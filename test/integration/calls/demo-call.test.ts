import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDemo } from "../../support/cli/demo";

/** `npm run demo:call`, without a browser. */

let folder: string;
let child: ChildProcess;
let output = "";
let base: string;

beforeAll(async () => {
  buildDemo();
  folder = mkdtempSync(join(tmpdir(), "signalbox-demo-call-"));
  child = spawn(process.execPath, [join(__dirname, "../../../dist/demo/call/main.js")], {
    env: { PATH: process.env.PATH, TMPDIR: folder, CALL_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  while (!output.includes("Sign in in both tabs")) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(output);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  base = /First tab +(http:\/\/127\.0\.0\.1:\d+\/)\?user=ann /.exec(output)?.[1] ?? "";
});
afterAll(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const read = async (path: string, options?: RequestInit) => {
  const answer = await fetch(new URL(path, base), options);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

it("prints the addresses for two tabs", () => {
  expect(base).not.toBe("");
  expect(output).toMatch(/Second tab +http:\/\/127\.0\.0\.1:\d+\/\?user=ben&protocol=xmpp /);
});

it("serves every file that the page loads", async () => {
  const { text: html } = await read("/");
  const open = [...html.matchAll(/(?:src|href)="([\w-]+\.\w+)"/g)].map(([, name = ""]) => name);
  expect(open).toEqual(expect.arrayContaining(["main.js", "style.css", "icon.svg"]));
  const seen = new Set<string>();
  for (const path of open) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { status, text } = await read(path);
    expect([path, status]).toEqual([path, 200]);
    for (const [, module = ""] of text.matchAll(
      /^(?:import|export|\}).*\bfrom ["']([^"']+)["']/gm,
    )) {
      // Browsers resolve URLs, not package names.
      expect(module).toMatch(/^\.?\.?\//);
      open.push(new URL(module, new URL(path, base)).pathname);
    }
  }
  for (const name of ["@signalbox/client", "graphql-ws", "strophe.js"]) {
    expect([...seen].some((path) => path.startsWith(`/packages/${name}/`))).toBe(true);
  }
});

it("forbids inline and third-party scripts", async () => {
  const { text: html, headers } = await read("/");
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https:/);
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
});

it("gives the page an application session, and no secret of the application", async () => {
  const { text } = await read("/setting.json");
  const setting = JSON.parse(text);
  expect(Object.keys(setting).sort()).toEqual([
    ...["applicationId", "baseUrl", "chatDomain", "chatUrl", "people"],
  ]);
  expect(setting.people.map(({ login }: { login: string }) => login)).toEqual([
    "ann",
    "ben",
    "cem",
  ]);
  const { token } = JSON.parse((await read("/session", { method: "POST" })).text);
  const answer = await fetch(new URL("graphql", setting.baseUrl), {
    method: "POST",
    headers: { "Content-Type": "application/json", "Svc-Token": token },
    body: JSON.stringify({ query: "{ currentSession { userId } }" }),
  });
  expect(await answer.json()).toEqual({ data: { currentSession: { userId: null } } });
});

it.each([
  "/../main.ts",
  "/..%2fmain.ts",
  "/package.json",
  "/packages/graphql-ws/../../package.json",
  "/packages/ws/wrapper.mjs",
  "/packages/__proto__/index.js",
  "/nothing.js",
])("serves no other file: %s", async (path) => {
  expect((await read(path)).status).toBe(404);
});

it("leaves no files behind when it is stopped", async () => {
  expect(existsSync(folder) && readdirSync(folder)).not.toEqual([]);
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  expect([code, readdirSync(folder)]).toEqual([130, []]);
});
