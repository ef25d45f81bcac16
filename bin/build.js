// npm run build: compiles everything that has changed and builds the dashboard, or compiles only the folders that are
// named.
const { checkRequirements, fail } = require("./requirements.js");

checkRequirements(false);
const { FOLDERS, compileChanged, hasCompiler } = require("./compile.js");
if (!hasCompiler()) fail("The compiler is not installed: run npm ci.");
const folders = process.argv.slice(2);
try {
  compileChanged(folders.length > 0 ? folders : FOLDERS, (text) => {
    process.stderr.write(`${text}\n`);
  });
} catch (error) {
  fail(`Signalbox could not be compiled: ${error.message}`);
}
if (folders.length === 0) {
  const { buildDashboard } = require("./dashboard.js");
  const built = buildDashboard((text) => process.stderr.write(`${text}\n`));
  if (!built) fail("The dashboard could not be built.");
}
