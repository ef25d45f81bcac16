import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../scripts/services/binaries";
import { readConfig } from "../../../src/core/config";
import { portProblems } from "../../../src/core/startup/ports";
import { runChecks } from "../../../src/transports/cli/doctor/checks";
import { commandLine, endOf } from "../../support/cli/command-line";
import { only } from "../../support/cli/doctor";
import { emptyFolder } from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";
import { managedProcesses } from "../../support/process";

/** Where settings of the server and of the command line come from, and how PORT_BASE moves ports. */

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

describe("PORT_BASE", () => {
  /** Leaves the ports without TLS to PORT_BASE. */
  const MOVED = { ...FREE_PORTS, PORT: "", XMPP_WS_PORT: "", CONFERENCE_WS_PORT: "" };

  /** A base whose ports are free. */
  async function freeBase(): Promise<string> {
    for (;;) {
      const PORT_BASE = String(await freePort());
      const found = await portProblems(readConfig({ ...MOVED, PORT_BASE }));
      if (found.length === 0) return PORT_BASE;
    }
  }

  it("moves the ports, and a second server on the same ones is told of the first", async () => {
    const PORT_BASE = await freeBase();
    const base = Number(PORT_BASE);
    const ports = { ...MOVED, PORT_BASE };
    const { DATA_DIR = "" } = await environment();
    const first = start({ DATA_DIR, ...ports });
    const { rest, chat, conferences } = await first.ready();
    expect([rest, chat.ws, conferences.ws]).toEqual([
      `http://127.0.0.1:${base}`,
      `ws://127.0.0.1:${base + 1}`,
      `ws://127.0.0.1:${base + 5}`,
    ]);

    const { DATA_DIR: other = "" } = await environment(emptyFolder());
    const second = start({ DATA_DIR: other, ...ports });
    expect(await second.exited).toBe(1);
    // One sentence for all ports of the same server.
    expect(second.output()).toBe(
      `Port ${base} on 127.0.0.1 (PORT) is in use by another Signalbox (PID ${first.child.pid}, data folder ${DATA_DIR}): stop it, or set PORT or PORT_BASE to run this one beside it.\n`,
    );
    const again = start({ DATA_DIR, ...ports });
    expect(await again.exited).toBe(1);
    expect(again.output()).toContain(
      `(PID ${first.child.pid}, data folder ${DATA_DIR}): stop it, or set PORT or PORT_BASE, and another DATA_DIR, to run this one beside it.\n`,
    );

    const doctor = (folder: string) => runChecks({ environment: { ...ports, DATA_DIR: folder } });
    const own = only(await doctor(DATA_DIR), "port");
    expect([own.status, own.detail]).toEqual([
      "ok",
      `${base} on 127.0.0.1 is in use by a running Signalbox`,
    ]);
    const foreign = only(await doctor(other), "port");
    expect([foreign.status, foreign.detail]).toEqual([
      "error",
      `Port ${base} on 127.0.0.1 (PORT) is in use by another Signalbox (PID ${first.child.pid}, data folder ${DATA_DIR})`,
    ]);
  });
});
