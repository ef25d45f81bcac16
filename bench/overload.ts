import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startPostgres } from "../scripts/services/postgres-server";
import type { Outcome } from "./driver";
import { Driver } from "./driver-process";
import type { LoadJob, LoadRequest } from "./load";
import { putIntoReadme, short, toTable, verdict, whole } from "./markdown";
import { percentile } from "./percentile";
import { pinDriver } from "./process-pins";
import { type Run, startRun } from "./run";
import { type Seed, seed } from "./seed";
import { type Place, readApplication, type Service, startService } from "./service";

/**
 * A node that is offered three times what it can do: what it refuses, how long what it admits takes, whether
 * probes are answered meanwhile, what memory it takes and how soon it serves everybody again.
 */

const USAGE = `npm run bench:overload -- [--seconds N] [--write]
  --seconds  length of the overload, 20 by default
  --write    put the table into bench/README.md`;

/** Milliseconds after which a run is broken off. */
const LIMIT_MS = 600_000;
/** Connections that measure what a node can do, and those that offer more. */
const CONNECTIONS = { capacity: 32, overload: 600 };
/** Sessions that requests with a token come from. */
const SESSIONS = 20;
/** How much more than its capacity a node is offered. */
const FACTOR = 3;
/** Milliseconds between two probes, and between two looks at the memory. */
const PROBE_MS = 50;
/** Milliseconds in which `/healthz` is to answer, for 99 of 100 probes. */
const PROBE_AIM_MS = 200;
/** Answers without a refusal, one after the other, after which a node has recovered. */
const RECOVERED = 20;

interface Watched {
  /** Milliseconds that each probe took. */
  probes: number[];
  /** Probes without a 200. */
  failed: number;
  rssMb: number;
}

async function main(run: Run, options: { seconds: number; write: boolean }): Promise<void> {
  await pinDriver();
  const postgres = await startPostgres();
  run.undo(() => postgres.stop());
  const driver = new Driver();
  run.undo(() => driver.stop());
  const place: Place = { dataDir: await run.folder(), databaseUrl: postgres.url };
  const first = await startService(place);
  await first.stop();
  const data = await seed(postgres.url, readApplication(place.dataDir).applicationId);

  const service = await startService(place);
  run.undo(() => service.stop());
  const load = (seconds: number, connections: number, rate?: number): LoadJob => ({
    ...{ kind: "load", baseUrl: service.baseUrl, seconds, connections, rate },
    requests: mixedRequests(data),
  });
  // Sheds nothing: so many connections wait for no more than so many requests.
  await driver.run(load(3, CONNECTIONS.capacity));
  const capacity = await driver.run(load(5, CONNECTIONS.capacity));
  const perSecond = capacity.count / capacity.seconds;
  const before = service.usage().rssMb;

  const offered = Math.round(FACTOR * perSecond);
  const end = new AbortController();
  const watching = watch(service, end.signal);
  const overload = await driver.run(load(options.seconds, CONNECTIONS.overload, offered));
  const recoveredMs = await recovery(service);
  end.abort();
  const watched = await watching;

  const table = toTable(
    ["what", "figure"],
    rows({ capacity, perSecond, offered, overload, before, watched, recoveredMs }),
    ["what"],
  );
  console.log(`\n${table}`);
  if (options.write) putIntoReadme("npm run bench:overload -- --write", table);
}

/**
 * Half of the requests have a token and ask for a list of users, half have none. The driver writes all of
 * them out for each connection, so they are few.
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

/** Probes a node, and looks at its memory, until it is told to end. */
async function watch(service: Service, end: AbortSignal): Promise<Watched> {
  const watched: Watched = { probes: [], failed: 0, rssMb: 0 };
  while (!end.aborted) {
    const begun = performance.now();
    const ok = await isAnswered(`${service.baseUrl}/healthz`);
    watched.probes.push(performance.now() - begun);
    if (!ok) watched.failed += 1;
    watched.rssMb = Math.max(watched.rssMb, service.usage().rssMb);
    await sleep(PROBE_MS);
  }
  return watched;
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Milliseconds until requests without a token are served again, as if nothing had been. */
async function recovery({ baseUrl }: Service): Promise<number> {
  const begun = performance.now();
  for (let served = 0, last = 0; ; await sleep(PROBE_MS)) {
    const answer = await fetch(`${baseUrl}/openapi.json`);
    await answer.text();
    served = answer.ok ? served + 1 : 0;
    if (served === 1) last = performance.now() - begun;
    if (served === RECOVERED) return last;
  }
}

interface Figures {
  capacity: Outcome;
  perSecond: number;
  offered: number;
  overload: Outcome;
  before: number;
  watched: Watched;
  recoveredMs: number;
}

function rows(figures: Figures): string[][] {
  const { capacity, perSecond, offered, overload, before, watched, recoveredMs } = figures;
  const p99 = percentile(watched.probes, 0.99);
  const statuses = Object.entries(overload.statuses ?? {});
  return [
    ["capacity, a second", whole(perSecond)],
    ["… p50 / p99 ms", `${short(capacity.p50)} / ${short(capacity.p99)}`],
    ["offered, a second", whole(offered)],
    ["answers by status", statuses.map(([status, n]) => `${status}: ${whole(n)}`).join(", ")],
    [
      "admitted, a second",
      `${whole(overload.count / overload.seconds)} (${whole((100 * overload.count) / overload.seconds / perSecond)} % of the capacity)`,
    ],
    ["… p50 / p99 ms", `${short(overload.p50)} / ${short(overload.p99)}`],
    [
      "`/healthz` p50 / p99 ms",
      `${short(percentile(watched.probes, 0.5))} / ${short(p99)} (${verdict(p99 <= PROBE_AIM_MS)}: ≤ ${PROBE_AIM_MS})`,
    ],
    ["… not answered with 200", whole(watched.failed)],
    ["RSS MB before / at most", `${whole(before)} / ${whole(watched.rssMb)}`],
    ["ms until everybody is served again", whole(recoveredMs)],
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
