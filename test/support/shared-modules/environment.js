const { statSync } = require("node:fs");
const { join } = require("node:path");
const { TestEnvironment } = require("jest-environment-node");

const SOURCES = join(__dirname, "../../../src");
let loadedAt = Date.now();

/**
 * Forgets the modules of `src` if one has changed since they were loaded. In watch mode, Jest may run a file in the
 * process that ran it before.
 */
function forgetChangedModules() {
  const paths = Object.keys(require.cache).filter((path) => path.startsWith(SOURCES));
  const isChanged = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs > loadedAt;
  if (!paths.some(isChanged)) return;
  for (const path of paths) delete require.cache[path];
  delete globalThis.TypeGraphQLMetadataStorage;
  loadedAt = Date.now();
}

/**
 * Node's environment for test files that share the modules of `src` and its packages: a worker loads them once, by
 * Node itself and not in the registry of each file. The test files and their support have a registry of their own.
 * @see transform.js
 */
module.exports = class SharedModulesEnvironment extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    super(...parameters);
    // Required here and not above: while Jest loads this file, it transforms all that is required.
    require("../../../tools/run-typescript.js");
    require("reflect-metadata");
    forgetChangedModules();
    // Processes that the service forks load TypeScript as the tests do.
    process.execArgv = ["-r", join(__dirname, "../../../tools/run-typescript.js")];
    this.global.sharedRequire = require;
    this.global.sharedGlobal = globalThis;
    // The service reads the same variables as the test sets.
    this.variables = { ...process.env };
    this.global.process.env = process.env;
    // Shared modules recognize these by `instanceof`, whichever side has created them.
    Object.assign(this.global, { Error, TypeError, RangeError, AggregateError, Date, Map, Set });
  }

  async teardown() {
    for (const name of Object.keys(process.env)) {
      if (!(name in this.variables)) delete process.env[name];
    }
    Object.assign(process.env, this.variables);
    await super.teardown();
  }
};
