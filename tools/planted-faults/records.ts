import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "@swc/core";
import { packageRoot } from "../../src/core/package-root";
import type { Area, Place } from "./fault";
import type { Suite } from "./suites";

/** What a test file executes, as jest/recording-environment.js writes it. */
export interface TestRecord {
  /** Path of the test file, relative to the root. */
  test: string;
  milliseconds: number;
  /** Whether the worker had loaded the modules before, so that only calls of functions are recorded. */
  sharesModules: boolean;
  /** Programs that it has started, which are not recorded: tests kill most of them. */
  programs: string[];
  /** By source: the hash of its text, and the executed functions as ranges of the compiled code. */
  sources: Record<string, { hash: string; ranges: Range[] }>;
}

type Range = [start: number, end: number];

/** The test files of each area: they run early, and for all its faults if they start the service in a process. */
const TESTS_OF: Record<Area, RegExp> = {
  access: /account|dashboard|security/,
  sessions: /session|sign-in|security/,
  users: /user|account|dashboard/,
  push: /push/,
  calls: /call|signal|chat/,
  inbox: /inbox|call|signal|chat/,
  conferences: /conference|janus/,
  rest: /rest|api/,
  xmpp: /chat|stream/,
  janus: /conference|janus/,
  limits: /limit|counting|operations/,
};
/** How much longer a test file of the area may take than another one, and still run before it. */
const AREA_FACTOR = 10;
/** The media process of conferences, which has none of the faults. */
const MEDIA_PROCESS = /^src\/conferences\/engine\//;

/** The folder with the records of a tree. */
export function cacheFolder(tree: string): string {
  return join(tree, "node_modules/.cache/planted-faults");
}

/** The folder with the records of a suite. */
export function recordFolder(tree: string, suite: Suite): string {
  return join(cacheFolder(tree), suite.name.replace(/\W/g, "-"));
}

/** Reads the records of a suite. */
export function readRecords(tree: string, suite: Suite): TestRecord[] {
  const folder = recordFolder(tree, suite);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as TestRecord,
  );
}

/**
 * The test files of a suite that execute a place, fast ones first: those that execute the smallest function around it, or
 * any function of a source that has changed since. What is executed only when a module is loaded is not recorded where
 * test files share modules: then these are all that execute anything of the source.
 * @param all the records of all suites
 */
export function testsOf(
  records: readonly TestRecord[],
  all: readonly TestRecord[],
  area: Area,
  place: Place,
): TestRecord[] {
  const [from, to] = changedRange(place);
  const hash = createHash("sha256").update(place.original).digest("hex").slice(0, 16);
  const of = ({ sources }: TestRecord) => sources[place.file];
  /** The size of the smallest executed function around the place; infinite if there is none. */
  const smallestOf = (record: TestRecord) =>
    (of(record)?.ranges ?? [])
      .filter(([start, end]) => start <= from && end >= to)
      .reduce(
        (smallest, [start, end]) => Math.min(smallest, end - start),
        Number.POSITIVE_INFINITY,
      );
  const current = all.filter((record) => of(record)?.hash === hash);
  const sizes = new Map(current.map((record) => [record, smallestOf(record)]));
  const smallest = Math.min(...sizes.values());
  const isOnlyLoaded = current.every(
    (record) => !record.sharesModules || sizes.get(record) === Number.POSITIVE_INFINITY,
  );
  const executes = (record: TestRecord): boolean => {
    const source = of(record);
    if (!source) return false;
    if (source.hash !== hash || (record.sharesModules && isOnlyLoaded)) return true;
    return sizes.get(record) === smallest;
  };
  const isOfArea = ({ test }: TestRecord) => TESTS_OF[area].test(test);
  const starts = (record: TestRecord) =>
    isOfArea(record) && record.programs.some((program) => !MEDIA_PROCESS.test(program));
  const delayOf = (record: TestRecord) =>
    record.milliseconds / (isOfArea(record) ? AREA_FACTOR : 1);
  return records
    .filter((record) => executes(record) || starts(record))
    .sort((a, b) => delayOf(a) - delayOf(b));
}

/** The range of the compiled original that a fault changes. */
function changedRange({ file, original, planted }: Place): Range {
  const before = compile(file, original);
  const after = compile(file, planted);
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let kept = 0;
  const most = Math.min(before.length, after.length) - start;
  while (kept < most && before.at(-1 - kept) === after.at(-1 - kept)) kept += 1;
  return [start, before.length - kept];
}

/** Compiles a source as the tests do. @throws Error for a syntax error */
function compile(file: string, text: string): string {
  const [, options] = require(join(packageRoot(), "jest.suites.js")).TRANSFORM;
  return transformSync(text, { ...options, filename: file }).code;
}
