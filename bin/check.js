// npm run check: runs the checks at the same time, and prints the output of each when it has ended.
const { spawn } = require("node:child_process");
const { join } = require("node:path");

const { generateChanged } = require("./generated.js");
const { startStep } = require("./steps.js");

const root = join(__dirname, "..");
const local = (name) => join(root, "node_modules", name);
const LOADER = join(root, "tools/run-typescript.js");

/** The checks, longest first. */
const CHECKS = {
  types: [local("typescript/bin/tsc"), "-p", "."],
  "format and lint": [local("@biomejs/biome/bin/biome"), "ci", "--colors=off", "."],
  "types of the client": [local("typescript/bin/tsc"), "-p", "client", "--noEmit"],
  "types of the client's tests": [local("typescript/bin/tsc"), "-p", "test/client.tsconfig.json"],
  "types of the React example": [
    local("typescript/bin/tsc"),
    "-p",
    "test/react-example.tsconfig.json",
  ],
  "types of the call page": [local("typescript/bin/tsc"), "-p", "demo/call/page"],
  "types of the conference page": [local("typescript/bin/tsc"), "-p", "demo/conference/page"],
  "types of the dashboard": [local("typescript/bin/tsc"), "-p", "dashboard"],
  "types of the dashboard's tests": [
    local("typescript/bin/tsc"),
    "-p",
    "test/components.tsconfig.json",
  ],
  rules: [
    "--experimental-vm-modules",
    local("jest/bin/jest.js"),
    ...["--config", "jest.config.js", "--runInBand", "test/rules/"],
  ],
  // Compiled by SWC, in memory: a fresh clone need not compile all sources for it.
  "generated files": ["-r", LOADER, join(root, "scripts/generate.ts"), "--check"],
};

const secondsSince = (began) => ((performance.now() - began) / 1000).toFixed(1);

/** Runs a check. @returns whether it passed */
function run([name, args]) {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once("close", (code) => {
      const outcome = code === 0 ? "passed" : "FAILED";
      process.stdout.write(`${output}=== ${name} ${outcome} in ${secondsSince(began)} s\n`);
      resolve(code === 0);
    });
  });
}

async function main() {
  const began = performance.now();
  await generateChanged(["src", "client/src"], (text) => startStep(text, process.stdout));
  const passed = await Promise.all(Object.entries(CHECKS).map(run));
  const failed = Object.keys(CHECKS).filter((_, index) => !passed[index]);
  const result = failed.length === 0 ? "All checks passed" : `Failed: ${failed.join(", ")};`;
  process.stdout.write(`${result} in ${secondsSince(began)} s.\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main().catch((error) => {
  process.stdout.write(`Sources could not be generated: ${error.message}\n`);
  process.exitCode = 1;
});
