import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../scripts/services/postgres-server";
import { startRedis } from "../scripts/services/redis-server";
import { packageRoot } from "../src/core/package-root";
import { type BenchmarkRun, startRun } from "./benchmark-run";
import { Driver } from "./driver-process";
import { type Measurement, measure, type Windows } from "./measure";
import { pinDriver } from "./process-pins";
import { type Scenario, type Subject, scenarios } from "./scenarios";
import { seed } from "./seed";
import {
  readApplication,
  type Service,
  type ServiceLocation,
  startBaseline,
  startService,
} from "./service";
import { measureStarts, type Start } from "./starts";
import { toTables, writeTables } from "./table";

const USAGE = `npm run bench -- [--quick] [--only TEXT] [--profile] [--write]
  --quick    use short windows, for a rough result
  --only     run only rows that contain TEXT
  --profile  write a CPU profile of each server to dist/bench/profiles
  --write    write the tables into bench/README.md`;

/** Time limit of a run, in milliseconds. */
const LIMIT_MS = 600_000;
const NORMAL: Windows = { warmUp: 3, measured: 5 };
const QUICK: Windows = { warmUp: 1, measured: 2 };

interface Options {
  quick: boolean;
  profile: boolean;
  write: boolean;
  only: string;
}

function readOptions(): Options {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    options: {
      quick: flag,
      profile: flag,
      write: flag,
      help: flag,
      only: { type: "string", default: "" },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  return values;
}

async function main(run: BenchmarkRun, options: Options): Promise<void> {
  await pinDriver();
  const postgres = await startPostgres();
  run.onCleanUp(() => postgres.stop());
  const redis = await startRedis();
  run.onCleanUp(() => redis.stop());
  const driver = new Driver();
  run.onCleanUp(() => driver.stop());
  const location: ServiceLocation = {
    dataDir: await run.createTempFolder(),
    databaseUrl: postgres.url,
  };

  const first = await startService(location);
  await first.stop();
  const signing = readApplication(location.dataDir);
  const data = await seed(postgres.url, signing.applicationId);

  const chosen = scenarios(data, signing).filter(({ name, subject }) =>
    `${subject} ${name}`.includes(options.only),
  );
  const profile = options.profile ? join(packageRoot(), "dist/bench/profiles") : undefined;
  const start: Record<Subject, () => Promise<Service>> = {
    baseline: () => startBaseline(postgres.url),
    single: () => startService(location, profile),
    redis: () => startService({ ...location, redisUrl: redis.url }, profile),
  };
  const windows = options.quick ? QUICK : NORMAL;
  const measurements: Measurement[] = [];
  for (const subject of ["baseline", "single", "redis"] as const) {
    const work = chosen.filter((scenario) => scenario.subject === subject);
    measurements.push(...(await measureAll(run, start[subject], driver, work, windows)));
  }
  const starts = options.only === "" ? await allStarts(run, location) : [];

  const tables = toTables(measurements, starts);
  console.log(`\n${tables}`);
  if (options.write) writeTables(tables);
}

/** Measures each scenario on a new process, so that none is affected by the memory of another. */
async function measureAll(
  run: BenchmarkRun,
  start: () => Promise<Service>,
  driver: Driver,
  work: Scenario[],
  windows: Windows,
): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const scenario of work) {
    const server = await start();
    run.onCleanUp(() => server.stop());
    const measurement = await measure(driver, server, scenario, windows);
    measured.push(measurement);
    const { subject, name } = scenario;
    console.log(`${subject}: ${name}: ${measurement.cpuMicros.toFixed(1)} µs`);
    await run.cleanUpLast();
  }
  return measured;
}

async function allStarts(run: BenchmarkRun, onPostgres: ServiceLocation): Promise<Start[]> {
  const aim = { readyMs: 1_000, rssMb: 120 };
  const embedded: ServiceLocation = { dataDir: await run.createTempFolder() };
  return [
    await measureStarts("PostgreSQL, migrated before", onPostgres, aim),
    await measureStarts("embedded database, new folder", embedded, undefined, 1),
    await measureStarts("embedded database, existing folder", embedded),
  ];
}

const options = readOptions();
startRun(LIMIT_MS, (run) => main(run, options));
