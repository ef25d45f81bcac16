import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endOf } from "../../support/cli/command-line";

const ROOT = join(__dirname, "../../..");
/** Replaces the compiler; its output shows that it ran, and on which source. */
const BUILD = `node -e '
  const { readFileSync, writeFileSync, mkdirSync } = require("node:fs");
  console.log("noise of the build");
  const text = readFileSync("src/main.ts", "utf8");
  if (text === "mistake") process.exit(2);
  mkdirSync("dist/src/cli", { recursive: true });
  writeFileSync("dist/src/cli/commands.js",
    "exports.run = (words) => console.log(" + JSON.stringify(text) + ", ...words.slice(2))");
'`;

let folder: string;
let clock = Date.now() / 1000 - 1000;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-launcher-"));
  await mkdir(join(folder, "bin"));
  await copyFile(join(ROOT, "bin/signalbox.js"), join(folder, "bin/signalbox.js"));
  const scripts = { build: BUILD.replaceAll("\n", " ") };
  await write("package.json", JSON.stringify({ name: "signalbox", scripts }));
  await write("tsconfig.json", "{}");
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes a file dated in the past, each one second later than the previous one. */
async function write(path: string, text: string, seconds = ++clock): Promise<void> {
  const file = join(folder, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
  for (const each of [file, join(file, "..")]) await utimes(each, seconds, seconds);
}

/** Creates a clone: sources, and the compiler as installed by npm. */
async function clone(): Promise<void> {
  await mkdir(join(folder, "node_modules"));
  await symlink(join(ROOT, "node_modules/typescript"), join(folder, "node_modules/typescript"));
  await write("src/main.ts", "first");
}

const launch = (...words: string[]) =>
  endOf(
    spawn(process.execPath, [join(folder, "bin/signalbox.js"), ...words], {
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );

describe("in a clone", () => {
  it("builds once if there is no build, and says so on standard error", async () => {
    await clone();
    const first = await launch("app", "list");
    expect([first.code, first.out]).toEqual([0, "first app list\n"]);
    expect(first.err).toMatch(/^Building Signalbox.*noise of the build/s);
    expect(await launch("app")).toEqual({ code: 0, out: "first app\n", err: "" });
  });

  it("builds again only when a source was changed, added or removed", async () => {
    await clone();
    await launch();
    const later = Date.now() / 1000 + 10;
    await write("src/main.ts", "second", later);
    expect((await launch()).out).toBe("second\n");
    // The build is dated by its start, so only sources with a later date are built again.
    await write("src/main.ts", "third", 1000);
    await utimes(join(folder, "src"), 1000, 1000);
    expect(await launch()).toEqual({ code: 0, out: "second\n", err: "" });
    await write("src/deep/added.ts", "", later);
    expect((await launch()).out).toBe("third\n");
  });

  it("accepts a build by npm run build", async () => {
    await clone();
    await write("dist/src/cli/commands.js", 'exports.run = () => console.log("by npm")');
    await write("dist/build.tsbuildinfo", "{}");
    expect(await launch()).toEqual({ code: 0, out: "by npm\n", err: "" });
    await write("tsconfig.json", '{"changed": true}');
    expect((await launch()).out).toBe("first\n");
  });

  it("does not run an outdated build if the build fails", async () => {
    await clone();
    await launch();
    await write("src/main.ts", "mistake", Date.now() / 1000 + 10);
    for (let time = 0; time < 2; time++) {
      const { code, out, err } = await launch();
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/could not be built: run npm ci/);
    }
  });
});

describe("in an installed package", () => {
  it("runs the existing build without sources or a compiler", async () => {
    await write("dist/src/cli/commands.js", 'exports.run = () => console.log("installed")');
    expect(await launch()).toEqual({ code: 0, out: "installed\n", err: "" });
    await write("src/main.ts", "newer");
    expect(await launch()).toEqual({ code: 0, out: "installed\n", err: "" });
  });
});
