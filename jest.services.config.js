// The same tests with a real PostgreSQL and a real Redis, which the set-up starts.
process.env.TEST_SERVICES = "1";

/** @type {import("jest").Config} */
module.exports = {
  ...require("./jest.config.js"),
  globalSetup: "<rootDir>/test/support/services-setup.ts",
  globalTeardown: "<rootDir>/test/support/services-teardown.ts",
};
