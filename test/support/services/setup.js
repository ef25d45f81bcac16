const { fork } = require("node:child_process");
const { join } = require("node:path");

/**
 * Jest's global setup with services: starts them in a process of their own, which ends with this one. Jest compiles what
 * its setup loads as it compiles test files, and these share their modules.
 */
module.exports = async () => {
  const child = fork(join(__dirname, "process.ts"), {
    execArgv: ["-r", join(__dirname, "../../../tools/run-typescript.js")],
  });
  globalThis[Symbol.for("signalbox.test.services")] = child;
  const variables = await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`The services ended with ${code}`)));
  });
  Object.assign(process.env, variables);
};
