#!/usr/bin/env node
// The command line of Signalbox. It runs what is built; a fresh clone is built first.
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { spawnSync } = require("node:child_process");

const root = join(__dirname, "..");
const main = join(root, "dist/src/cli/commands.js");
if (!existsSync(main)) {
  const built = spawnSync("npm", ["run", "-s", "build"], { cwd: root, stdio: "inherit" });
  if (built.status !== 0) {
    process.stderr.write("Signalbox could not be built: run npm ci, then npm run build.\n");
    process.exit(1);
  }
}
require(main).run(process.argv);
