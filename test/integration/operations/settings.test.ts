import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, endOf } from "../../support/cli/command-line";
import { managedProcesses } from "../../support/process";

/** Where settings of the server and of the command line come from. */

const { environment, start } = managedProcesses();

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A folder with a file of variables. */
function folderWith(name: string, lines: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-settings-"));
  folders.push(folder);
  writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
  return folder;
}

/** Runs the command line in a folder, without variables of its own. */
const signalbox = (folder: string, ...args: string[]) =>
  endOf(
    spawn(process.execPath, commandLine(args), {
      cwd: folder,
      env: { PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );

it("reads .env in the folder of the start, as the command line does, and secrets from files", async () => {
  const { DATA_DIR = "" } = await environment();
  const token = "a-token-of-the-test";
  const folder = folderWith(".env", [
    `DATA_DIR='${DATA_DIR}'`,
    "CHAT_DOMAIN=file.example",
    "LOG_LEVEL=silent",
    "METRICS_TOKEN_FILE=token.txt",
  ]);
  writeFileSync(join(folder, "token.txt"), `${token}\n`);
  // The environment wins.
  const service = start({ LOG_LEVEL: "info" }, { folder, args: [] });
  const { rest } = await service.ready();
  const credentials = JSON.parse(readFileSync(join(DATA_DIR, "credentials.json"), "utf8"));
  expect(credentials.chat_domain).toBe("file.example");
  const metrics = (Authorization: string) =>
    fetch(`${rest}/metrics`, { headers: { Authorization, "X-Forwarded-For": "192.0.2.1" } });
  expect((await metrics(`Bearer ${token}`)).status).toBe(200);
  expect((await metrics("Bearer another-token-of-it")).status).toBe(404);

  const listed = await signalbox(folder, "--json", "app", "list");
  expect([listed.code, listed.err]).toEqual([0, ""]);
  expect(listed.out).toContain("First application");
});

it("reads the file of --env-file in place of .env", async () => {
  const { DATA_DIR = "" } = await environment();
  const folder = folderWith(".env", ["PORT=none"]);
  writeFileSync(join(folder, "other.env"), `DATA_DIR='${DATA_DIR}'\n`);
  const service = start({}, { folder, args: ["--env-file", "other.env"] });
  await service.ready();
  const listed = await signalbox(folder, "app", "list", "--env-file", "other.env");
  expect([listed.code, listed.err]).toEqual([0, ""]);
  const invalid = await signalbox(folder, "app", "list");
  expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining("PORT must be")]);
});

it("says that a file cannot be used, and does nothing else", async () => {
  const folder = folderWith(".env", ["PORT 4000"]);
  const sentence = (name: string, reason: string) =>
    `The configuration is invalid:\n  - ${join(folder, name)} cannot be used as the environment file: ${reason}\n`;
  const broken = start({}, { folder, args: [] });
  expect(await broken.exited).toBe(1);
  expect(broken.output()).toBe(sentence(".env", "line 1 is not NAME=value"));
  const missing = start({}, { folder, args: ["--env-file", "none.env"] });
  expect(await missing.exited).toBe(1);
  expect(missing.output()).toBe(sentence("none.env", "it cannot be read (ENOENT)"));
  expect(await signalbox(folder, "app", "list")).toEqual({
    code: 1,
    out: "",
    err: sentence(".env", "line 1 is not NAME=value"),
  });
});
