import { type ChildProcess, spawn } from "node:child_process";
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endOf } from "../../support/cli/command-line";
import { eventually } from "../../support/moving-clock";

const ROOT = join(__dirname, "../../..");
const COMPILING = /^Compiling (1 changed source|\d+ changed sources) …\n$/;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-launcher-"));
  await mkdir(join(folder, "bin"));
  for (const name of await readdir(join(ROOT, "bin"))) {
    await copyFile(join(ROOT, "bin", name), join(folder, "bin", name));
  }
  await copyFile(join(ROOT, "tsconfig.json"), join(folder, "tsconfig.json"));
  await writeManifest({ typescript: "5.9.3" });
  await install("typescript");
  await write("src/main.ts", said("first"));
  await write(
    "src/transports/cli/commands.ts",
    "export const run = (words: string[]) => console.log(words);",
  );
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
}

const writeManifest = (devDependencies: Record<string, string>, dependencies = {}) =>
  write(
    "package.json",
    JSON.stringify({ engines: { node: ">=20.19" }, dependencies, devDependencies }),
  );

async function install(name: string): Promise<void> {
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
}

/** What `npm ci --omit=dev` does to a clone. */
const omitDevelopment = () => rm(join(folder, "node_modules/typescript"));

/** A program that prints a word and its arguments. */
const said = (word: string) =>
  `const word: string = ${JSON.stringify(word)};\nconsole.log(word, ...process.argv.slice(2));\n`;

function spawnNode(...args: string[]): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const start = (...words: string[]) => endOf(spawnNode("bin/run.js", "src/main", ...words));

describe("a clone", () => {
  it("is compiled by the first start, which says so on standard error", async () => {
    const { code, out, err } = await start("one", "two");
    expect([code, out]).toEqual([0, "first one two\n"]);
    expect(err).toMatch(COMPILING);
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
  });

  it("compiles again only what was changed, added or removed", async () => {
    await write("src/other.ts", said("other"));
    await start();
    await write("src/main.ts", said("second"));
    expect(await start()).toEqual({
      code: 0,
      out: "second\n",
      err: "Compiling 1 changed source …\n",
    });
    // Neither a new time alone nor a removed source is compiled.
    await utimes(join(folder, "src/main.ts"), 1_000, 1_000);
    await rm(join(folder, "src/other.ts"));
    expect(await start()).toEqual({ code: 0, out: "second\n", err: "" });
    expect((await readdir(join(folder, "dist/src"))).sort()).toEqual([
      "main.js",
      "main.js.map",
      "transports",
    ]);
    // An older time is a change as well: a checkout of an earlier version.
    await write("src/main.ts", said("earlier"));
    await utimes(join(folder, "src/main.ts"), 500, 500);
    expect((await start()).out).toBe("earlier\n");
  });

  it("compiles everything when the compiler's options change", async () => {
    await start();
    await write("tsconfig.json", JSON.stringify({ compilerOptions: { module: "node16" } }));
    expect((await start()).err).toBe("Compiling 2 changed sources …\n");
  });

  it("compiles for the service only what the service needs", async () => {
    await write("scripts/some.ts", 'import "../src/main";');
    await start();
    expect(await readdir(join(folder, "dist"))).toEqual(["compiled.json", "src"]);
    const script = await endOf(spawnNode("bin/run.js", "scripts/some", "word"));
    expect(script).toEqual({ code: 0, out: "first word\n", err: "Compiling 1 changed source …\n" });
  });

  it("names the place of a syntax error, and does not run an outdated build", async () => {
    await start();
    await write("src/main.ts", "const = 1;\n");
    for (let time = 0; time < 2; time++) {
      const { code, out, err } = await start();
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/^Signalbox could not be compiled: src\/main\.ts\(1,7\): error/m);
    }
  });

  it("runs a program as the main module", async () => {
    await write("src/main.ts", "console.log(require.main === module, process.argv.length);");
    expect((await start("one")).out).toBe("true 3\n");
  });

  it("runs the command line, whose output is that of the command alone", async () => {
    const { code, out, err } = await endOf(spawnNode("bin/signalbox.js", "app", "list"));
    expect([code, out]).toEqual([0, expect.stringMatching(/'app',\n {2}'list'\n\]\n$/)]);
    expect(err).toMatch(COMPILING);
  });

  it("starts the service and the demos by the command line, each as the main module", async () => {
    const programs = { start: "src", demo: "demo", "demo:call": "demo/call" };
    for (const [command, programFolder] of Object.entries(programs)) {
      const text = "console.log(require.main === module, process.argv.length, __filename);";
      await write(`${programFolder}/main.ts`, text);
      const { code, out } = await endOf(spawnNode("bin/signalbox.js", command));
      const path = join(await realpath(folder), `dist/${programFolder}/main.js`);
      expect([code, out]).toEqual([0, `true 2 ${path}\n`]);
    }
    await write("src/main.ts", "console.log(...process.argv.slice(2));");
    // The file is missing, which Node.js 20 would notice itself.
    for (const args of [
      ["start", "--env-file", "start"],
      ["--env-file", "start", "start"],
    ]) {
      const command = spawn(join(folder, "bin/signalbox.js"), args, {
        cwd: folder,
        env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
        stdio: ["ignore", "pipe", "pipe"],
      });
      expect(await endOf(command)).toMatchObject({ code: 0, out: "--env-file start\n" });
    }
    const { out } = await endOf(spawnNode("bin/signalbox.js", "start", "--help"));
    expect(out).toMatch(/'start',\n {2}'--help'\n\]\n$/);
  });
});

