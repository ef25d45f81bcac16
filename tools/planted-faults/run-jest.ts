import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/core/package-root";
import { recordFolder } from "./records";
import type { Suite } from "./suites";
import type { TreeCopy } from "./tree-copy";

/** The result of a test file, as jest/results.js writes it. */
export interface TestResult {
  test: string;
  failed: boolean;
  /** Name of the first failed test; null if the file could not run. */
  testCase: string | null;
}

/** A test that waits for what a fault has lost fails after this time, in milliseconds: the longest take a tenth. */
const TEST_TIMEOUT_MS = 120_000;

const JEST_FILES = join(packageRoot(), "tools/planted-faults/jest");
/** The end of the output of a failed run that an error shows, in characters. */
const SHOWN_OUTPUT = 4_000;

/**
 * Runs test files of a suite in a copy, in the given order, until the first has failed.
 * @param tests paths relative to the root
 * @param deadline in milliseconds of the clock; the run is stopped then
 * @returns the results of the files that ended; fewer than the tests after a failure or the deadline
 * @throws Error if Jest fails without a result
 */
export async function runTests(
  copy: TreeCopy,
  suite: Suite,
  tests: readonly string[],
  deadline: number,
): Promise<TestResult[]> {
  const results = join(copy.root, "dist/planted-faults.jsonl");
  rmSync(results, { force: true });
  const order = { tree: copy.root, order: tests, results };
  const { code, output, stopped } = await jest(
    copy.root,
    [
      ...["--config", suite.config, "--selectProjects", ...suite.projects],
      ...["--bail", "--cacheDirectory", copy.jestCache, "--testTimeout", String(TEST_TIMEOUT_MS)],
      ...["--testSequencer", join(JEST_FILES, "given-order.js")],
      ...["--reporters", join(JEST_FILES, "results.js"), "--runTestsByPath", ...tests],
    ],
    { PLANTED_FAULTS_RUN: JSON.stringify(order) },
    { deadline, isQuiet: true },
  );
  const lines = existsSync(results) ? readFileSync(results, "utf8").trim().split("\n") : [];
  const found = lines.filter(Boolean).map((line) => JSON.parse(line) as TestResult);
  const isExpected = stopped || (code === 0) === found.every(({ failed }) => !failed);
  if (isExpected && (stopped || found.length > 0)) return found;
  throw new Error(`Jest ended with ${code}:\n${output.slice(-SHOWN_OUTPUT)}`);
}

/**
 * Records what the test files of a suite execute. Failing tests are recorded like others.
 * @param tests paths relative to the root; all when empty
 */
export async function recordTests(
  tree: string,
  suite: Suite,
  tests: readonly string[],
): Promise<void> {
  const folder = recordFolder(tree, suite);
  // Records of test files that the suite has lost would still select these.
  if (tests.length === 0) rmSync(folder, { recursive: true, force: true });
  const recording = { tree, folder, config: suite.config, tests };
  await jest(
    tree,
    [
      ...["--config", join(JEST_FILES, "recording.config.js")],
      ...["--filter", join(JEST_FILES, "given-tests.js")],
      ...["--selectProjects", ...suite.projects],
    ],
    { PLANTED_FAULTS_RECORDING: JSON.stringify(recording) },
    { deadline: Number.POSITIVE_INFINITY, isQuiet: false },
  );
}

/** Runs Jest. @param isQuiet whether its output is kept instead of printed */
function jest(
  cwd: string,
  args: readonly string[],
  variables: Record<string, string>,
  { deadline, isQuiet }: { deadline: number; isQuiet: boolean },
): Promise<{ code: number | null; output: string; stopped: boolean }> {
  const program = ["--experimental-vm-modules", "node_modules/jest/bin/jest.js"];
  const child = spawn(process.execPath, [...program, ...args], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", isQuiet ? "pipe" : "inherit", isQuiet ? "pipe" : "inherit"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-SHOWN_OUTPUT);
    });
  }
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill();
  };
  const timer = Number.isFinite(deadline) ? setTimeout(stop, deadline - Date.now()) : undefined;
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, stopped });
    });
  });
}
