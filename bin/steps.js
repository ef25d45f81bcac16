// Says on standard error what a build does. On a terminal it also says how long each step took.

/** Output of steps: standard error, or what stands in for it. @typedef {{ isTTY?: boolean, write(text: string): unknown }} Output */

/**
 * Begins a step.
 * @param {string} text what begins
 * @param {Output} output
 * @param {() => number} now the time in milliseconds
 * @returns {(text: string) => void} call it with what is done
 */
function startStep(text, output = process.stderr, now = Date.now) {
  const startedAt = now();
  output.write(`${text}\n`);
  return (done) => {
    if (!output.isTTY) return;
    output.write(`  ${done} in ${((now() - startedAt) / 1000).toFixed(1)} s.\n`);
  };
}

module.exports = { startStep };
