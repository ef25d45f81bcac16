#!/usr/bin/env node
// The command line of Signalbox.
const { prepare } = require("./prepare.js");

require(prepare("src/transports/cli/commands")).run(process.argv);
