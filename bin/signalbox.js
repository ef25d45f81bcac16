#!/bin/sh
//bin/sh -c :; exec node -- "$0" "$@"
// The command line of Signalbox, and the programs that it starts. A shell runs the line above: without -- Node.js 20 takes
// --env-file for itself, and ends with an error of its own if the file is missing. For Node.js it is a comment.
const { prepare } = require("./prepare.js");

/** Commands that are programs of their own: they run without what the command line loads. */
const PROGRAMS = new Map([
  ["start", "src/main"],
  ["demo", "demo/main"],
  ["demo:call", "demo/call/main"],
  ["demo:conference", "demo/conference/main"],
]);

const args = process.argv.slice(2);
const isOption = (arg, index) => /^--env-file(=|$)/.test(arg) || args[index - 1] === "--env-file";
const others = args.filter((arg, index) => !isOption(arg, index));
const program = others.length === 1 ? PROGRAMS.get(others[0]) : undefined;
if (program === undefined) {
  require(prepare("src/transports/cli/commands")).run(process.argv);
} else {
  process.argv.splice(2, args.length, program, ...args.filter(isOption));
  require("./run.js");
}