describe("the Prisma client", () => {
  const GENERATING = "Generating the Prisma client …\n";
  const GENERATED = "src/platform/store/generated/client.ts";
  /** Stands in for Prisma: writes a client that says what it was made of, relative to its schema. */
  const PRISMA = `
    const fs = require("node:fs");
    const { dirname, join } = require("node:path");
    const schema = process.argv[process.argv.indexOf("--schema") + 1];
    const text = fs.readFileSync(schema, "utf8");
    if (text === "broken") { console.error("schema.prisma is broken"); process.exit(1); }
    const folder = join(dirname(schema), "../src/platform/store/generated");
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, "client.ts"), "export const model: string = " + JSON.stringify(text));
    if (text === "first") fs.writeFileSync(join(folder, "gone.ts"), "");
  `;
  beforeEach(async () => {
    await write("node_modules/prisma/build/index.js", PRISMA);
    await write("prisma/schema.prisma", "first");
    await write(
      "src/main.ts",
      'import { model } from "./platform/store/generated/client";\nconsole.log(model);',
    );
  });

  it("is generated by the first start, and again when the data model has changed or a file is missing", async () => {
    const first = await start();
    expect([first.code, first.out]).toEqual([0, "first\n"]);
    expect(first.err).toMatch(
      /^Generating the Prisma client …\nCompiling \d+ changed sources …\n$/,
    );
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
    await write("prisma/schema.prisma", "second");
    expect(await start()).toEqual({ code: 0, out: "second\n", err: GENERATING });
    expect(await readdir(join(folder, "src/platform/store/generated"))).toEqual(["client.ts"]);
    expect(await readdir(join(folder, "dist/src/platform/store/generated"))).not.toContain(
      "gone.js",
    );
    await rm(join(folder, GENERATED));
    expect(await start()).toEqual({ code: 0, out: "second\n", err: GENERATING });
    expect((await readdir(join(folder, "dist"))).sort()).toEqual([
      "compiled.json",
      "generated.json",
      "src",
    ]);
  });

  it("several starts at once generate it without harm", async () => {
    const ends = await Promise.all([1, 2, 3, 4].map(() => start()));
    expect(ends.map(({ code, out }) => [code, out])).toEqual(Array(4).fill([0, "first\n"]));
  });

  it("a data model that Prisma refuses stops the start, with its reason", async () => {
    await write("prisma/schema.prisma", "broken");
    const { code, err } = await start();
    expect(code).toBe(1);
    expect(err).toContain("Signalbox could not be compiled: schema.prisma is broken\n");
  });

  it("without Prisma a clone says what is missing", async () => {
    await rm(join(folder, "node_modules/prisma"), { recursive: true });
    const { code, err } = await start();
    expect(code).toBe(1);
    expect(err).toContain("the Prisma client needs the package prisma: run npm ci\n");
  });

  it("a build runs without the packages for development, also without the generated sources", async () => {
    await start();
    await omitDevelopment();
    await rm(join(folder, "node_modules/prisma"), { recursive: true });
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
    await rm(join(folder, "src/platform/store/generated"), { recursive: true });
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
  });
});

