// What a program needs before it runs: Node.js, packages, and a build of the sources as they are now.
const { checkRequirements, fail } = require("./requirements.js");

const report = (text) => process.stderr.write(`${text}\n`);

/**
 * Checks the requirements of a program, and generates and compiles what has changed. A clone without the packages for
 * development runs what is built. Exits with one sentence if that is impossible.
 * @param {string} program path of its source, without the extension: src/main
 * @returns {string} path of the compiled program
 */
exports.prepare = (program) => {
  // The npm package contains these alone.
  checkRequirements(!/^(src|demo)\//.test(program));
  // Loaded only now: an old version of Node.js cannot load it.
  const { existsSync } = require("node:fs");
  const { join } = require("node:path");
  const root = join(__dirname, "..");
  // The npm package is built, and has neither sources nor the programs of bin/ that build them.
  if (!existsSync(join(root, "src"))) return join(root, `dist/${program}.js`);
  const path = prepareProgram(program);
  // The dashboard belongs to the service alone, which also runs without it.
  if (program === "src/main" && !/^(off|false|0|no)$/i.test(process.env.DASHBOARD || "")) {
    const built = require("./dashboard.js").buildDashboard(report);
    if (!built)
      report("Warning: the dashboard could not be built; the service starts without the change.");
  }
  return path;
};

function prepareProgram(program) {
  const { existsSync } = require("node:fs");
  const { foldersFor, hasCompiler, isOutdated, outputOf } = require("./compile.js");
  const path = outputOf(`${program}.ts`);
  if (hasCompiler()) {
    buildFolders(foldersFor(program));
  } else if (!existsSync(path)) {
    fail(
      "Signalbox is not built, and the packages that build it are not installed: run npm ci && npm run build.",
    );
  } else if (isOutdated()) {
    report(
      "Warning: the sources have changed since they were built; run npm ci && npm run build to use them.",
    );
  }
  return path;
}

/**
 * Generates and compiles what has changed, in a process of its own, so that this one does not keep the compiler in memory.
 * Exits if that fails.
 * @param {string[]} folders as compile.js names them
 */
function buildFolders(folders) {
  const { spawnSync } = require("node:child_process");
  const { join } = require("node:path");
  const { hasChanged } = require("./compile.js");
  const { outdatedGroups } = require("./generated.js");
  if (!hasChanged(folders) && outdatedGroups(folders).length === 0) return;
  // What a program prints is all that may be on standard output.
  const stdio = ["ignore", process.stderr, process.stderr];
  const { status } = spawnSync(process.execPath, [join(__dirname, "build.js"), ...folders], {
    stdio,
  });
  if (status !== 0) process.exit(1);
}

exports.buildFolders = buildFolders;
