// Runs a program of this repository in this process, after compiling what has changed: node bin/run.js
// src/main. The service, the demo and the scripts of package.json start so.
const { prepare } = require("./prepare.js");

const path = prepare(process.argv[2]);
process.argv.splice(1, 2, path);
require("node:module").runMain();
