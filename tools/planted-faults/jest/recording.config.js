const { join } = require("node:path");

/** The configuration of a recording: that of a tree, with the environment that records. */

const { tree, config } = JSON.parse(process.env.PLANTED_FAULTS_RECORDING);
const { projects, ...rest } = require(join(tree, config));

/** The module of an environment. */
function environmentOf({ testEnvironment }) {
  if (testEnvironment === "node") return require.resolve("jest-environment-node");
  return testEnvironment.replace("<rootDir>", tree);
}

module.exports = {
  ...rest,
  rootDir: tree,
  projects: projects.map((project) => ({
    ...project,
    rootDir: tree,
    testEnvironment: join(__dirname, "recording-environment.js"),
    testEnvironmentOptions: { base: environmentOf(project) },
  })),
};
