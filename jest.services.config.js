const { buildFolders } = require("./bin/prepare.js");
const { RUN, suite } = require("./jest.suites.js");

// Suites use generated sources, and pages of tests load the compiled client package.
buildFolders(["src", "client/src"]);

process.env.TEST_SERVICES = "1";

const services = {
  globalSetup: "<rootDir>/test/support/services/setup.js",
  globalTeardown: "<rootDir>/test/support/services/teardown.js",
};

/**
 * The suites with a real PostgreSQL and a real Redis, which the set-up starts: those that a database or
 * the bus makes a difference to, once more, and `system`.
 * @type {import("jest").Config}
 */
module.exports = {
  ...RUN,
  projects: [suite("contract", services), suite("flow", services), suite("system", services)],
};
