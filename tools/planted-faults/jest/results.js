const { appendFileSync } = require("node:fs");
const { relative } = require("node:path");

/** Writes the result of each test file at once, as a line of JSON: with --bail, Jest exits without its own. */
module.exports = class {
  onTestFileResult({ path }, { testExecError, failureMessage, testResults }) {
    const { tree, results } = JSON.parse(process.env.PLANTED_FAULTS_RUN);
    const failed = testResults.find(({ status }) => status === "failed");
    const line = {
      test: relative(tree, path),
      failed: Boolean(failed || testExecError || failureMessage),
      testCase: failed?.fullName ?? null,
    };
    appendFileSync(results, `${JSON.stringify(line)}\n`);
  }
};
