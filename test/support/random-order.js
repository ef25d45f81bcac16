const { default: Sequencer } = require("@jest/test-sequencer");
require("../../tools/run-typescript.js");
const { seededRandom, shuffled } = require("../../tools/seeded-random.ts");

/** Most files that take long are among the fifth of this size and more. */
const LONG_BYTES = 12_000;

/** @param {import("@jest/test-result").Test} test */
const isLong = ({ context, path }) => (context.hasteFS.getSize(path) ?? 0) >= LONG_BYTES;

/**
 * Runs test files in a random order, since those that run in one worker share modules: a file that depends on another one
 * before it, or suffers from it, fails in some order. Only the last quarter is not free: it has no long file, so that no
 * worker still runs one while the others have nothing left to do.
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
    const short = order.filter((test) => !isLong(test));
    const last = new Set(short.slice(-Math.floor(order.length / 4)));
    return [...order.filter((test) => !last.has(test)), ...last];
  }
};
