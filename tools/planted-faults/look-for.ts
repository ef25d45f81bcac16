import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Fault, Place } from "./fault";
import { type TestRecord, testsOf } from "./records";
import { runTests } from "./run-jest";
import type { Suite } from "./suites";
import type { TreeCopy } from "./tree-copy";

/**
 * What became of a planted fault.
 *
 * - `caught`: a test fails with it, and passes without it.
 * - `survived`: all test files that execute the place pass.
 * - `not executed`: no recorded test file executes the place.
 * - `not finished`: the time was up before.
 */
export type Outcome = "caught" | "survived" | "not executed" | "not finished";

/** The report of a fault. */
export interface Report {
  fault: string;
  area: string;
  effect: string;
  /** File and line of the place. */
  place: string;
  outcome: Outcome;
  /** The suite, the file and the test that caught it. */
  by: { suite: string; test: string; testCase: string | null } | null;
  /** Number of test files that ran with the fault. */
  tests: number;
  seconds: number;
  /** Test files that failed without the fault too, and so prove nothing. */
  unreliable: string[];
}

/** What a search for faults needs. */
export interface Search {
  copy: TreeCopy;
  /** The suites that look for the faults, in this order, and their records. */
  suites: ReadonlyMap<Suite, readonly TestRecord[]>;
  /** When the search ends, in milliseconds of the clock. */
  deadline: number;
  /** Runs these test files alone; all when empty. */
  tests: readonly string[];
  /** Whether test files pass without a fault, by suite and path. */
  passing: Map<string, boolean>;
}

/** Plants a fault, and runs the test files that execute its place until one fails. */
export async function lookFor(search: Search, fault: Fault, place: Place): Promise<Report> {
  const began = Date.now();
  const report: Report = {
    fault: fault.name,
    area: fault.area,
    effect: fault.effect,
    place: `${place.file}:${place.line}`,
    outcome: "not executed",
    by: null,
    tests: 0,
    seconds: 0,
    unreliable: [],
  };
  const all = [...search.suites.values()].flat();
  for (const [suite, records] of search.suites) {
    const tests = testsOf(records, all, fault.area, place)
      .map(({ test }) => test)
      .filter((test) => existsSync(join(search.copy.root, test)))
      .filter((test) => search.tests.length === 0 || search.tests.includes(test));
    if (tests.length > 0) report.outcome = await runSuite(search, suite, tests, place, report);
    if (["caught", "not finished"].includes(report.outcome)) break;
  }
  report.seconds = Math.round((Date.now() - began) / 1000);
  return report;
}

/** Runs the test files of one suite with a fault, until one fails that passes without it. */
async function runSuite(
  search: Search,
  suite: Suite,
  tests: readonly string[],
  place: Place,
  report: Report,
): Promise<Outcome> {
  let left = tests;
  while (left.length > 0) {
    if (Date.now() >= search.deadline) return "not finished";
    const results = await withFault(search.copy, place, () =>
      runTests(search.copy, suite, left, search.deadline),
    );
    report.tests += results.length;
    for (const { test, testCase } of results.filter(({ failed }) => failed)) {
      if (await passesWithout(search, suite, test)) {
        report.by = { suite: suite.name, test, testCase };
        return "caught";
      }
      report.unreliable.push(test);
    }
    const ended = new Set(results.map(({ test }) => test));
    left = left.filter((test) => !ended.has(test));
  }
  return "survived";
}

async function withFault<T>(copy: TreeCopy, place: Place, run: () => Promise<T>): Promise<T> {
  copy.plant(place);
  try {
    return await run();
  } finally {
    copy.restore(place);
  }
}

/** Whether a test file passes without a fault. */
async function passesWithout(search: Search, suite: Suite, test: string): Promise<boolean> {
  const key = `${suite.name} ${test}`;
  const known = search.passing.get(key);
  if (known !== undefined) return known;
  const results = await runTests(search.copy, suite, [test], Number.POSITIVE_INFINITY);
  const passes = results.every(({ failed }) => !failed);
  search.passing.set(key, passes);
  return passes;
}
