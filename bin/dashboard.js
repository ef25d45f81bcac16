// Builds the dashboard with Vite, once: again only when something that goes into it has changed. The build is put in
// place as a whole, so that neither a failed nor a concurrent one leaves half of it.
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const { join } = require("node:path");
const { fingerprintOf } = require("./fingerprint.js");

const root = join(__dirname, "..");
const SOURCES = join(root, "dashboard");
const BUILD = join(root, "dist/dashboard");
/** What the build was made of, beside its files. */
const RECORD = join(BUILD, "built.json");
/** Files and folders whose content decides whether the build is current. */
const INPUTS = [
  "dashboard",
  "client/src",
  "client/operations",
  "scripts/typed-operations.ts",
  "package-lock.json",
  "bin/dashboard.js",
];
/** Typed operations are made of the inputs, by Vite. */
const IGNORED = /^(node_modules|dist|README\.md|generated|.*\.generated\.ts)$/;

/** The fingerprint of the build; null without one. */
function builtFrom() {
  try {
    return JSON.parse(fs.readFileSync(RECORD, "utf8")).fingerprint;
  } catch {
    return null;
  }
}

/** Whether the sources and the packages to build them are there. They are not after `npm ci --omit=dev`. */
function canBuild() {
  const packages = ["vite", "@mantine/core"].map((name) =>
    join("node_modules", name, "package.json"),
  );
  return [...packages, "dashboard/index.html"].every((path) => fs.existsSync(join(root, path)));
}

/** Attempts to put a build in place, while other starts do the same. */
const INSTALL_ATTEMPTS = 20;

/** Puts a finished build in place of the one before, unless another start has put the same build there. */
function install(folder, wanted) {
  const old = `${folder}.old`;
  for (let attempt = 1; builtFrom() !== wanted; attempt += 1) {
    try {
      if (fs.existsSync(BUILD)) fs.renameSync(BUILD, old);
      fs.renameSync(folder, BUILD);
    } catch (error) {
      // Another start has moved or replaced the build since the check.
      if (attempt === INSTALL_ATTEMPTS) throw error;
    } finally {
      fs.rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Whether the dashboard is to be built: its inputs have changed, and the packages for it are installed. */
function isDashboardOutdated() {
  return canBuild() && builtFrom() !== fingerprintOf(INPUTS, IGNORED);
}

/**
 * Builds the dashboard if its inputs have changed. Without the packages for it, what is built stays.
 * @param {(text: string) => void | ((done: string) => void)} report is called once if there is something to build, and with
 *   the errors of a build; what it returns is called when that is done
 * @returns {boolean} false if the build has failed
 */
function buildDashboard(report) {
  if (!isDashboardOutdated()) return true;
  const wanted = fingerprintOf(INPUTS, IGNORED);
  const done = report("Building the dashboard …");
  const folder = `${BUILD}.${process.pid}`;
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vite, "build", "--logLevel", "warn"],
    {
      cwd: SOURCES,
      encoding: "utf8",
      env: { ...process.env, NODE_ENV: "production", DASHBOARD_OUT: folder },
    },
  );
  try {
    if (status !== 0) {
      report(`${stdout}${stderr}`.trim());
      return false;
    }
    fs.writeFileSync(join(folder, "built.json"), JSON.stringify({ fingerprint: wanted }));
    install(folder, wanted);
    done?.("Built the dashboard");
    return true;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { buildDashboard, isDashboardOutdated };

if (require.main === module) {
  const built = buildDashboard(require("./steps.js").startStep);
  if (!built) process.exitCode = 1;
}
