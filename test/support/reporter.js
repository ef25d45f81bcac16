/** @typedef {import("@jest/reporters").AggregatedResult} AggregatedResult */

const TENTHS = 10;
const secondsSince = (time) => Math.round((Date.now() - time) / 1000);

/**
 * Says at the start what runs, about how long and by which seed, shows the progress where there is no terminal for that of
 * Jest, and ends with one line.
 * @implements {import("@jest/reporters").Reporter}
 */
module.exports = class SignalboxReporter {
  /** @param {import("@jest/types").Config.GlobalConfig} config */
  constructor(config) {
    this.config = config;
  }

  /**
   * @param {AggregatedResult} results
   * @param {{ estimatedTime: number }} options in seconds, from what Jest has measured of earlier runs
   */
  onRunStart({ numTotalTestSuites: files }, { estimatedTime }) {
    const { maxWorkers } = this.config;
    const time = estimatedTime > 0 ? `, about ${Math.ceil(estimatedTime)} s` : "";
    const workers = maxWorkers === 1 ? "one process" : `${maxWorkers} processes`;
    const what = files === 1 ? "One file" : `${files} files`;
    process.stderr.write(`${what} in ${workers}${time} (TEST_SEED=${process.env.TEST_SEED})\n`);
  }

  /** @param {unknown} _test @param {unknown} _result @param {AggregatedResult} results */
  onTestFileResult(_test, _result, results) {
    const { numTotalTestSuites: files, startTime } = results;
    if (process.stderr.isTTY || files < TENTHS) return;
    const { numPassedTestSuites, numFailedTestSuites, numPendingTestSuites } = results;
    const done = numPassedTestSuites + numFailedTestSuites + numPendingTestSuites;
    const tenthOf = (count) => Math.floor((count * TENTHS) / files);
    if (tenthOf(done) === tenthOf(done - 1)) return;
    process.stderr.write(`${done} of ${files} files after ${secondsSince(startTime)} s\n`);
  }

  /** @param {Set<unknown>} _contexts @param {AggregatedResult} results */
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numFailedTestSuites, startTime, wasInterrupted } =
      results;
    const outcome =
      numFailedTestSuites > 0
        ? `FAILED: ${numFailedTests} tests in ${numFailedTestSuites} files`
        : `${wasInterrupted ? "Interrupted" : "Passed"}: ${numPassedTests} tests`;
    const line = `${outcome} in ${secondsSince(startTime)} s\n`;
    // Jest's own summary comes after all other reporters.
    setImmediate(() => process.stderr.write(line));
  }
};
