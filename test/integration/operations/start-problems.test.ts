import { spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { endOf, runCommand } from "../../support/cli/command-line";
import { emptyFolder } from "../../support/operations/database";
import { FREE_PORTS } from "../../support/ports";
import { managedProcesses, NO_ENV_FILE } from "../../support/process";

/** What the operator reads if the service cannot start: one sentence, and nothing else was done. */

const { environment, start } = managedProcesses();

/** Standard output and error of a start that must fail. */
async function failingStart(variables: Record<string, string>): Promise<string> {
  const service = start(variables);
  expect(await service.exited).toBe(1);
  return service.output();
}

it("names the variable of each port in use, before it makes a database", async () => {
  const { DATA_DIR = "" } = await environment(emptyFolder());
  const blocker = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => blocker.once("listening", resolve));
  const { port } = blocker.address() as { port: number };
  const sentence = (variable: string) =>
    `Port ${port} on 127.0.0.1 (${variable}) is in use by another program: stop that program, or set ${variable} to another port (PORT_BASE moves all ports).\n`;
  try {
    const VARIABLES = ["PORT", "XMPP_WS_PORT", "XMPP_TLS_PORT"];
    const outputs = await Promise.all(
      VARIABLES.map((variable) =>
        failingStart({ DATA_DIR: join(DATA_DIR, variable), [variable]: String(port) }),
      ),
    );
    expect(outputs).toEqual(VARIABLES.map(sentence));
    expect(readdirSync(DATA_DIR)).toEqual([]);
  } finally {
    blocker.close();
  }
});

it("says all at once: a data folder that is a file, and equal ports", async () => {
  const { DATA_DIR = "" } = await environment(emptyFolder());
  const file = join(DATA_DIR, "file");
  writeFileSync(file, "");
  expect(await failingStart({ DATA_DIR: file })).toBe(
    `DATA_DIR (${file}) is a file: set it to a folder.\n`,
  );
  const below = join(file, "data");
  const ports = { PORT: "1234", XMPP_WS_PORT: "1234" };
  expect(await failingStart({ DATA_DIR: below, ...ports })).toBe(
    `DATA_DIR (${below}) is below a file: set it to a folder.\nPORT and XMPP_WS_PORT are both 1234: set them to different ports.\n`,
  );
});

it("says once that HOST is wrong, for all ports", async () => {
  const { DATA_DIR = "" } = await environment(emptyFolder());
  const none = Object.fromEntries(Object.keys(FREE_PORTS).map((name) => [name, ""]));
  expect(await failingStart({ ...none, DATA_DIR, HOST: "192.0.2.1" })).toBe(
    "HOST (192.0.2.1) is not an address of this machine: correct it.\n",
  );
});

it("ends when the reader of its output is gone, and leaves a database that can be opened", async () => {
  const variables = await environment(emptyFolder());
  const program = ["-r", "./tools/run-typescript.js", "./src/main.ts", ...NO_ENV_FILE];
  const cut = spawn("sh", ["-c", '"$0" "$@" | head -n 1', process.execPath, ...program], {
    env: { PATH: process.env.PATH, ...FREE_PORTS, ...variables, LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { code, out } = await endOf(cut);
  expect([code, out.split("\n")]).toEqual([0, [expect.stringContaining("database"), ""]]);
  const service = start(variables);
  await service.ready();
});

it("says that Redis is away", async () => {
  const variables = await environment();
  const output = await failingStart({ ...variables, REDIS_URL: "redis://127.0.0.1:1" });
  expect(output.split("\n").slice(-2)).toEqual([
    expect.stringMatching(
      /^Redis \(REDIS_URL\) cannot be reached \(.*ECONNREFUSED.*\): start it, or correct REDIS_URL\.$/,
    ),
    "",
  ]);
});

it("stops for a web origin without a scheme", async () => {
  const { DATA_DIR = "" } = await environment(emptyFolder());
  const variables = { DATA_DIR: join(DATA_DIR, "new"), CORS_ORIGINS: "app.example" };
  expect(await failingStart(variables)).toMatch(
    /^The configuration is invalid:\n {2}- CORS_ORIGINS must be \* or web origins .*https:\/\/app\.example.*\n$/,
  );
  expect(existsSync(variables.DATA_DIR)).toBe(false);
});

it("logs a misspelled variable with the setting that it resembles", async () => {
  const variables = await environment(emptyFolder());
  writeFileSync(join(variables.DATA_DIR ?? "", "file"), "");
  const output = await failingStart({
    DATA_DIR: join(variables.DATA_DIR ?? "", "file"),
    DATABSE_URL: "postgresql://db",
  });
  expect(output).toContain("DATABSE_URL is not a setting of Signalbox; did you mean DATABASE_URL?");
  expect(output).not.toContain("postgresql://db");
});

describe("a misspelled DATABASE_URL", () => {
  const misspelled = { DATABSE_URL: "postgresql://user:hunter2@db" };
  const refusal = (folder: string) =>
    `DATABSE_URL is not a setting of Signalbox; did you mean DATABASE_URL? Without DATABASE_URL an embedded database would be created in ${folder}: rename DATABSE_URL to DATABASE_URL, or unset it.\n`;

  it("keeps the start and the migration from creating an embedded database", async () => {
    const { DATA_DIR = "" } = await environment(emptyFolder());
    const output = await failingStart({ DATA_DIR, ...misspelled });
    expect(output).toContain(`\n${refusal(DATA_DIR)}`);
    const migrated = await runCommand(["migrate"], { DATA_DIR, ...misspelled });
    expect(migrated).toEqual({ code: 1, out: "", err: refusal(DATA_DIR) });
    expect(output + migrated.err).not.toContain("hunter2");
    expect(readdirSync(DATA_DIR)).toEqual([]);
  });

  it("is a warning where there is an embedded database", async () => {
    const variables = await environment();
    const service = start({ ...variables, ...misspelled, XMPP_UNKNOWN: "x" });
    await service.ready();
    expect(service.output()).toContain("DATABSE_URL is not a setting of Signalbox; did you mean");
    expect(service.output()).toContain('"XMPP_UNKNOWN is not a setting of Signalbox"');
    expect(service.output()).not.toContain("hunter2");
  });
});
