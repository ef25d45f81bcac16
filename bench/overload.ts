import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "../scripts/services/postgres-server";
import { type BenchmarkRun, startRun } from "./benchmark-run";
import { Driver } from "./driver-process";
import type { LoadJob, LoadRequest } from "./load";
import type { LoadResult } from "./load-result";
import { putIntoReadme, short, toTable, verdict, whole } from "./markdown";
import { percentile } from "./percentile";
import { pinDriver } from "./process-pins";
import { type Seed, seed } from "./seed";
import { readApplication, type Service, type ServiceLocation, startService } from "./service";

/**
 * Offers a node three times its capacity. Measures what it rejects, the latency of admitted requests, the
 * response times of health checks, the memory, and the time to recover.
 */

const USAGE = `npm run bench:overload -- [--seconds N] [--write]
  --seconds  length of the overload (default 20)
  --write    write the table into bench/README.md`;

/** Time limit of a run, in milliseconds. */
const LIMIT_MS = 600_000;
/** Number of connections for measuring the capacity and for the overload. */
const CONNECTIONS = { capacity: 32, overload: 600 };
/** Number of sessions that send the requests with a token. */
const SESSIONS = 20;
/** The offered load as a multiple of the capacity. */
const FACTOR = 3;
/** Interval of probes and memory samples, in milliseconds. */
const PROBE_INTERVAL_MS = 50;
/** Aim for the p99 of `/healthz`, in milliseconds. */
const PROBE_AIM_MS = 200;
/** Number of consecutive successes after which a node counts as recovered. */
const RECOVERED = 20;

interface Observation {
  /** Response time of each probe, in milliseconds. */
  probes: number[];
  /** Number of probes without a 200. */
  failed: number;
  rssMb: number;
}

async function main(
  run: BenchmarkRun,
  options: { seconds: number; write: boolean },
): Promise<void> {
  await pinDriver();
  const postgres = await startPostgres();
  run.onCleanUp(() => postgres.stop());
  const driver = new Driver();
  run.onCleanUp(() => driver.stop());
  const location: ServiceLocation = {
    dataDir: await run.createTempFolder(),
    databaseUrl: postgres.url,
  };
  const first = await startService(location);
  await first.stop();
  const data = await seed(postgres.url, readApplication(location.dataDir).applicationId);

  const service = await startService(location);
  run.onCleanUp(() => service.stop());
  const load = (seconds: number, connections: number, rate?: number): LoadJob => ({
    kind: "load",
    baseUrl: service.baseUrl,
    seconds,
    connections,
    rate,
    requests: mixedRequests(data),
  });
  // This load is never shed: each connection has only one request in flight.
  await driver.run(load(3, CONNECTIONS.capacity));
  const capacity = await driver.run(load(5, CONNECTIONS.capacity));
  const perSecond = capacity.count / capacity.seconds;
  const before = service.usage().rssMb;

  const offered = Math.round(FACTOR * perSecond);
  const end = new AbortController();
  const observing = observe(service, end.signal);
  const overload = await driver.run(load(options.seconds, CONNECTIONS.overload, offered));
  const recoveredMs = await recovery(service);
  end.abort();
  const observed = await observing;

  const table = toTable(
    ["what", "figure"],
    rows({ capacity, perSecond, offered, overload, before, observed, recoveredMs }),
    ["what"],
  );
  console.log(`\n${table}`);
  if (options.write) putIntoReadme("npm run bench:overload -- --write", table);
}

/**
 * Half of the requests list users with a token, the other half need none. The driver builds the whole list
 * for each connection, so the list is short.
 */
function mixedRequests({ tokens, tag }: Seed): LoadRequest[] {
  const anonymous: LoadRequest = {
    method: "POST",
    path: "/graphql",
    body: { query: "{ __typename }" },
  };
  return tokens.slice(0, SESSIONS).flatMap((token) => [
    {
      method: "GET",
      path: `/users/v2?user_tags=${tag}`,
      headers: { "svc-token": token },
    } satisfies LoadRequest,
    anonymous,
  ]);
}

/** Probes a node and samples its memory until the signal aborts. */
async function observe(service: Service, end: AbortSignal): Promise<Observation> {
  const observed: Observation = { probes: [], failed: 0, rssMb: 0 };
  while (!end.aborted) {
    const startedAt = performance.now();
    const ok = await isOk(`${service.baseUrl}/healthz`);
    observed.probes.push(performance.now() - startedAt);
    if (!ok) observed.failed += 1;
    observed.rssMb = Math.max(observed.rssMb, service.usage().rssMb);
    await sleep(PROBE_INTERVAL_MS);
  }
  return observed;
}

async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** The time until requests without a token succeed again, in milliseconds. */
async function recovery({ baseUrl }: Service): Promise<number> {
  const startedAt = performance.now();
  for (let served = 0, recoveredMs = 0; ; await sleep(PROBE_INTERVAL_MS)) {
    const answer = await fetch(`${baseUrl}/openapi.json`);
    await answer.text();
    served = answer.ok ? served + 1 : 0;
    if (served === 1) recoveredMs = performance.now() - startedAt;
    if (served === RECOVERED) return recoveredMs;
  }
}

interface Figures {
  capacity: LoadResult;
  perSecond: number;
  offered: number;
  overload: LoadResult;
  before: number;
  observed: Observation;
  recoveredMs: number;
}

function rows(figures: Figures): string[][] {
  const { capacity, perSecond, offered, overload, before, observed, recoveredMs } = figures;
  const p99 = percentile(observed.probes, 0.99);
  const statuses = Object.entries(overload.statuses ?? {});
  return [
    ["capacity per second", whole(perSecond)],
    ["… p50 / p99 ms", `${short(capacity.p50)} / ${short(capacity.p99)}`],
    ["offered per second", whole(offered)],
    ["responses by status", statuses.map(([status, n]) => `${status}: ${whole(n)}`).join(", ")],
    [
      "admitted per second",
      `${whole(overload.count / overload.seconds)} (${whole((100 * overload.count) / overload.seconds / perSecond)} % of the capacity)`,
    ],
    ["… p50 / p99 ms", `${short(overload.p50)} / ${short(overload.p99)}`],
    [
      "`/healthz` p50 / p99 ms",
      `${short(percentile(observed.probes, 0.5))} / ${short(p99)} (${verdict(p99 <= PROBE_AIM_MS)}: ≤ ${PROBE_AIM_MS})`,
    ],
    ["… not answered with 200", whole(observed.failed)],
    ["RSS MB before / maximum", `${whole(before)} / ${whole(observed.rssMb)}`],
    ["time to recover, ms", whole(recoveredMs)],
  ];
}

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
startRun(LIMIT_MS, (run) =>
  main(run, { seconds: Number(values.seconds), write: values.write === true }),
);
