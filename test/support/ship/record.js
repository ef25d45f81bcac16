/**
 * test/ship/passed.json records with what each file of test/ship has passed, since the suite takes too long to run each
 * time. A rule compares that with what is there now.
 */
const { createHash } = require("node:crypto");
const { readFileSync, writeFileSync } = require("node:fs");
const { join, relative } = require("node:path");
const { fingerprintOf } = require("../../../bin/fingerprint.js");
const { productionLock } = require("../../../bin/shrinkwrap.js");

const root = join(__dirname, "../../..");
const RECORD = join(root, "test/ship/passed.json");
/** Fields of package.json that say what is packed, installed and started. A release changes others. */
const MANIFEST_FIELDS = [
  ...["bin", "dependencies", "engines", "exports", "files", "overrides", "peerDependencies"],
  ...["peerDependenciesMeta", "publishConfig", "sideEffects", "type", "types"],
];
const SCRIPTS = ["build", "prepack", "postpack"];
/** What decides how the service is built, packed and started, beside the sources, which other suites test. */
const PACKAGE = [
  ...["bin", "tsconfig.json", "client/tsconfig.json", "src/main.ts"],
  ...["demo/main.ts", "demo/call/main.ts", "demo/conference/main.ts"],
  "test/support/ship/installed-package.ts",
];

/** The files of test/ship, and the files and folders for whose present content each must have passed. */
const FILES = {
  "test/ship/image.test.ts": [
    ...PACKAGE,
    ...["Dockerfile", ".dockerignore", "test/ship/image.test.ts", "test/support/ship/image.ts"],
  ],
  "test/ship/package.test.ts": [
    ...PACKAGE,
    ...["test/ship/package.test.ts", "test/support/ship/registry.ts"],
  ],
  "test/ship/upgrade.test.ts": [
    ...["prisma/migrations", "src/platform/store/migration", "src/platform/store/migrate.ts"],
    ...["src/platform/store/migrate-server.ts", "src/platform/store/migrations.ts"],
    ...["test/ship/upgrade.test.ts", "test/support/upgrade/conference-load.ts"],
    ...["test/support/upgrade/load.ts", "test/support/upgrade/versions.ts"],
  ],
};

const readText = (path) => readFileSync(join(root, path), "utf8");
const readJson = (path) => JSON.parse(readText(path));

/** What a package.json says of packing, installing and starting. */
function manifestOf(path) {
  const manifest = readJson(path);
  const scripts = SCRIPTS.map((name) => manifest.scripts[name]);
  return [...MANIFEST_FIELDS.map((name) => manifest[name]), ...scripts];
}

/** The parts of files on which the tests of the package and of the image depend. */
function packageParts() {
  const { packages } = productionLock(readJson("package-lock.json"), true);
  const { "": _root, ...locked } = packages;
  // The commands that install the package, which its test runs.
  const install = readText("docs/DEPLOY.md")
    .split("```")
    .find((part) => part.includes("tar -xzf"));
  return [manifestOf("package.json"), manifestOf("client/package.json"), locked, install];
}

/** @returns a hash for each file of test/ship of all that it depends on */
function shippedHashes() {
  const parts = JSON.stringify(packageParts());
  const hashes = Object.entries(FILES).map(([file, paths]) => {
    const hash = createHash("sha256").update(fingerprintOf(paths));
    if (paths.includes("bin")) hash.update(parts);
    return [file, hash.digest("base64url")];
  });
  return Object.fromEntries(hashes);
}

/** @returns the hash with which each file has passed */
function passedHashes() {
  return readJson(relative(root, RECORD));
}

/**
 * A reporter that records each file of test/ship whose tests have all passed.
 * @implements {import("@jest/reporters").Reporter}
 */
class ShipRecord {
  constructor() {
    // What changes during the run may not have been tested.
    this.hashes = shippedHashes();
  }

  /** @param {import("@jest/reporters").Test} test @param {import("@jest/reporters").TestResult} result */
  onTestFileResult({ path }, { numFailingTests, numPendingTests, numPassingTests, testExecError }) {
    const file = relative(root, path);
    const passed = numPassingTests > 0 && numFailingTests + numPendingTests === 0;
    if (!passed || testExecError || !(file in this.hashes)) return;
    const recorded = { ...passedHashes(), [file]: this.hashes[file] };
    const sorted = Object.fromEntries(Object.entries(recorded).sort());
    writeFileSync(RECORD, `${JSON.stringify(sorted, null, 2)}\n`);
  }
}

module.exports = ShipRecord;
module.exports.shippedHashes = shippedHashes;
module.exports.passedHashes = passedHashes;