describe("the dashboard", () => {
  const BUILDING = "Building the dashboard …\n";
  /** Stands in for Vite: builds a page that says what it was made of, as often as it runs. */
  const VITE = `
    const fs = require("node:fs");
    const { DASHBOARD_OUT, NODE_ENV } = process.env;
    const source = fs.readFileSync("index.html", "utf8");
    if (source === "broken") { console.error("index.html is broken"); process.exit(1); }
    fs.mkdirSync(DASHBOARD_OUT);
    fs.writeFileSync(DASHBOARD_OUT + "/index.html", source + " " + NODE_ENV + " " + process.pid);
  `;
  const page = () => readFile(join(folder, "dist/dashboard/index.html"), "utf8");
  /** Starts the service with a variable that the stand-ins of its modules read. */
  const startWith = (environment: Record<string, string>) =>
    endOf(
      spawn(process.execPath, ["bin/run.js", "src/main"], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...environment },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
  beforeEach(async () => {
    await write(
      "src/core/config.ts",
      `export function readConfig() {
        if (process.env.INVALID) throw Object.assign(new Error("invalid"), { name: "ConfigError" });
        return { DASHBOARD: process.env.DASHBOARD !== "off", PORT: process.env.PORT };
      }`,
    );
    await write(
      "src/core/startup/check-machine.ts",
      `export async function checkMachine({ PORT }: { PORT?: string }) {
        if (PORT === "taken") throw new Error("The port is in use.");
      }`,
    );
    for (const name of ["vite", "@mantine/core"]) {
      await write(`node_modules/${name}/package.json`, "{}");
    }
    await write("node_modules/vite/bin/vite.js", VITE);
    await write("dashboard/index.html", "first");
    await write("client/src/index.ts", "export {};");
    // Compiles what is there without the dashboard.
    await endOf(spawnNode("bin/signalbox.js"));
  });

  it("is built by the first start of the service, and again when one of its inputs has changed", async () => {
    expect(await start()).toEqual({ code: 0, out: "first\n", err: BUILDING });
    const built = await page();
    expect(built).toMatch(/^first production \d+$/);
    await utimes(join(folder, "dashboard/index.html"), 1_000, 1_000);
    await write("dashboard/README.md", "no input");
    await write("dashboard/node_modules/some/index.js", "no input");
    await write("dashboard/src/page.generated.ts", "made by the build");
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
    expect(await page()).toBe(built);
    for (const [path, text] of [
      ["dashboard/index.html", "second"],
      ["client/src/index.ts", "export const a = 1;"],
      ["package-lock.json", "{}"],
      ["dashboard/src/new.ts", ""],
    ] as const) {
      await write(path, text);
      expect([path, await start()]).toEqual([path, { code: 0, out: "first\n", err: BUILDING }]);
      expect((await start()).err).toBe("");
    }
    expect(await page()).toMatch(/^second /);
    expect((await readdir(join(folder, "dist"))).sort()).toEqual([
      "compiled.json",
      "dashboard",
      "src",
    ]);
  });

  it("is not built for other programs, nor with DASHBOARD=off; npm run build builds it", async () => {
    await endOf(spawnNode("bin/signalbox.js", "app", "list"));
    expect(await startWith({ DASHBOARD: "off" })).toEqual({ code: 0, out: "first\n", err: "" });
    expect(await readdir(join(folder, "dist"))).not.toContain("dashboard");
    for (const name of ["demo", "scripts", "bench", "fuzz", "tools"]) {
      await mkdir(join(folder, name), { recursive: true });
    }
    expect((await endOf(spawnNode("bin/build.js"))).err).toContain(BUILDING);
    expect(await page()).toMatch(/^first /);
  });

  it("is not built before a start that must fail, which says why at once", async () => {
    expect(await startWith({ PORT: "taken" })).toEqual({
      code: 1,
      out: "",
      err: "The port is in use.\n",
    });
    // The service itself reports an invalid configuration.
    expect(await startWith({ INVALID: "1" })).toEqual({ code: 0, out: "first\n", err: "" });
    expect(await readdir(join(folder, "dist"))).not.toContain("dashboard");
    // Once it is built, only the service checks the port.
    await start();
    expect((await startWith({ PORT: "taken" })).code).toBe(0);
  });

  it("that cannot be built is said, and the service starts with the one before", async () => {
    await start();
    await write("dashboard/index.html", "broken");
    const { code, out, err } = await start();
    expect([code, out]).toEqual([0, "first\n"]);
    expect(err).toMatch(/^Building[^\n]*\nindex.html is broken\nWarning: the dashboard could not/);
    expect(await page()).toMatch(/^first /);
    expect((await endOf(spawnNode("bin/dashboard.js"))).code).toBe(1);
  });

  it("two starts at once leave one whole build", async () => {
    const ended = await Promise.all([start(), start(), start()]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await page()).toMatch(/^first production \d+$/);
    expect((await start()).err).toBe("");
  });

  it("stays as it is built without the packages to build it", async () => {
    await start();
    await rm(join(folder, "node_modules/vite"), { recursive: true });
    await write("dashboard/index.html", "second");
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
    expect(await page()).toMatch(/^first /);
  });
});

describe("a folder that the user may not write to", () => {
  /** Starts the service as a user whom the modes of files bind: root keeps no right to override them. */
  const startBound = () => {
    const program = [process.execPath, "bin/run.js", "src/main"];
    const bound = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
    const [command = "", ...args] = [...bound, ...program];
    const env = { PATH: process.env.PATH, HOME: folder };
    return endOf(spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }));
  };

  it("says to build, if nothing is built", async () => {
    await chmod(folder, 0o555);
    expect(await startBound()).toEqual({
      code: 1,
      out: "",
      err: "Signalbox is not built, and this user may not write to its folder: run npm run build as a user who may.\n",
    });
    await chmod(folder, 0o755);
  });

  it("runs what is built, and warns if that is outdated", async () => {
    await start();
    await chmod(join(folder, "dist"), 0o555);
    expect(await startBound()).toEqual({ code: 0, out: "first\n", err: "" });
    await write("src/main.ts", said("second"));
    const { code, out, err } = await startBound();
    expect([code, out]).toEqual([0, "first\n"]);
    expect(err).toMatch(/^Warning: the sources have changed since they were built; [^\n]*\n$/);
    await chmod(join(folder, "dist"), 0o755);
  });
});

