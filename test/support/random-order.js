const { default: Sequencer } = require("@jest/test-sequencer");
require("../../tools/run-typescript.js");
const { seededRandom, shuffled } = require("../../tools/seeded-random.ts");

/** Most files that take long are among the fifth of this size and more. */
const LONG_BYTES = 12_000;

/** @param {import("@jest/test-result").Test} test */
const isLong = ({ context, path }) => (context.hasteFS.getSize(path) ?? 0) >= LONG_BYTES;

/**
 * Runs test files in a random order, since those that run in one worker share modules: a file that depends on another one
 * before it, or suffers from it, fails in some order. All of the order is random but for its end: a long file that would
 * start in the last quarter starts before it, so that no worker runs it while the others have nothing left to do.
 *
 * The order follows from TEST_SEED and the files alone. Durations and failures of earlier runs, which Jest's own order
 * follows, would make each run an order that no seed repeats; `--onlyFailures` runs the failed files. Which of several
 * workers gets a file depends on their speed: `--maxWorkers=1` repeats that as well.
 */
module.exports = class RandomOrder extends Sequencer {
  /** @param {import("@jest/test-result").Test[]} tests */
  sort(tests) {
    // Jest estimates the time of the run from them.
    for (const test of tests) test.duration = this.time(test);
    const random = seededRandom(Number(process.env.TEST_SEED));
    const order = shuffled(
      random,
      [...tests].sort((a, b) => (a.path < b.path ? -1 : 1)),
    );
    const quarter = order.splice(Math.ceil(order.length * 0.75));
    const before = order.length;
    for (const test of quarter) {
      order.splice(isLong(test) ? random(before) : order.length, 0, test);
    }
    return order;
  }
};
