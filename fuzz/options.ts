import { parseArgs } from "node:util";
import type { DeploymentName } from "./deployment/deployment";
import type { Target } from "./targets/target";

/** What a run does. */
export interface Options {
  /** Seconds for all targets on all deployments together, without the starts. */
  seconds: number;
  /** In place of the time: so many inputs for each target on each deployment. */
  inputs: number | null;
  seed: number;
  /** Number of the first case of each target. */
  from: number;
  /** Cases of each target at most. */
  cases: number;
  targets: Target[];
  deployments: DeploymentName[];
  /** Milliseconds that a node's event loop may stand. */
  hangMs: number;
}

const USAGE = `npm run fuzz -- [options]
  --seconds N      time for all targets together, without the starts (120)
  --inputs N       in place of the time: inputs for each target on each deployment
  --seed N         seed of every case (1)
  --target NAMES   of: %TARGETS%; comma-separated (all)
  --on NAMES       embedded, services (two nodes on Redis and PostgreSQL); comma-separated (both)
  --hang-ms N      how long a node's event loop may stand (10000, which a busy machine keeps;
                   1000 on a quiet one)
  --from N         first case, of a violation to be seen again (0)
  --cases N        cases of each target at most`;

/** Reads the words of the command line; says how to use them where they are wrong. */
export function readOptions(all: Target[]): Options {
  const text = (fallback: string) => ({ type: "string", default: fallback }) as const;
  const { values } = parseArgs({
    options: {
      ...{ seconds: text("120"), inputs: { type: "string" }, seed: text("1") },
      ...{ target: text(""), on: text("embedded,services"), "hang-ms": text("10000") },
      ...{ from: text("0"), cases: { type: "string" }, help: { type: "boolean" } },
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
