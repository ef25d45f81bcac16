import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signalboxOnPort } from "../../../src/core/startup/running-signalbox";
import { closeAfterEach } from "../../support/close-after-each";

/** The Signalbox that listens on a port, in the forms in which an installed package is started. */

/** Stands in for the command line: listens on a port, and prints it. */
const LISTENER = `
  const server = require("node:net").createServer();
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "signalbox-running-")));
  for (const name of ["signalbox", "other"]) {
    const installed = join(folder, "node_modules", name);
    await mkdir(join(installed, "bin"), { recursive: true });
    await writeFile(join(installed, "package.json"), JSON.stringify({ name }));
    await writeFile(join(installed, "bin/signalbox.js"), LISTENER);
  }
  await mkdir(join(folder, "node_modules/.bin"));
  await symlink("../signalbox/bin/signalbox.js", join(folder, "node_modules/.bin/signalbox"));
});
afterAll(() => rm(folder, { recursive: true }));

const running = closeAfterEach();

/** Starts a program with arguments. @returns the process, and the port that it listens on */
async function listen(...args: string[]) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { DATA_DIR: "data" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  running({
    close: async () => {
      child.kill();
      await ended;
    },
  });
  const [line] = await once(child.stdout, "data");
  return { pid: child.pid, port: Number(line) };
}

test.each([
  "node_modules/signalbox/bin/signalbox.js",
  "node_modules/.bin/signalbox",
])("%s start is found with its data folder", async (path) => {
  const { pid, port } = await listen(path, "start");
  expect(signalboxOnPort(port)).toEqual({ pid, dataDir: join(folder, "data") });
});

test.each([
  ["another command", ["node_modules/.bin/signalbox", "demo:call"]],
  ["another package", ["node_modules/other/bin/signalbox.js", "start"]],
])("%s is not", async (_name, args) => {
  const { port } = await listen(...args);
  expect(signalboxOnPort(port)).toBeNull();
});
