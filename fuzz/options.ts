import { parseArgs } from "node:util";
import type { DeploymentName } from "./deployment/deployment";
import type { Target } from "./targets/target";

/** Options of a run. */
export interface Options {
  /** Total time for all targets on all deployments, without starting nodes, in seconds. */
  seconds: number;
  /** Replaces the time limit: number of inputs per target and deployment. */
  inputs: number | null;
  seed: number;
  /** Number of the first case of each target. */
  from: number;
  /** Maximum number of cases per target. */
  cases: number;
  targets: Target[];
  deployments: DeploymentName[];
  /** Maximum event loop delay of a node, in milliseconds. */
  hangMs: number;
}

const USAGE = `npm run fuzz -- [options]
  --seconds N      total time for all targets, without starting nodes (120)
  --inputs N       number of inputs per target and deployment, instead of a time limit
  --seed N         random seed (1)
  --target NAMES   of: %TARGETS%; comma-separated (all)
  --on NAMES       embedded, services (two nodes on Redis and PostgreSQL); comma-separated (both)
  --hang-ms N      maximum event loop delay (10000, suitable for a busy machine;
                   use 1000 on an idle one)
  --from N         first case, to reproduce a violation (0)
  --cases N        maximum number of cases per target`;

/** Parses the command line; prints the usage and exits if it is invalid. */
export function readOptions(all: Target[]): Options {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  const { values } = parseArgs({
    options: {
      seconds: text("120"),
      inputs: { type: "string" },
      seed: text("1"),
      target: text(""),
      on: text("embedded,services"),
      "hang-ms": text("10000"),
      from: text("0"),
      cases: { type: "string" },
      help: { type: "boolean" },
    } as const,
  });
  const targets = choose(values.target, all, "target");
  const deployments = choose(
    values.on,
    [{ name: "embedded" as const }, { name: "services" as const }],
    "on",
  );
  if (values.help) fail(all, 0);
  return {
    seconds: whole("seconds", values.seconds),
    inputs: values.inputs === undefined ? null : whole("inputs", values.inputs),
    seed: whole("seed", values.seed),
    from: whole("from", values.from),
    cases: values.cases === undefined ? Number.POSITIVE_INFINITY : whole("cases", values.cases),
    targets,
    deployments: deployments.map(({ name }) => name),
    hangMs: whole("hang-ms", values["hang-ms"]),
  };

  function whole(name: string, given: string): number {
    if (!/^\d+$/.test(given)) fail(all, 1, `--${name} must be a whole number`);
    return Number(given);
  }

  function choose<T extends { name: string }>(given: string, known: T[], option: string): T[] {
    const names = given.split(",").filter(Boolean);
    const unknown = names.find((name) => !known.some((each) => each.name === name));
    if (unknown !== undefined) fail(all, 1, `--${option}: there is no ${unknown}`);
    return names.length === 0 ? known : known.filter(({ name }) => names.includes(name));
  }
}

function fail(all: Target[], code: number, problem?: string): never {
  if (problem !== undefined) console.error(problem);
  console.log(USAGE.replace("%TARGETS%", all.map(({ name }) => name).join(", ")));
  process.exit(code);
}
