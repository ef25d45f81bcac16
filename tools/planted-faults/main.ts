/**
 * Plants small faults in a copy of the sources, one at a time, and reports which of them the test suite notices:
 *
 *     npm run planted-faults -- --record
 *     npm run planted-faults -- --only push-to-blocked-user
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPlace, sourcesOf } from "./fault";
import { lookFor, type Report, type Search } from "./look-for";
import { type Options, readOptions } from "./options";
import { cacheFolder, readRecords } from "./records";
import { recordTests } from "./run-jest";
import { TreeCopy } from "./tree-copy";

/** Runs work in a copy of a tree, which is removed afterwards, also when the program is stopped. */
async function inCopy<T>(tree: string, work: (copy: TreeCopy) => Promise<T>): Promise<T> {
  const copy = new TreeCopy(tree);
  const stop = () => {
    copy.remove();
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    return await work(copy);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
    copy.remove();
  }
}

function list({ tree, faults }: Options): boolean {
  for (const fault of faults) {
    const { file, line } = findPlace(tree, fault);
    console.log(`${fault.area}: ${fault.name} (${file}:${line}): ${fault.effect}`);
  }
  return true;
}

async function record({ tree, suites, tests }: Options): Promise<boolean> {
  for (const suite of suites) {
    const own = tests.filter((test) => suite.projects.some((name) => test.includes(`/${name}/`)));
    if (tests.length === 0 || own.length > 0) await recordTests(tree, suite, own);
  }
  return true;
}

/** Compiles a copy with all faults at once: each is in a place of its own. */
function check({ tree, faults }: Options): Promise<boolean> {
  return inCopy(tree, async (copy) => {
    for (const fault of faults) copy.plant(findPlace(copy.root, fault));
    const compiler = ["node_modules/typescript/bin/tsc", "-p", ".", "--noEmit"];
    const { status } = spawnSync(process.execPath, compiler, { cwd: copy.root, stdio: "inherit" });
    return status === 0;
  });
}

async function look({ tree, faults, suites, tests, minutes }: Options): Promise<boolean> {
  const records = new Map(suites.map((suite) => [suite, readRecords(tree, suite)]));
  if ([...records.values()].flat().length === 0) {
    throw new Error("Nothing is recorded: run npm run planted-faults -- --record first");
  }
  const sources = sourcesOf(tree);
  const placed = faults.map((fault) => ({ fault, place: findPlace(tree, fault, sources) }));
  const reports: Report[] = [];
  const deadline = Date.now() + minutes * 60_000;
  await inCopy(tree, async (copy) => {
    const search: Search = { copy, suites: records, deadline, tests, passing: new Map() };
    for (const { fault, place } of placed) {
      const report = await lookFor(search, fault, place);
      reports.push(report);
      console.error(`${report.fault}: ${report.outcome} after ${report.seconds} s`);
    }
  });
  const path = join(cacheFolder(tree), "results.json");
  mkdirSync(cacheFolder(tree), { recursive: true });
  writeFileSync(path, `${JSON.stringify(reports, null, 2)}\n`);
  console.log(`${tableOf(reports)}\n\nThe same in JSON: ${path}`);
  return reports.every(({ outcome }) => outcome === "caught");
}

/** The reports as a table in Markdown. */
function tableOf(reports: readonly Report[]): string {
  const rows = reports.map(({ fault, area, place, outcome, by, tests, seconds }) => {
    const test = by ? `${by.test} (${by.suite}): ${by.testCase ?? "the file did not run"}` : "";
    return [area, fault, place, outcome, test.replaceAll("|", "\\|"), tests, seconds];
  });
  const head = ["area", "fault", "place", "outcome", "caught by", "test files", "seconds"];
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

const MODES = { list, record, check, look };

async function main(): Promise<void> {
  const options = readOptions();
  process.exitCode = (await MODES[options.mode](options)) ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
