const { relative } = require("node:path");

/** Limits a recording to given test files. A file that the command line names might run although its suite omits it. */
const { tree, tests } = JSON.parse(process.env.PLANTED_FAULTS_RECORDING);

module.exports = (paths) => ({
  filtered: paths.filter((path) => tests.length === 0 || tests.includes(relative(tree, path))),
});
