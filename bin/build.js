// npm run build: generates and compiles everything that has changed and builds the dashboard, or generates and compiles
// only what the named folders need.
const { checkRequirements, fail } = require("./requirements.js");

checkRequirements(false);
const { FOLDERS, compileChanged, hasCompiler } = require("./compile.js");
if (!hasCompiler()) fail("The compiler is not installed: run npm ci.");
const { generateChanged } = require("./generated.js");
const named = process.argv.slice(2);
const folders = named.length > 0 ? named : FOLDERS;
const { startStep: report } = require("./steps.js");

async function build() {
  // The generators run in processes of their own, while this one compiles.
  const generating = generateChanged(folders, report);
  // Its failure is awaited below.
  generating.catch(() => {});
  compileChanged(folders, report);
  if (await generating) compileChanged(folders, () => {});
  if (named.length > 0) return;
  const { buildDashboard } = require("./dashboard.js");
  if (!buildDashboard(report)) fail("The dashboard could not be built.");
}

build().catch((error) => fail(`Signalbox could not be compiled: ${error.message}`));
