import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { closeAfterEach } from "../support/close-after-each";
import { eventually } from "../support/moving-clock";
import {
  diskUsage,
  filesOf,
  installedTree,
  type LockFile,
  lockedTree,
  outputOf,
  type StartedServer,
  startServer,
} from "../support/ship/installed-package";
import { type Registry, startRegistry } from "../support/ship/registry";

/** The packages signalbox and @signalbox/client, as they are published, installed and run. */

const ROOT = join(__dirname, "../..");
/** The oldest version of Node.js that works, and later ones, each with its npm. Packages of npm contain the programs. */
const NODES = [
  ["20.19.0", "10.8.2"],
  ["22.23.5", "10.9.4"],
  ["24.22.3", "11.19.1"],
] as const;
/** Maximum size of an installation, in MiB. */
const INSTALLED_MIB_MAX = 250;

const run = promisify(execFile);
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const { version } = readJson(ROOT, "package.json");
const { productionLock } = require("../../bin/shrinkwrap.js") as {
  productionLock(lock: LockFile, withPeers: boolean): LockFile;
};
const lock = readJson(ROOT, "package-lock.json");
/** All packages. */
const { packages: locked } = productionLock(lock, true);
/** Those that npm installs in signalbox. It installs the others beside it. */
const { packages: lockedInside } = productionLock(lock, false);
const lockedBeside = Object.fromEntries(
  Object.entries(locked).filter(([path]) => !(path in lockedInside)),
);
/** What a tarball of signalbox may contain. */
const TOP_LEVEL = [
  ...[
    ".env.example",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "npm-shrinkwrap.json",
    "package.json",
  ],
  ...["bin", "demo", "deploy", "dist", "docs", "prisma", "schema"],
];

interface Packed {
  size: number;
  files: { path: string }[];
}

/** A program with @signalbox/client: signs a user in, and asks the server who that is. */
const CLIENT = `
import { readFileSync } from "node:fs";
import { openSessions } from "@signalbox/client/server";
const keys = JSON.parse(readFileSync(".data/credentials.json", "utf8"));
const sessions = openSessions({ url: keys.base_url, apiKey: "API_KEY" });
const { token } = await sessions.forUser({ login: "ann" });
const answer = await fetch(keys.graphql_url, {
  method: "POST",
  headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" },
  body: JSON.stringify({ query: "{ currentSession { user { login } } }" }),
});
console.log(JSON.stringify((await answer.json()).data.currentSession));
`;

let registry: Registry;
let folder: string;
/** A version after the present one, with the same content. */
let nextVersion: string;
let packed: Packed;
let reported: string;

/** The environment of programs. The folders of another Node.js come first in PATH. */
const environment = (...folders: string[]) => ({
  ...process.env,
  // Jest sets it.
  NODE_ENV: undefined,
  ...registry.environment,
  PATH: [...folders, process.env.PATH].join(":"),
});

/** Expects the packages that npm has installed in and beside signalbox to be those of the lock file, for this platform. */
function expectLocked(modules: string): void {
  const inside = installedTree(join(modules, "signalbox"));
  expect(Object.keys(inside).length).toBeGreaterThan(300);
  expect(inside).toEqual(lockedTree(lockedInside, inside));
  const all = installedTree(join(modules, ".."));
  const beside = Object.entries(all).filter(([path]) => path in lockedBeside);
  expect(Object.fromEntries(beside)).toEqual(lockedTree(lockedBeside, all));
  expectPlatform(all);
}

/**
 * Expects packages with programs for this platform, and for no other. Without a lock file npm 10 installs those for both C
 * libraries of Linux.
 */
function expectPlatform(installed: Record<string, string>): void {
  const ofPlatforms = Object.keys(installed).filter((path) => locked[path]?.os !== undefined);
  for (const family of ["/@node-datachannel/", "/@node-rs/argon2-"]) {
    expect(ofPlatforms).toEqual(expect.arrayContaining([expect.stringContaining(family)]));
  }
  for (const path of ofPlatforms) {
    expect([path, locked[path]?.os, locked[path]?.cpu]).toEqual([
      path,
      [process.platform],
      [process.arch],
    ]);
  }
}

