const { compileChanged } = require("./bin/compile.js");
const { RUN, suite } = require("./jest.suites.js");

// Pages load it.
compileChanged(["client/src"], () => {});

/**
 * The suites without services: `unit` is part of npm run check, npm test runs the others on the embedded
 * database.
 * @type {import("jest").Config}
 */
module.exports = {
  ...RUN,
  projects: [
    suite("unit"),
    suite("integration"),
    suite("contract", {
      // How PostgreSQL plans statements takes 100,000 rows, and the embedded one plans them likewise.
      testPathIgnorePatterns: ["/node_modules/", "/test/contract/([a-z]+-)*indexes\\.test\\.ts$"],
    }),
    suite("flow"),
  ],
};
