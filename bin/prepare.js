// What a program needs before it runs: Node.js, packages, and a build of the sources as they are now.
const { checkRequirements, fail } = require("./requirements.js");

/**
 * Checks the requirements of a program, and compiles what has changed. A clone without the packages for
 * development, or an installed package, runs what is built. Exits with one sentence if that is impossible.
 * @param {string} program path of its source, without the extension: src/main
 * @returns {string} path of the compiled program
 */
exports.prepare = (program) => {
  const path = prepareProgram(program);
  // The dashboard belongs to the service alone, which also runs without it.
  if (program === "src/main" && !/^(off|false|0|no)$/i.test(process.env.DASHBOARD || "")) {
    const report = (text) => process.stderr.write(`${text}\n`);
    const built = require("./dashboard.js").buildDashboard(report);
    if (!built)
      report("Warning: the dashboard could not be built; the service starts without the change.");
  }
  return path;
};

function prepareProgram(program) {
  checkRequirements(!program.startsWith("src/"));
  // Loaded only now: an old version of Node.js cannot load it.
  const { existsSync } = require("node:fs");
  const { spawnSync } = require("node:child_process");
  const { join } = require("node:path");
  const { foldersFor, hasChanged, hasCompiler, isOutdated, outputOf } = require("./compile.js");
  const path = outputOf(`${program}.ts`);
  const folders = foldersFor(program);
  if (hasCompiler()) {
    if (!hasChanged(folders)) return path;
    // In its own process, so that a service does not keep the compiler in memory. What a program prints is all
    // that may be on standard output.
    const stdio = ["ignore", process.stderr, process.stderr];
    const { status } = spawnSync(process.execPath, [join(__dirname, "build.js"), ...folders], {
      stdio,
    });
    if (status !== 0) process.exit(1);
  } else if (!existsSync(path)) {
    fail(
      "Signalbox is not built, and the packages that build it are not installed: run npm ci && npm run build.",
    );
  } else if (isOutdated()) {
    process.stderr.write(
      "Warning: the sources have changed since they were built; run npm ci && npm run build to use them.\n",
    );
  }
  return path;
}
