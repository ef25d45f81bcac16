// Runs before each test file: processes that the code forks load TypeScript as the tests do.
const { join } = require("node:path");

process.execArgv = ["-r", join(__dirname, "../../tools/run-typescript.js")];

// No test writes to the folder of the person who runs it.
process.env.XDG_CONFIG_HOME = "/dev/null";

// Jest records 100 frames of each error, and maps them to the sources. A service answers thousands of errors here.
Error.stackTraceLimit = 10;
