// npm run test:all: runs the checks and every suite, the matrices in full, one after the other. Each has a time limit as a
// guard against hanging. The last line counts the tests of all; the exit status is non-zero if anything failed.
const { spawn } = require("node:child_process");
const { join } = require("node:path");

/** The runs: arguments of npm, and the time limit in minutes. */
const RUNS = {
  check: [["run", "check"], 10],
  test: [["test"], 45],
  services: [["run", "test:services", "--", "--ignoreProjects", "system"], 30],
  system: [["run", "test:system"], 40],
  fuzz: [["run", "fuzz", "--", "--seconds", "120"], 8],
};

/** Runs a program and shows what it prints. @returns its output, and whether it passed */
function run(args, minutes) {
  const child = spawn("npm", args, {
    cwd: join(__dirname, ".."),
    env: { ...process.env, EXHAUSTIVE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that the limit ends the suite's processes as well.
    detached: true,
  });
  const end = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const interrupt = (signal) => {
    end(signal);
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  const limit = setTimeout(() => {
    process.stdout.write(`=== did not end within ${minutes} minutes\n`);
    end("SIGTERM");
    setTimeout(() => end("SIGKILL"), 30_000).unref();
  }, minutes * 60_000);
  let output = "";
  for (const stream of ["stdout", "stderr"]) {
    child[stream].setEncoding("utf8").on("data", (text) => {
      process[stream].write(text);
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once("close", (code) => {
      clearTimeout(limit);
      for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, interrupt);
      resolve({ output, passed: code === 0 });
    });
  });
}

/** A count of the last summary that Jest, or the fuzzer, has printed. */
function countOf(output, outcome) {
  const summary = output.match(/^Tests: .*$/gm)?.at(-1) ?? "";
  return Number(new RegExp(`(\\d+) ${outcome}`).exec(summary)?.[1] ?? 0);
}

async function main() {
  const total = { passed: 0, failed: 0 };
  for (const [name, [args, minutes]] of Object.entries(RUNS)) {
    const began = Date.now();
    process.stdout.write(`\n=== ${name}\n`);
    const { output, passed } = await run(args, minutes);
    const failed = countOf(output, "failed");
    total.passed += countOf(output, "passed");
    // A suite that fails without a failed test counts as one failure.
    total.failed += passed ? failed : Math.max(failed, 1);
    const seconds = Math.round((Date.now() - began) / 1000);
    process.stdout.write(`=== ${name} ${passed ? "passed" : "FAILED"} in ${seconds} s\n`);
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

main();