describe("without the packages for development", () => {
  it("a clone that was built starts", async () => {
    await start();
    await omitDevelopment();
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
  });

  it("a clone with the compiler alone, as a dependency of another package, is compiled", async () => {
    await writeManifest({ typescript: "5.9.3", jest: "1.0.0" });
    const { code, out, err } = await start();
    expect([code, out]).toEqual([0, "first\n"]);
    expect(err).toMatch(COMPILING);
  });

  it("a build whose sources were only copied starts, and need not be writable", async () => {
    await start();
    await utimes(join(folder, "src/main.ts"), 1_000, 1_000);
    const record = await readFile(join(folder, "dist/compiled.json"), "utf8");
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
    expect(await readFile(join(folder, "dist/compiled.json"), "utf8")).toBe(record);
  });

  it("npm run build says that the compiler is missing", async () => {
    await omitDevelopment();
    expect(await endOf(spawnNode("bin/build.js"))).toEqual({
      code: 1,
      out: "",
      err: "The compiler is not installed: run npm ci.\n",
    });
  });

  it("a clone that was not built says how to build it", async () => {
    await omitDevelopment();
    const how = "run npm ci && npm run build.\n";
    for (const ended of [await start(), await endOf(spawnNode("bin/signalbox.js", "doctor"))]) {
      expect(ended).toEqual({ code: 1, out: "", err: expect.stringMatching(/^Signalbox is not/) });
      expect(ended.err.split("\n")).toEqual([expect.stringContaining(how.trim()), ""]);
    }
  });

  it("a clone whose sources changed after the build warns, and runs the build", async () => {
    await start();
    await omitDevelopment();
    await write("src/main.ts", said("second"));
    const { code, out, err } = await start();
    expect([code, out]).toEqual([0, "first\n"]);
    expect(err).toMatch(/^Warning: the sources have changed since they were built; [^\n]*\n$/);
  });

  it("a demo that was built starts, and a script says that packages are missing", async () => {
    await write("demo/main.ts", said("demo"));
    const demo = () => endOf(spawnNode("bin/run.js", "demo/main"));
    await demo();
    await omitDevelopment();
    expect(await demo()).toEqual({ code: 0, out: "demo\n", err: "" });
    expect(await endOf(spawnNode("bin/run.js", "scripts/some"))).toEqual({
      code: 1,
      out: "",
      err: "Packages are not installed (typescript): run npm ci.\n",
    });
  });

  it("an installed package starts, without sources and without the programs that build them", async () => {
    await start();
    await endOf(spawnNode("bin/signalbox.js"));
    await omitDevelopment();
    await rm(join(folder, "dist/compiled.json"));
    await rm(join(folder, "src"), { recursive: true });
    const { files }: { files: string[] } = require(join(ROOT, "package.json"));
    for (const name of await readdir(join(folder, "bin"))) {
      if (!files.includes(`bin/${name}`)) await rm(join(folder, "bin", name));
    }
    expect(await start()).toEqual({ code: 0, out: "first\n", err: "" });
    const started = await endOf(spawnNode("bin/signalbox.js", "start"));
    expect(started).toEqual({ code: 0, out: "first\n", err: "" });
    expect((await endOf(spawnNode("bin/signalbox.js", "doctor"))).out).toMatch(/'doctor'\n\]\n$/);
  });
});

