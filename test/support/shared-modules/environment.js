const { join } = require("node:path");
const { TestEnvironment } = require("jest-environment-node");

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
    require("../run-typescript.js");
    require("reflect-metadata");
    // Processes that the service forks load TypeScript as the tests do.
    process.execArgv = ["-r", join(__dirname, "../run-typescript.js")];
    this.global.sharedRequire = require;
    // Shared modules recognize these by `instanceof`, whichever side has created them.
    Object.assign(this.global, { Error, TypeError, RangeError, AggregateError, Date, Map, Set });
  }
};
