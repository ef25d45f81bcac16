import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { packageRoot } from "../src/core/package-root";
import { toTable } from "./markdown";
import { medianRatio, parseFigures } from "./pair-figures";

const USAGE = `npm run bench:pairs -- BEFORE [--pairs N] [--script NAME] [--tracing RATIO] [-- ARGUMENTS of the benchmark]
  BEFORE     folder of another checkout, with its packages installed, or of this one
  --pairs    number of pairs (7)
  --script   bench, bench:signals or bench:push (bench)
  --tracing  share of traces that this checkout records, from 0 to 1; without an SDK if absent`;

const run = promisify(execFile);

/** Runs a benchmark in a checkout and returns its tables. @param variables in addition to those of this process */
async function runIn(
  folder: string,
  script: string,
  args: readonly string[],
  variables: Record<string, string>,
): Promise<string> {
  const { stdout } = await run("npm", ["run", "--silent", script, "--", ...args], {
    cwd: folder,
    env: { ...process.env, ...variables },
    maxBuffer: 16_777_216,
  });
  return stdout;
}

/**
 * Compares two checkouts by pairs of runs on one machine. The order within a pair alternates, so that a drift of
 * the machine affects both alike.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      pairs: { type: "string", default: "7" },
      script: { type: "string", default: "bench" },
      tracing: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [before, ...args] = positionals;
  if (values.help || before === undefined) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 1);
  }
  const folders = { before: resolve(before), after: packageRoot() };
  const { tracing } = values;
  const traced: Record<string, string> = tracing === undefined ? {} : { BENCH_TRACING: tracing };
  const variables = { before: {}, after: traced };
  const ratios = new Map<string, number[]>();
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const order = pair % 2 === 0 ? (["before", "after"] as const) : (["after", "before"] as const);
    const tables = { before: "", after: "" };
    for (const side of order) {
      tables[side] = await runIn(folders[side], values.script, args, variables[side]);
    }
    const [old, current] = [parseFigures(tables.before), parseFigures(tables.after)];
    if (old.length !== current.length) throw new Error("The checkouts measure different rows");
    for (const [index, { row, figure, value }] of current.entries()) {
      const name = `${row} | ${figure}`;
      ratios.set(name, [...(ratios.get(name) ?? []), value / (old[index]?.value ?? Number.NaN)]);
    }
    console.log(`pair ${pair + 1} of ${values.pairs}`);
  }
  console.log(
    toTable(
      ["row", "figure", "median ratio", "interval", "worse"],
      [...ratios].map(([name, list]) => {
        const { median, low, high } = medianRatio(list);
        const [row = "", figure = ""] = name.split(" | ");
        const worse = median > 1.05 && low > 1 ? "**yes**" : "";
        return [row, figure, median.toFixed(2), `${low.toFixed(2)} to ${high.toFixed(2)}`, worse];
      }),
      ["row", "figure", "worse"],
    ),
  );
}

void main();
