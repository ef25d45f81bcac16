/** @typedef {import("@jest/reporters").AggregatedResult} AggregatedResult */

/**
 * Says at the start what runs and about how long, and ends with one line.
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
    process.stderr.write(`${files === 1 ? "One file" : `${files} files`} in ${workers}${time}\n`);
  }

  /** @param {Set<unknown>} _contexts @param {AggregatedResult} results */
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numFailedTestSuites, startTime, wasInterrupted } =
      results;
    const seconds = Math.round((Date.now() - startTime) / 1000);
    const outcome =
      numFailedTestSuites > 0
        ? `FAILED: ${numFailedTests} tests in ${numFailedTestSuites} files`
        : `${wasInterrupted ? "Interrupted" : "Passed"}: ${numPassedTests} tests`;
    process.stderr.write(`${outcome} in ${seconds} s\n`);
  }
};
