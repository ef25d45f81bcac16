const { RUN, suite } = require("./jest.suites.js");

/**
 * What is shipped: installed from where users get it, and run there.
 * @type {import("jest").Config}
 */
module.exports = {
  ...RUN,
  projects: [suite("ship")],
  // A guard against hanging alone, in milliseconds: the tests download and install packages.
  testTimeout: 20 * 60_000,
};
