import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../support/moving-clock";
import { FREE_PORTS } from "../../support/ports";
import { commandOf, managedProcesses, NO_ENV_FILE } from "../../support/process";

/** What a node prints when it is ready: a table on a terminal, elsewhere a line of the log. */

const { environment, start } = managedProcesses();

it("is a JSON line without secrets, which names the files that exist", async () => {
  const variables = await environment();
  const folder = variables.DATA_DIR ?? "";
  const first = start(variables);
  const ready = await first.ready();
  const credentials = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8"));
  expect(ready).toMatchObject({
    level: 30,
    rest: credentials.base_url,
    graphql: credentials.graphql_url,
    chat: { ws: credentials.chat_url },
    owner: join(folder, "owner.json"),
    credentials: join(folder, "credentials.json"),
  });
  const { password } = JSON.parse(readFileSync(join(folder, "owner.json"), "utf8"));
  const { auth_key, auth_secret, account_key } = credentials;
  for (const secret of [password, auth_key, auth_secret, account_key]) {
    expect(first.output()).not.toContain(secret);
  }
  // Nothing else is on standard output.
  for (const line of first.output().trimEnd().split("\n")) JSON.parse(line);
  first.child.kill("SIGTERM");
  expect(await first.exited).toBe(0);

  rmSync(join(folder, "owner.json"));
  const second = await start(variables).ready();
  expect([second.owner, second.credentials]).toEqual([undefined, join(folder, "credentials.json")]);
});

/** Starts a node in a terminal of its own. @returns what it prints there when it is ready, and all that it prints */
async function onTerminal(variables: Record<string, string>): Promise<[string, string]> {
  const words = [process.execPath, ...commandOf(NO_ENV_FILE)].map((word) => `'${word}'`).join(" ");
  // By util-linux.
  const terminal = spawn("script", ["-qefc", words, "/dev/null"], {
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "dumb", ...FREE_PORTS, ...variables },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => terminal.once("close", resolve));
  try {
    let output = "";
    terminal.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    const banner = await eventually(
      () => output.split("Signalbox is ready.")[1]?.replaceAll("\r", "") ?? "",
      (text) => text.includes("  Credentials"),
    );
    return [banner, output];
  } finally {
    // Ctrl+C, as a person ends it.
    terminal.stdin.end("\u0003");
    await exited;
  }
}

it("is a table on a terminal, with the credentials of a first start", async () => {
  const variables = await environment();
  const folder = variables.DATA_DIR ?? "";
  const [banner, output] = await onTerminal(variables);
  const { base_url, auth_secret } = JSON.parse(
    readFileSync(join(folder, "credentials.json"), "utf8"),
  );
  expect(banner).toContain(`  REST         ${base_url}  (open it in a browser`);
  expect(banner).toContain(`  auth_secret  ${auth_secret}\n`);
  expect(banner).toContain(`  Owner        ${join(folder, "owner.json")}  (the first password)\n`);
  expect(output).not.toContain('"msg"');
});

it("names only the files of the credentials if other machines reach the node, as in a container", async () => {
  const variables = await environment();
  const folder = variables.DATA_DIR ?? "";
  const [banner, output] = await onTerminal({ ...variables, HOST: "0.0.0.0" });
  const keys = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8"));
  expect(banner).toContain(`  Credentials  ${join(folder, "credentials.json")}\n`);
  for (const secret of [keys.auth_key, keys.auth_secret, keys.account_key]) {
    expect(output).not.toContain(secret);
  }
});
