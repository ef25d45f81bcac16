// Checks what every program needs before anything else is loaded. This file, and what runs before it, uses only
// syntax and modules of old versions of Node.js too, so that they can say that they are too old.
// biome-ignore lint/style/useNodejsImportProtocol: see above
const fs = require("fs");
// biome-ignore lint/style/useNodejsImportProtocol: see above
const path = require("path");

const root = path.join(__dirname, "..");

/** Prints why a program cannot run, and exits. */
function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function checkNode(required) {
  const [neededMajor, neededMinor] = required.split(".").map(Number);
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return;
  const { node } = process.versions;
  fail(
    `Signalbox requires Node.js ${required} or later, but this is ${node}: install a newer version.`,
  );
}

/** Whether a package is installed here, or above if Signalbox is itself an installed package. */
function isInstalled(name, folder) {
  if (fs.existsSync(path.join(folder, "node_modules", name, "package.json"))) return true;
  const parent = path.dirname(folder);
  return parent !== folder && isInstalled(name, parent);
}

function checkPackages(names) {
  const missing = names.filter((name) => !isInstalled(name, root));
  if (missing.length === 0) return;
  const more = missing.length === 1 ? "" : ` and ${missing.length - 1} more`;
  fail(`Packages are not installed (${missing[0]}${more}): run npm ci.`);
}

/** Beside an installation for all users npm does not install the peers. */
function checkPeers(versions) {
  const missing = Object.keys(versions).filter((name) => !isInstalled(name, root));
  if (missing.length === 0) return;
  if (fs.existsSync(path.join(root, "src"))) return checkPackages(missing);
  const named = missing.map((name) => `${name}@${versions[name]}`).join(" ");
  fail(`Packages are not installed beside signalbox: run npm install --global ${named}.`);
}

/**
 * Exits with one sentence if Node.js is too old or packages are missing.
 * @param {boolean} development whether the program also needs the packages for development
 */
function checkRequirements(development) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  checkNode(manifest.engines.node.replace(">=", ""));
  checkPackages(Object.keys(manifest.dependencies));
  checkPeers(manifest.peerDependencies || {});
  if (development) checkPackages(Object.keys(manifest.devDependencies));
}

module.exports = { checkRequirements, fail };