/** Publishes a folder, and the workspace of it if one is named. @returns what npm prints */
async function publish(from: string, ...options: string[]) {
  // A statement of provenance needs the identity of a hosted build.
  const args = ["publish", "--json", "--provenance=false", ...options];
  return run("npm", args, { cwd: from, env: environment(), maxBuffer: 2 ** 26 });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-ship-"));
  registry = await startRegistry();
  const { stdout, stderr } = await publish(ROOT);
  // The output of the build comes first.
  packed = JSON.parse(stdout.slice(stdout.search(/^\{/m))).signalbox;
  reported = stderr;
  await publish(ROOT, "--workspace", "client");
  await run("npm", ["pack", `signalbox@${version}`], { cwd: folder, env: environment() });
  await run("tar", ["-xzf", `signalbox-${version}.tgz`], { cwd: folder });
  const next = join(folder, "package");
  const update = ["version", "patch", "--no-git-tag-version", "--ignore-scripts"];
  await run("npm", update, { cwd: next, env: environment() });
  nextVersion = readJson(next, "package.json").version;
  await publish(next, "--ignore-scripts");
});
const servers = closeAfterEach();
afterAll(async () => {
  await registry?.close();
  await rm(folder, { recursive: true, force: true });
});

/** {@link startServer}; the test ends it if it does not do so itself. */
async function start(command: string[], cwd: string, env: NodeJS.ProcessEnv) {
  const server = await startServer(command, cwd, env);
  let stopped: Promise<number | null> | undefined;
  const stop = () => {
    stopped ??= server.stop();
    return stopped;
  };
  servers({ close: stop });
  return { ...server, stop };
}

