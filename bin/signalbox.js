#!/usr/bin/env node
// The command line of Signalbox, and the programs that it starts.
const { prepare } = require("./prepare.js");

/** Commands that are programs of their own: they run without what the command line loads. */
const PROGRAMS = new Map([
  ["start", "src/main"],
  ["demo", "demo/main"],
  ["demo:call", "demo/call/main"],
  ["demo:conference", "demo/conference/main"],
]);

const [, , command, ...more] = process.argv;
const program = more.length === 0 ? PROGRAMS.get(command) : undefined;
if (program === undefined) {
  require(prepare("src/transports/cli/commands")).run(process.argv);
} else {
  process.argv[2] = program;
  require("./run.js");
}
