import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findProgram, freePort, run } from "../../scripts/services/binaries";
import { closeAfterEach } from "../support/close-after-each";
import { readSettings } from "../support/deploy/settings";
import { managedProcesses } from "../support/process";
import { rest } from "../support/rest-client";

/** The unit of deploy/, checked by systemd's own programs, and what the service tells systemd. */

const DEPLOY = join(__dirname, "../../deploy/systemd");
const UNIT = "signalbox.service";
const unit = readFileSync(join(DEPLOY, UNIT), "utf8");
const dropIn = readFileSync(join(DEPLOY, "postgresql.conf"), "utf8");

const opened = closeAfterEach();
const { environment, start } = managedProcesses();

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-systemd-"));
  opened({ close: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}

/** The values of a setting in a unit, in their order. */
const valuesOf = (text: string, name: string) =>
  Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, key, value = ""]) => ({ key, value }))
    .filter(({ key }) => key === name)
    .map(({ value }) => value);

describe("the unit", () => {
  let path: string;
  beforeEach(() => {
    const folder = temporaryFolder();
    path = join(folder, UNIT);
    // Node.js may be elsewhere on a machine that runs tests; the unit is for Debian's place.
    writeFileSync(path, unit.replace("/usr/bin/node ", `${process.execPath} `));
    cpSync(join(DEPLOY, "postgresql.conf"), join(folder, `${UNIT}.d`, "postgresql.conf"));
  });

  const analyze = (...words: string[]) =>
    run(findProgram("systemd-analyze", "systemd"), [...words, path]);

  it("passes systemd-analyze verify, with its drop-in", async () => {
    expect(await analyze("verify")).toEqual({ stdout: "", stderr: "" });
    writeFileSync(path, `${unit}\nNoSuchSetting=yes\n`);
    expect((await analyze("verify")).stderr).toContain("NoSuchSetting");
  });

  it("has an exposure level of at most 2.5", async () => {
    const { stdout } = await analyze("security", "--offline=yes", "--threshold=25");
    const [, level] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(level)).toBeLessThanOrEqual(2.5);
  });

  it("lets Node.js compile, and gives a node the time to drain", () => {
    expect(valuesOf(unit, "MemoryDenyWriteExecute")).toEqual([]);
    const { DRAIN_SPREAD_SECONDS, DRAIN_SECONDS } = readSettings({});
    const [stop = ""] = valuesOf(unit, "TimeoutStopSec");
    expect(stop).toMatch(/^\d+s$/);
    expect(Number.parseInt(stop, 10)).toBeGreaterThan(DRAIN_SPREAD_SECONDS + DRAIN_SECONDS + 5);
  });

  it("sets variables that exist, and loads each secret that it names", () => {
    const assignments = [unit, dropIn].flatMap((text) => valuesOf(text, "Environment"));
    const variables = Object.fromEntries(assignments.map((text) => text.split("=")));
    expect(readSettings(variables)).toMatchObject({ DATA_DIR: "/var/lib/signalbox" });
    const credentials = valuesOf(dropIn, "LoadCredential").map((text) => text.split(":")[0]);
    const files = valuesOf(dropIn, "Environment").map((text) => text.split("=%d/")[1]);
    expect(files).toEqual(credentials);
  });
});

/** A datagram socket as systemd's, which Node.js cannot open. Prints each message as a line. */
const RECEIVER = `
import socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(server.recv(4096).decode().strip(), flush=True)
`;

async function startReceiver() {
  const path = join(temporaryFolder(), "notify");
  const child = spawn(findProgram("python3", "python3"), ["-c", RECEIVER, path]);
  opened({ close: () => child.kill() });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value } = await lines.next();
    // systemd-notify then waits until systemd has closed a descriptor.
    return value === "BARRIER=1" ? next() : value;
  };
  expect(await next()).toBe("listening");
  return { path, next };
}

it("tells systemd once that it is ready, when it answers, and that it stops", async () => {
  const receiver = await startReceiver();
  const port = await freePort();
  const service = start({
    ...(await environment()),
    PORT: String(port),
    NOTIFY_SOCKET: receiver.path,
  });
  expect(await receiver.next()).toBe("READY=1");
  const ready = await rest({ baseUrl: `http://127.0.0.1:${port}` }, "GET", "/readyz");
  expect([ready.status, ready.body]).toEqual([200, { status: "ready" }]);
  service.child.kill("SIGTERM");
  expect(await receiver.next()).toBe("STOPPING=1");
  expect(await service.exited).toBe(0);
});

it("warns and serves if systemd cannot be told", async () => {
  const port = await freePort();
  const service = start({
    ...(await environment()),
    PORT: String(port),
    LOG_LEVEL: "warn",
    NOTIFY_SOCKET: join(temporaryFolder(), "nobody"),
  });
  await service.waitForOutput(/systemd-notify could not report READY=1 to systemd/);
  expect((await rest({ baseUrl: `http://127.0.0.1:${port}` }, "GET", "/readyz")).status).toBe(200);
});