it("is published without a warning, with what runs and nothing else, in at most 12 MB", () => {
  expect(reported).not.toMatch(/npm (warn|error)/i);
  expect(packed.size).toBeLessThan(12_000_000);
  const files = packed.files.map(({ path }) => path);
  const topLevel = new Set(files.map((path) => path.split("/")[0]));
  expect(TOP_LEVEL).toEqual(expect.arrayContaining([...topLevel]));
  expect(files.filter((path) => /\.(test\.\w+|map|tsx?)$/.test(path))).toEqual(
    files.filter((path) => /^demo\/.+\.ts$/.test(path)),
  );
  const built = ["src", "client/src", "demo"].flatMap((name) =>
    readdirSync(join(ROOT, name), { recursive: true, encoding: "utf8" })
      .filter((path) => /(?<!\.d)\.tsx?$/.test(path))
      .map((path) => `dist/${name}/${path.replace(/\.tsx?$/, ".js")}`),
  );
  const compiled = files.filter((path) => /^dist\/(src|client|demo)\//.test(path));
  expect(compiled.sort()).toEqual(built.sort());
  for (const path of [
    ...["LICENSE", "README.md", "dist/dashboard/index.html"],
    ...["npm-shrinkwrap.json", "deploy/npm-shrinkwrap.json"],
  ]) {
    expect(files).toContain(path);
  }
});

it("npm publish --dry-run has nothing to say, and leaves no file", async () => {
  // One that does not have this version yet.
  const other = await startRegistry();
  const { stderr } = await run("npm", ["publish", "--dry-run", "--json"], {
    cwd: ROOT,
    env: { ...environment(), ...other.environment },
    maxBuffer: 2 ** 26,
  });
  await other.close();
  expect(stderr).not.toMatch(/npm (warn|error)/i);
  for (const path of ["npm-shrinkwrap.json", "deploy/npm-shrinkwrap.json"]) {
    expect([path, existsSync(join(ROOT, path))]).toEqual([path, false]);
  }
});

it("an installation for all users names the packages that it also needs, and runs with them", async () => {
  const prefix = join(folder, "global");
  const install = ["install", "--global", "--prefix", prefix];
  await run("npm", [...install, `signalbox@${version}`], { cwd: folder, env: environment() });
  const command = join(prefix, "bin/signalbox");
  const failed = await run(command, ["start"], { cwd: folder, env: environment() }).catch(
    (error) => error,
  );
  const named = /: run npm install --global (.+)\.$/m.exec(failed.stderr)?.[1]?.split(" ") ?? [];
  expect(named).toHaveLength(Object.keys(readJson(ROOT, "package.json").peerDependencies).length);
  await run("npm", [...install, ...named], { cwd: folder, env: environment() });
  // Each has its own packages inside.
  const tree = installedTree(join(prefix, "lib"));
  for (const name of named) {
    expect(tree).toMatchObject({ [`node_modules/${name.slice(0, name.lastIndexOf("@"))}`]: name });
  }
  const inside = installedTree(join(prefix, "lib/node_modules/signalbox"));
  expect(inside).toEqual(lockedTree(lockedInside, inside));
  expect(await diskUsage(prefix)).toBeLessThan(INSTALLED_MIB_MAX);
  const empty = join(folder, "global-data");
  await mkdir(empty);
  const server = await start([command, "start"], empty, environment());
  expect((await fetch(`${server.url}/dashboard`)).status).toBe(200);
});

it("npx starts it in an empty folder, and its demos", async () => {
  const empty = join(folder, "npx");
  await mkdir(empty);
  const npx = ["npx", "--yes", `signalbox@${version}`];
  const server = await start([...npx, "start"], empty, environment());
  expect(readdirSync(empty)).toEqual([".data"]);
  for (const path of [
    "/dashboard",
    "/docs/assets/swagger-ui.js",
    "/graphql/assets/graphiql.js",
    "/openapi.json",
    "/schema.graphql",
  ]) {
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
  }
  await server.stop();

  for (const [command, words] of Object.entries({
    "demo:call": "Sign in in both tabs",
    "demo:conference": "Open each in a tab",
  })) {
    const env = { ...environment(), CALL_PORT: "0", CONFERENCE_PAGE_PORT: "0" };
    const [program = "", ...args] = [...npx, command];
    const child = spawn(program, args, { cwd: empty, env, detached: true });
    const ended = once(child, "close");
    const end = () => {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      if (!hasEnded) process.kill(-(child.pid ?? 0), "SIGTERM");
      return ended;
    };
    servers({ close: end });
    const output = outputOf(child);
    await eventually(output, (text) => text.includes(words) || child.exitCode !== null);
    expect(output()).toContain(words);
    const page = /http:\/\/127\.0\.0\.1:\d+\//.exec(output())?.[0];
    for (const path of ["/", "/packages/@signalbox/client/index.js"]) {
      expect([path, (await fetch(new URL(path, page))).status]).toEqual([path, 200]);
    }
    await end();
  }
});

describe.each(NODES)("with Node.js %s and npm %s", (nodeVersion, npmVersion) => {
  const project = () => join(folder, `project-${nodeVersion}`);
  const installed = () => join(project(), "node_modules/signalbox");
  let env: NodeJS.ProcessEnv;
  let output: (command: string, ...args: string[]) => Promise<string>;
  /** What the package takes with all that it needs, in MiB. */
  let size: number;

  beforeAll(async () => {
    const name = `node-${process.platform}-${process.arch}`;
    const nodes = join(folder, `node-${nodeVersion}`);
    await mkdir(nodes);
    await mkdir(project());
    const programs = [`${name}@${nodeVersion}`, `npm@${npmVersion}`];
    const install = ["install", "--ignore-scripts", ...programs];
    await run("npm", install, { cwd: nodes, env: environment() });
    const modules = join(nodes, "node_modules");
    env = environment(join(modules, name, "bin"), join(modules, ".bin"));
    output = async (command, ...args) => {
      return (await run(command, args, { cwd: project(), env })).stdout.trim();
    };
    expect(await output("node", "--version")).toBe(`v${nodeVersion}`);
    expect(await output("npm", "--version")).toBe(npmVersion);
    await output("npm", "install", `signalbox@${version}`);
    size = await diskUsage(project());
    await output("npm", "install", `@signalbox/client@${version}`);
  });
  const startInstalled = () => start(["node_modules/.bin/signalbox", "start"], project(), env);
  const signalbox = async (server: StartedServer, ...args: string[]) => {
    const all = { cwd: project(), env: { ...env, ...server.environment } };
    return (await run("node_modules/.bin/signalbox", args, all)).stdout.trim();
  };

  it("an empty folder gets the packages of the lock file for this platform, in at most 250 MB", () => {
    expectLocked(join(project(), "node_modules"));
    expect(size).toBeLessThan(INSTALLED_MIB_MAX);
  });

  it("the command itself refuses a file of settings that is missing", async () => {
    for (const args of [["start"], ["app", "list"]]) {
      const failed = await run("node_modules/.bin/signalbox", [...args, "--env-file", "none.env"], {
        cwd: project(),
        env,
      }).catch((error) => error);
      expect([failed.code, failed.stdout]).toEqual([1, ""]);
      expect(failed.stderr).toContain("none.env cannot be used as the environment file");
    }
  });

  it("it runs, writes nothing into the package, and keeps its data when it is updated and removed", async () => {
    const before = filesOf(installed());
    const first = await startInstalled();
    const { id } = JSON.parse(await signalbox(first, "--json", "app", "create", "--name", "Shop"));
    const allow = ["--app", "1", "--server-sessions-create-users", "true"];
    await signalbox(first, "app", "update", ...allow);
    const named = ["--app", "1", "--name", "backend", "--scopes", "sessions"];
    const { key } = JSON.parse(await signalbox(first, "--json", "api-key", "create", ...named));
    await writeFile(join(project(), "client.mjs"), CLIENT.replace("API_KEY", key));
    expect(await output("node", "client.mjs")).toBe('{"user":{"login":"ann"}}');
    expect(await signalbox(first, "demo")).toMatch(/All \d+ steps passed/);
    expect(await first.stop()).toBe(0);
    expect(filesOf(installed())).toEqual(before);

    await output("npm", "install", `signalbox@${nextVersion}`);
    expect(await output("node_modules/.bin/signalbox", "--version")).toBe(nextVersion);
    expectLocked(join(project(), "node_modules"));
    const second = await startInstalled();
    const app = JSON.parse(await signalbox(second, "--json", "app", "show", "--app", id));
    expect(app).toMatchObject({ id, name: "Shop" });
    expect(await output("node", "client.mjs")).toBe('{"user":{"login":"ann"}}');
    expect(await second.stop()).toBe(0);

    const data = filesOf(join(project(), ".data"));
    await output("npm", "uninstall", "signalbox");
    expect(existsSync(installed())).toBe(false);
    expect(filesOf(join(project(), ".data"))).toEqual(data);
  });
});

it("the tarball runs as docs/DEPLOY.md says, with the packages of the lock file, in at most 250 MB", async () => {
  const guide = readFileSync(join(ROOT, "docs/DEPLOY.md"), "utf8");
  const steps = /^```sh\n(.*tar -xzf[^`]+)npx signalbox start\n```$/m.exec(guide)?.[1];
  expect(steps).toContain("npm ci");
  await run("sh", ["-ec", steps ?? ""], { cwd: folder, env: environment() });
  const unpacked = join(folder, "signalbox");
  const tree = installedTree(unpacked);
  expect(tree).toEqual(lockedTree(locked, tree));
  expectPlatform(tree);
  const size = await diskUsage(unpacked);
  expect(size).toBeLessThan(INSTALLED_MIB_MAX);
  const told = /^An installation takes (\d+) MB/m.exec(guide)?.[1];
  expect(Math.abs(size - Number(told))).toBeLessThan(5);
  const server = await start(["npx", "signalbox", "start"], unpacked, environment());
  expect((await fetch(`${server.url}/dashboard`)).status).toBe(200);
});
