#!/usr/bin/env node
// The command line of Signalbox. It runs what is built. A clone is built first, and again whenever its
// sources have changed; an installed package has nothing to build with, and runs as it is.
const { existsSync, readdirSync, statSync, utimesSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { spawnSync } = require("node:child_process");

const root = join(__dirname, "..");
const main = join(root, "dist/src/cli/commands.js");
/** Its time is that of the last sources that were built from here. */
const stamp = join(root, "dist/built-from");

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Time of the last change below a folder; a file that was removed changes its folder. */
function lastChange(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((last, entry) => {
    const path = join(folder, entry.name);
    return Math.max(last, entry.isDirectory() ? lastChange(path) : changedAt(path));
  }, changedAt(folder));
}

function isBuilt() {
  if (!existsSync(main)) return false;
  const built = Math.max(changedAt(stamp), changedAt(join(root, "dist/build.tsbuildinfo")));
  const settings = ["package.json", "tsconfig.json", "tsconfig.build.json"];
  const last = Math.max(
    lastChange(join(root, "src")),
    ...settings.map((name) => changedAt(join(root, name))),
  );
  return last <= built;
}

function build() {
  process.stderr.write("Building Signalbox from its sources; this takes some seconds.\n");
  const began = Date.now() / 1000;
  // What a command answers is all that may stand on standard output.
  const stdio = ["ignore", process.stderr, process.stderr];
  const shell = process.platform === "win32";
  const built = spawnSync("npm", ["run", "-s", "build"], { cwd: root, stdio, shell });
  if (built.status !== 0) {
    process.stderr.write("Signalbox could not be built: run npm ci, then npm run build.\n");
    process.exit(1);
  }
  writeFileSync(stamp, "");
  utimesSync(stamp, began, began);
}

const canBuild =
  existsSync(join(root, "src")) && existsSync(join(root, "node_modules/typescript/package.json"));
if (canBuild ? !isBuilt() : !existsSync(main)) build();
require(main).run(process.argv);