describe("what is missing is said in one sentence", () => {
  const both = async (...before: string[]) => [
    await endOf(spawnNode(...before, "bin/run.js", "src/main")),
    await endOf(spawnNode(...before, "bin/signalbox.js", "doctor")),
  ];

  it("packages", async () => {
    await rm(join(folder, "node_modules"), { recursive: true });
    await writeManifest({}, { fastify: "1.0.0", pino: "1.0.0", zod: "1.0.0" });
    const err = "Packages are not installed (fastify and 2 more): run npm ci.\n";
    for (const ended of await both()) expect(ended).toEqual({ code: 1, out: "", err });
  });

  it.each(["18.20.4", "20.18.3", "8.0.0"])("Node.js %s", async (version) => {
    await write(
      "old.js",
      `Object.defineProperty(process.versions, "node", { value: "${version}" });`,
    );
    const err = `Signalbox requires Node.js 20.19 or later, but this is ${version}: install a newer version.\n`;
    for (const ended of await both("-r", "./old.js")) {
      expect(ended).toEqual({ code: 1, out: "", err });
    }
  });

  it.each(["20.19.0", "22.0.0"])("but Node.js %s is accepted", async (version) => {
    await write(
      "new.js",
      `Object.defineProperty(process.versions, "node", { value: "${version}" });`,
    );
    expect((await endOf(spawnNode("-r", "./new.js", "bin/run.js", "src/main"))).code).toBe(0);
  });
});

describe("npm run dev", () => {
  /** A service that runs until it is asked to end. */
  const service = (word: string) =>
    `const timer: NodeJS.Timeout = setInterval(() => {}, 1_000);
     process.on("SIGTERM", () => { console.log("ended"); clearInterval(timer); process.exit(0); });
     console.log(${JSON.stringify(word)});`;

  it("compiles and restarts after each change, and goes on while a source has an error", async () => {
    for (const name of ["schema", "prisma/migrations"]) await write(`${name}/file`, "");
    await write("src/main.ts", service("first"));
    const child = spawnNode("bin/dev.js");
    const ended = endOf(child);
    let out = "";
    let err = "";
    child.stdout?.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      err += chunk;
    });
    try {
      const printed = (text: string) =>
        eventually(
          () => out,
          (all) => all === text,
        );
      await printed("first\n");
      await write("src/main.ts", service("second"));
      await printed("first\nended\nsecond\n");
      await write("src/main.ts", "const = 1;");
      await eventually(
        () => err,
        (all) => /src\/main\.ts\(1,7\): error/.test(all),
      );
      // Editors replace the file.
      await write("draft", service("third"));
      await rename(join(folder, "draft"), join(folder, "src/main.ts"));
      await printed("first\nended\nsecond\nended\nthird\n");
      await write("schema/file", "changed");
      await eventually(
        () => out,
        (all) => all.endsWith("third\nended\nthird\n"),
      );
    } finally {
      child.kill("SIGTERM");
    }
    expect((await ended).code).toBe(0);
    expect(out).toMatch(/ended\n$/);
  });
});
