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
  if (program === "src/main") prepareDashboard();
  return path;
};

function prepareProgram(program) {
  const { existsSync } = require("node:fs");
  const { canWriteBuild, foldersFor, hasCompiler, isOutdated, outputOf } = require("./compile.js");
  const path = outputOf(`${program}.ts`);
  if (process.stderr.isTTY && program === "src/main" && !existsSync(path)) {
    report("The first start takes about half a minute, each later one a few seconds.");
  }
  if (hasCompiler() && canWriteBuild()) {
    buildFolders(foldersFor(program));
  } else if (!existsSync(path)) {
    fail(
      hasCompiler()
        ? "Signalbox is not built, and this user may not write to its folder: run npm run build as a user who may."
        : "Signalbox is not built, and the packages that build it are not installed: run npm ci && npm run build.",
    );
  } else if (isOutdated()) {
    report(
      "Warning: the sources have changed since they were built; run npm ci && npm run build to use them.",
    );
  }
  return path;
}

/**
 * Builds the dashboard if it is outdated and wanted. Only the service has it, and also runs without it. What
 * would keep the service from starting is found before, since the build takes twenty seconds.
 */
function prepareDashboard() {
  const { canWriteBuild } = require("./compile.js");
  const { buildDashboard, isDashboardOutdated } = require("./dashboard.js");
  if (!canWriteBuild() || !isDashboardOutdated() || !isDashboardOn()) return;
  checkMachine();
  if (!buildDashboard(require("./steps.js").startStep)) {
    report("Warning: the dashboard could not be built; the service starts without the change.");
  }
}

/** Whether the configuration turns the dashboard on. The service reports an invalid one when it starts. */
function isDashboardOn() {
  try {
    return require(compiled("core/config")).readConfig().DASHBOARD;
  } catch (error) {
    if (error.name === "ConfigError") return false;
    throw error;
  }
}

const CHECK_SCRIPT = `const [, config, machine] = process.argv;
require(machine).checkMachine(require(config).readConfig()).catch((error) => {
  process.stderr.write(error.message + "\\n");
  process.exit(1);
});`;

/** Exits with the reason if the service cannot start on this machine: a port in use, a folder that is not writable. */
function checkMachine() {
  const { spawnSync } = require("node:child_process");
  const modules = [compiled("core/config"), compiled("core/startup/check-machine")];
  // The arguments may name a file with environment variables.
  const args = ["-e", CHECK_SCRIPT, "--", ...modules, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) process.exit(1);
}

/** Path of a compiled module of src/. */
function compiled(name) {
  return require("./compile.js").outputOf(`src/${name}.ts`);
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
