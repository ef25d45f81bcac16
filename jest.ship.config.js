const { RUN, suite } = require("./jest.suites.js");

/**
 * What is shipped: installed from where users get it, and run there.
 * @type {import("jest").Config}
 */
module.exports = {
  ...RUN,
  reporters: [...RUN.reporters, "<rootDir>/test/support/ship/record.js"],
  projects: [suite("ship")],
  // While npm packs, the folder has lock files that a build of the image must not see.
  maxWorkers: 1,
  // A guard against hanging alone, in milliseconds: the tests download and install packages.
  testTimeout: 20 * 60_000,
};
