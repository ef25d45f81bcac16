import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../../src/core/package-root";
import type { Fault } from "./fault";
import { FAULTS } from "./faults";
import { SUITES, type Suite } from "./suites";

/** Options of a run. */
export interface Options {
  mode: "list" | "check" | "record" | "look";
  faults: readonly Fault[];
  suites: readonly Suite[];
  /** Root of the tree that faults are planted in copies of. */
  tree: string;
  /** Test files to record or run, relative to the root; all when empty. */
  tests: string[];
  minutes: number;
}

const USAGE = `npm run planted-faults -- [options]
  --record         record once which functions each test file executes; the other runs need it
  --list           print the faults and their places
  --check          check that the code with all faults compiles
  --only NAMES     faults to plant; comma-separated (all)
  --suites NAME    npm-test: the suites of npm test; all: also those with services (all)
  --tests PATHS    test files to record or run; comma-separated (all)
  --tree PATH      another checkout, with its packages (this one)
  --minutes N      when the search ends (60)`;

/** Parses the command line; prints the usage and exits if it is invalid. */
export function readOptions(): Options {
  const flag = { type: "boolean", default: false } as const;
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  try {
    const { values } = parseArgs({
      options: {
        ...{ record: flag, list: flag, check: flag, help: flag },
        only: text(""),
        suites: text("all"),
        tests: text(""),
        tree: text(packageRoot()),
        minutes: text("60"),
      },
    });
    if (values.help) throw new Error("planted-faults plants faults, and runs the tests");
    const only = namesIn(values.only);
    const unknown = only.find((name) => !FAULTS.some((fault) => fault.name === name));
    if (unknown !== undefined) throw new Error(`There is no fault ${unknown}`);
    if (!/^(npm-test|all)$/.test(values.suites)) throw new Error("--suites takes npm-test or all");
    const minutes = Number(values.minutes);
    if (!(minutes > 0)) throw new Error("--minutes takes a positive number");
    return {
      mode: values.list ? "list" : values.check ? "check" : values.record ? "record" : "look",
      faults: FAULTS.filter(({ name }) => only.length === 0 || only.includes(name)),
      suites: values.suites === "all" ? SUITES : SUITES.slice(0, 1),
      tree: resolve(values.tree),
      tests: namesIn(values.tests),
      minutes,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(1);
  }
}

const namesIn = (text: string) => text.split(",").filter(Boolean);
